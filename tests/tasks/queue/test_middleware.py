"""What runs around a message: the log's lines and context, skipped ticks, interrupted threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dramatiq
import pytest
import structlog
from dramatiq.middleware import Prometheus, Retries, SkipMessage, TimeLimitExceeded

from errors import Drift
from tasks.middleware import chain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tasks.queue import LpsBroker
    from tests.tasks.queue.conftest import Rig


@pytest.fixture
def lines() -> Iterator[list[Any]]:
    """Everything that is logged, as dicts."""
    with structlog.testing.capture_logs(processors=[structlog.contextvars.merge_contextvars]) as entries:
        yield entries


def _run(rig: Rig, work: Callable[[], None], *, final: str = "done", **actor: Any) -> tuple[LpsBroker, str]:
    broker, job = rig.broker(), str(uuid4())

    def stage(_job: str) -> None:
        work()

    dramatiq.actor(stage, broker=broker, queue_name="naver", actor_name="naver", **actor)
    rig.work(broker)
    broker.enqueue(broker.message("naver", job=job, trace_id="t-1"))
    rig.wait(lambda: rig.states() == [final])
    broker.close()
    return broker, job


def test_a_done_message_is_one_line_with_the_jobs_id(rig: Rig, lines: list[Any]) -> None:
    """`[worker-0] done <id>`, as operators read it; what the stage logs carries job, stage and trace."""
    _, job = _run(rig, lambda: structlog.get_logger().info("reading"))
    [reading] = [line for line in lines if line["event"] == "reading"]
    assert (reading["job_id"], reading["stage"], reading["trace_id"]) == (job, "naver", "t-1")
    rig.wait(lambda: [line for line in lines if line["event"].endswith(f"] done {job}")])
    assert [line["event"][:8] for line in lines if " done " in line["event"]] == ["[worker-"]


def test_a_dead_message_says_so(rig: Rig, lines: list[Any]) -> None:
    """`[worker-0] fail <id> → DEAD` with the error beside it, and no line that says done."""

    def work() -> None:
        raise Drift("cards changed")

    _, job = _run(rig, work, final="rejected")
    [line] = [line for line in lines if "DEAD" in line["event"]]
    assert line["event"].endswith(f"] fail {job} → DEAD")
    assert "cards changed" in line["error"]
    assert not [line for line in lines if " done " in line["event"]]


def test_an_interrupted_thread_counts_as_a_failure(rig: Rig) -> None:
    """A time limit is no reason to lose or to acknowledge the message."""

    def work() -> None:
        raise TimeLimitExceeded

    _run(rig, work, final="rejected", max_attempts=2, min_backoff_s=0.01)
    assert [row[0] for row in rig.db.rows("SELECT outcome FROM attempt ORDER BY attempt_id")] == ["retry", "dead"]


def test_a_skipped_message_is_done_and_says_skipped(rig: Rig, lines: list[Any]) -> None:
    """Periodiq skips stale ticks: that is neither a failure nor work done."""

    class Skip(dramatiq.Middleware):
        def before_process_message(self, _broker: Any, _message: Any) -> None:
            raise SkipMessage

    broker = rig.broker(middleware=[*chain(), Skip()])
    dramatiq.actor(lambda: None, broker=broker, queue_name="ops", actor_name="watch").send()
    rig.work(broker)
    rig.wait(lambda: rig.states() == ["done"])
    assert rig.db.rows("SELECT stage, outcome FROM attempt") == [("watch", "skipped")]
    assert not [line for line in lines if " done " in line["event"]]


def test_a_trace_goes_on_with_the_messages_a_stage_sends(rig: Rig) -> None:
    """One search is one trace, through every hop."""
    broker = rig.broker()

    def stage(_job: str) -> None:
        with broker.effect() as cur:
            broker.enqueue_in(cur, broker.message("match", job=uuid4()))

    dramatiq.actor(stage, broker=broker, queue_name="naver", actor_name="naver")
    rig.work(broker)
    broker.enqueue(broker.message("naver", job=uuid4(), trace_id="t-7"))
    rig.wait(lambda: "done" in rig.states())
    traces = rig.db.rows("SELECT message->'options'->>'trace_id' FROM dramatiq.queue")
    assert traces == [("t-7",), ("t-7",)]


def test_the_chain_holds_nothing_that_retries_by_itself_or_opens_a_port() -> None:
    """Dramatiq's default list begins with a metrics server on every interface."""
    assert not [m for m in chain() if isinstance(m, (Prometheus, Retries))]
