"""How a try ends: once, for its owner only, with its row in `attempt`."""

from __future__ import annotations

import itertools
import threading
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dramatiq
import pytest

from errors import Blocked, Drift, Lost, RateLimited
from tasks.queue import current_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from tasks.queue import DeadMessage, Delivery, LpsBroker
    from tests.tasks.queue.conftest import Rig

    Work = Callable[[LpsBroker, Delivery], Any]


def _run(rig: Rig, work: Work, *, actor: dict[str, Any] | None = None, **options: Any) -> LpsBroker:
    """Run one message of a source stage through this function, and wait until its row is final."""
    broker = rig.broker(**options)

    def stage(_job: str) -> None:
        work(broker, current_message())

    dramatiq.actor(stage, broker=broker, queue_name="naver", actor_name="naver", **(actor or {}))
    rig.work(broker)
    broker.enqueue(broker.message("naver", job=uuid4()))
    rig.wait(lambda: rig.states()[0] in ("done", "rejected"))
    return broker


def _attempts(rig: Rig) -> list[tuple[object, ...]]:
    return rig.db.rows("SELECT stage, mall, try, outcome, error_type, error FROM attempt ORDER BY attempt_id")


def _audit(cur: Any, subject: str) -> None:
    cur.execute("INSERT INTO audit (who, action, subject) VALUES ('test', 'wrote', %s)", (subject,))


def test_an_effect_commits_writes_next_message_and_ack_together(rig: Rig) -> None:
    """When the row says done, everything else is there too, and the try is on record."""

    def work(broker: LpsBroker, message: Delivery) -> None:
        with broker.effect(outcome="empty") as cur:
            _audit(cur, message.message_id)
            broker.enqueue_in(cur, broker.message("match", job=uuid4()))

    _run(rig, work)
    assert sorted(rig.states()) == ["done", "queued"]
    assert len(rig.notes("wrote")) == 1
    assert _attempts(rig) == [("naver", "naver", 1, "empty", None, None)]


def test_an_effect_that_fails_leaves_nothing_and_the_message_comes_back(rig: Rig) -> None:
    """An error inside rolls back the ack as well; the next try does it whole."""

    def work(broker: LpsBroker, message: Delivery) -> None:
        with broker.effect() as cur:
            _audit(cur, f"try {message.attempt}")
            if message.attempt == 1:
                raise ConnectionResetError

    _run(rig, work)
    assert [subject for _, subject, _ in rig.notes("wrote")] == ["try 2"]


def test_an_effect_without_the_lease_is_refused(rig: Rig) -> None:
    """Whoever was overtaken writes nothing and ends silently, whatever it believes."""
    refused: list[BaseException] = []

    def work(broker: LpsBroker, message: Delivery) -> None:
        if message.attempt == 1:
            rig.overtake(message)
            rig.wait(lambda: rig.states() == ["done"])
            with pytest.raises(Lost) as lost, broker.effect(message) as cur:
                _audit(cur, "late")
            refused.append(lost.value)
            raise lost.value
        with broker.effect(message) as cur:
            _audit(cur, "owner")

    broker = _run(rig, work)
    rig.wait(lambda: refused)
    broker.close()
    assert rig.states() == ["done"]
    assert [subject for _, subject, _ in rig.notes("wrote")] == ["owner"]
    assert [row[3] for row in _attempts(rig)] == ["lost", "done"]


def test_an_effect_is_refused_while_its_successor_is_at_work(rig: Rig) -> None:
    """The row is consumed, but by a later claim: the fence tells, not the state."""
    successor_begun, late_refused = threading.Event(), threading.Event()

    def work(broker: LpsBroker, message: Delivery) -> None:
        if message.attempt == 1:
            rig.overtake(message)
            assert successor_begun.wait(5)
            with pytest.raises(Lost), broker.effect() as cur:
                _audit(cur, "late")
            late_refused.set()
            raise ZeroDivisionError
        successor_begun.set()
        assert late_refused.wait(5)
        with broker.effect() as cur:
            _audit(cur, "owner")

    _run(rig, work).close()
    assert rig.states() == ["done"]
    assert [subject for _, subject, _ in rig.notes("wrote")] == ["owner"]
    assert [row[3] for row in _attempts(rig)] == ["lost", "done"]


