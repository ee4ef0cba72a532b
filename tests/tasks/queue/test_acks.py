"""Acknowledgements written together: late by milliseconds, never lost, never for a message that is not ours."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dramatiq
import pytest

from tasks.queue import current_message
from tasks.queue.consumer import Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from tasks.queue import LpsBroker
    from tests.tasks.queue.conftest import Rig


def _actor(broker: LpsBroker, work: Callable[[], Any], **options: Any) -> None:
    def stage(_job: str) -> None:
        work()

    dramatiq.actor(stage, broker=broker, queue_name="naver", actor_name="naver", idempotent=True, **options)


def _send(broker: LpsBroker, n: int) -> None:
    with broker.pool.transaction() as cur:
        broker.enqueue_in(cur, *[broker.message("naver", job=uuid4()) for _ in range(n)])


def test_every_message_ends_done_with_its_try_on_record(rig: Rig) -> None:
    """Together or one by one, the same rows are written, and nothing is held any more."""
    broker = rig.broker()
    _actor(broker, lambda: None)
    _send(broker, 300)
    rig.work(broker)
    rig.wait(lambda: rig.states() == ["done"] * 300)
    tries = "SELECT stage, mall, try, outcome, count(DISTINCT message_id)::int, count(*)::int, min(worker) > ''"
    assert rig.db.rows(f"{tries} FROM attempt GROUP BY 1, 2, 3, 4") == [("naver", "naver", 1, "done", 300, 300, True)]
    assert broker.hub
    rig.wait(lambda: broker.hub and not broker.hub.held())
    assert broker.hub.slots.used() == 0


def test_an_acknowledgement_is_refused_to_whoever_lost_the_lease(rig: Rig) -> None:
    """The batch writes each row for its owner only; the rest of it is written."""
    broker = rig.broker()
    begun, gate = threading.Event(), threading.Event()

    def work() -> None:
        if current_message().attempt == 1:
            begun.set()
            gate.wait(5)

    _actor(broker, work)
    _send(broker, 2)
    rig.work(broker)
    assert begun.wait(5)
    one = "(SELECT message_id FROM dramatiq.queue LIMIT 1)"
    rig.db.rows(f"UPDATE dramatiq.queue SET fence = fence + 1 WHERE message_id = {one}")
    gate.set()
    rig.wait(lambda: sorted(rig.states()) == ["consumed", "done"])
    rig.wait(lambda: broker.hub and not broker.hub.held())
    assert rig.states().count("done") == len(rig.db.rows("SELECT 1 FROM attempt")) == 1


def test_what_is_done_is_written_before_a_worker_is_gone(rig: Rig) -> None:
    """A stop loses no acknowledgement: nothing runs again that has run."""
    broker = rig.broker()
    _actor(broker, lambda: None)
    _send(broker, 200)
    worker = rig.work(broker)
    rig.wait(lambda: "done" in rig.states())
    worker.stop()
    states = rig.states()
    assert set(states) <= {"done", "queued"}
    assert rig.db.rows("SELECT count(*)::int FROM attempt WHERE outcome = 'done'") == [(states.count("done"),)]


def test_acknowledgements_outlive_an_outage(rig: Rig) -> None:
    """They wait for the database, held and renewed, and are written when it is back."""
    line = rig.line()
    broker = rig.broker(url=line.url)
    _actor(broker, line.cut)
    _send(rig.broker(), 1)
    rig.work(broker)
    rig.wait(lambda: broker.hub and broker.hub.held() and broker.hub.held()[0].deferred)
    assert rig.states() == ["consumed"]
    line.mend()
    rig.wait(lambda: rig.states() == ["done"], 5)
    assert rig.db.rows("SELECT try, outcome FROM attempt") == [(1, "done")]


@pytest.mark.chaos
def test_a_killed_process_runs_unwritten_work_again_and_loses_none(rig: Rig) -> None:
    """SIGKILL between the work and its statement: at least once, which is what idempotent says."""
    actors = """
@dramatiq.actor(queue_name="naver", actor_name="naver", idempotent=True)
def naver(job):
    note("ran", job)
"""
    sender = rig.broker()
    dramatiq.actor(lambda _job: None, broker=sender, actor_name="naver", queue_name="naver")
    _send(sender, 400)
    first = rig.process(actors, lease_s=1, min_backoff_s=0.1)
    rig.wait(lambda: len(rig.notes("ran")) > 20, 20)
    for child in first.children(recursive=True):
        os.kill(child.pid, signal.SIGKILL)
    rig.process(actors, lease_s=1, min_backoff_s=0.1)
    rig.wait(lambda: rig.states() == ["done"] * 400, 30)
    assert len({subject for _, subject, _ in rig.notes("ran")}) == 400


def test_an_effect_ends_an_idempotent_message_itself(rig: Rig) -> None:
    """Nothing is acknowledged twice."""
    broker = rig.broker()

    def work() -> None:
        with broker.effect(outcome="empty"):
            return

    _actor(broker, work)
    _send(broker, 3)
    rig.work(broker)
    rig.wait(lambda: rig.states() == ["done"] * 3)
    assert rig.db.rows("SELECT outcome FROM attempt") == [("empty",)] * 3


def test_only_short_idempotent_work_is_claimed_ahead() -> None:
    """What a process ends in 10 ms, no more; nothing once work is slow, or something else came through."""
    now = 100.0
    pace = Pace(lambda: now)
    assert pace.ahead() == 0
    for per_10_ms, other, wanted in ((20, False, 20), (400, False, 32), (2, False, 0), (20, True, 0)):
        for _ in range(per_10_ms):
            pace.ended(idempotent=True)
        if other:
            pace.ended(idempotent=False)
        now += 0.01001
        assert pace.ahead() == pytest.approx(wanted, abs=1)