def test_a_retry_is_the_same_row_due_later(rig: Rig) -> None:
    """One row, its error beside it, and the next try on time (here: when the other side asked for it)."""
    begun: list[float] = []

    def work(_broker: LpsBroker, message: Delivery) -> None:
        begun.append(time.monotonic())
        if message.attempt == 1:
            error = RateLimited("slower \0 \ud800")
            error.after_s = 0.6
            raise error

    _run(rig, work)
    assert 0.58 <= begun[1] - begun[0] <= 0.8
    assert rig.db.rows("SELECT count(*), min(last_error), min(attempts) FROM dramatiq.queue") == [
        (1, "RateLimited: slower \ufffd \ufffd", 2)
    ]
    assert [(row[2], row[3], row[4]) for row in _attempts(rig)] == [(1, "retry", "RateLimited"), (2, "done", None)]


def test_a_surprise_is_tried_until_no_try_is_left(rig: Rig) -> None:
    """Any exception counts as a failure; the actor's own limit wins over the broker's."""

    def work(_broker: LpsBroker, _message: Delivery) -> None:
        raise ZeroDivisionError

    _run(rig, work, actor={"max_attempts": 2, "min_backoff_s": 0.05})
    assert rig.states() == ["rejected"]
    assert [row[3] for row in _attempts(rig)] == ["retry", "dead"]


@pytest.mark.parametrize("error", [Drift("cards changed"), Blocked(kind="akamai")])
def test_what_trying_cannot_help_is_dead_at_once(rig: Rig, error: Exception) -> None:
    """Stop and Rotate end at the first try, with their reason, and on_dead sees the exception."""
    told: list[DeadMessage] = []

    def work(_broker: LpsBroker, _message: Delivery) -> None:
        raise error

    _run(rig, work, on_dead=lambda _cur, dead: told.append(dead))
    assert rig.states() == ["rejected"]
    assert told[0].exception is error
    assert (told[0].actor, told[0].attempts, told[0].error_type) == ("naver", 1, type(error).__name__)


def test_on_dead_commits_with_the_rejection_or_neither_does(rig: Rig) -> None:
    """If it fails, the message stays consumed and comes back; nothing is rejected unheard."""
    calls: list[str] = []

    def on_dead(cur: Any, dead: DeadMessage) -> None:
        _audit(cur, dead.message_id)
        calls.append(dead.error_type)
        if len(calls) == 1:
            raise KeyError

    def work(_broker: LpsBroker, _message: Delivery) -> None:
        raise Drift

    _run(rig, work, on_dead=on_dead, lease_s=0.6)
    assert rig.states() == ["rejected"]
    assert len(rig.notes("wrote")) == 1


def test_a_stage_that_says_lost_itself_ends_silently(rig: Rig) -> None:
    """The stage found its work already done by another: no retry, no dead letter."""

    def work(_broker: LpsBroker, _message: Delivery) -> None:
        raise Lost

    _run(rig, work)
    assert rig.states() == ["done"]
    assert [row[3] for row in _attempts(rig)] == ["lost"]


def test_backoff_doubles_up_to_its_limit(rig: Rig) -> None:
    """Half of each wait is chance, so that failures do not come back in step."""

    def work(_broker: LpsBroker, _message: Delivery) -> None:
        raise ZeroDivisionError

    _run(rig, work, min_backoff_s=0.1, max_backoff_s=0.3, max_attempts=4)
    rows = rig.db.rows("SELECT started_at, ended_at FROM attempt ORDER BY attempt_id")
    waits = [(b[0] - a[1]).total_seconds() for a, b in itertools.pairwise(rows)]  # type: ignore[operator]
    for wait, most in zip(waits, (0.1, 0.2, 0.3), strict=True):
        assert most / 2 <= wait <= most + 0.2
