"""Sending: what is stored, when it is seen, how often."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING
from uuid import uuid4

import dramatiq
import dramatiq_pg
import pytest

from tasks.queue import current_message

if TYPE_CHECKING:
    from dramatiq import Actor

    from tasks.queue import LpsBroker
    from tests.tasks.queue.conftest import Rig


def _recorder(broker: LpsBroker, queue: str = "naver") -> tuple[Actor[..., None], list[tuple[str, float]]]:
    """An actor that writes down its first argument and when it began."""
    seen: list[tuple[str, float]] = []

    @dramatiq.actor(broker=broker, queue_name=queue, actor_name=queue)
    def record(text: str) -> None:
        seen.append((text, time.monotonic()))

    return record, seen


def test_it_is_dramatiq_pgs_broker_without_delay_queues(rig: Rig) -> None:
    """Other tools may rely on the class; a delayed message waits in its own row."""
    broker = rig.broker()
    _recorder(broker)
    assert isinstance(broker, dramatiq_pg.PostgresBroker)
    assert broker.get_declared_queues() == {"naver"}
    assert broker.get_declared_delay_queues() == set()
    assert broker.backend is None, "results are rows of job"


def test_a_message_sent_twice_is_stored_once_and_runs_once(rig: Rig) -> None:
    """The id says what the message is for; sending it again changes nothing, even after it ran."""
    broker = rig.broker()
    _, seen = _recorder(broker)
    message = broker.message("naver", job=uuid4(), step="naver", round=0)
    broker.enqueue(message)
    broker.enqueue(message)
    rig.work(broker)
    rig.wait(lambda: rig.states() == ["done"])
    broker.enqueue(message)
    assert rig.states() == ["done"]
    assert len(seen) == 1


def test_an_enqueue_belongs_to_the_callers_transaction(rig: Rig) -> None:
    """Rolled back: it never was. Committed: it runs at once, by notification, not by polling."""
    broker = rig.broker(poll_s=60)
    _, seen = _recorder(broker)
    rig.work(broker)
    rig.wait(lambda: broker.hub and broker.hub.listening)
    with contextlib.suppress(KeyError), broker.pool.transaction() as cur:
        broker.enqueue_in(cur, broker.message("naver", "lost", job=uuid4()))
        raise KeyError
    with broker.pool.transaction() as cur:
        assert broker.enqueue_in(cur, broker.message("naver", "kept", job=uuid4())) == 1
    committed = time.monotonic()
    rig.wait(lambda: seen)
    assert [text for text, _ in seen] == ["kept"]
    assert seen[0][1] - committed < 0.5


def test_a_delayed_message_starts_on_time(rig: Rig) -> None:
    """The consumer wakes when the next one is due, not at its next poll."""
    broker = rig.broker(poll_s=60)
    record, seen = _recorder(broker)
    rig.work(broker)
    sent = time.monotonic()
    record.send_with_options(args=("later",), delay=700)
    rig.wait(lambda: seen)
    assert 0.68 <= seen[0][1] - sent <= 1.5


def test_what_nobody_was_told_of_is_found_by_looking(rig: Rig) -> None:
    """A notification may be lost, or never sent: an idle consumer polls."""
    broker = rig.broker(poll_s=0.3)
    _, seen = _recorder(broker)
    rig.work(broker)
    rig.wait(lambda: broker.hub and broker.hub.listening)
    text = broker.message("naver", "silent", job=uuid4()).encode().decode()
    sql = "INSERT INTO dramatiq.queue (message_id, queue_name, state, message) VALUES (%s, 'naver', 'queued', %s)"
    rig.db.rows(sql, str(uuid4()), text)
    rig.wait(lambda: seen, 1)


def test_urgent_messages_go_first(rig: Rig) -> None:
    """Priority, then age."""
    broker = rig.broker()
    _, seen = _recorder(broker)
    for text, priority in [("batch 1", 5), ("recheck", 9), ("batch 2", 5), ("now", 0)]:
        broker.enqueue(broker.message("naver", text, job=uuid4(), priority=priority))
    rig.work(broker, threads=1)
    rig.wait(lambda: len(seen) == 4)
    assert [text for text, _ in seen] == ["now", "batch 1", "batch 2", "recheck"]


def test_one_tick_of_two_schedulers_is_one_message(rig: Rig) -> None:
    """Two clocks may run, each in its own time zone; each tick happens once."""
    broker = rig.broker()
    record, _ = _recorder(broker)
    for at in ("2026-11-30T09:05:00+09:00", "2026-11-30T00:05:12+00:00", "2026-11-30T09:06:00+09:00"):
        record.send_with_options(args=("tick",), scheduled_at=at)
    assert len(rig.states()) == 2


def test_a_bad_argument_is_refused_at_once_and_nothing_is_stored(rig: Rig) -> None:
    """Stock dramatiq-pg blocks the caller for 71 seconds here."""
    broker = rig.broker()
    record, _ = _recorder(broker)
    began = time.monotonic()
    with pytest.raises(ValueError, match=r"naver: args\[0\] holds a NUL character"):
        record.send("a\0b")
    assert time.monotonic() - began < 0.5
    assert rig.states() == []


def test_a_big_message_runs(rig: Rig) -> None:
    """A notification carries the queue's name alone, so size does not matter."""
    broker = rig.broker()
    record, seen = _recorder(broker)
    rig.work(broker)
    record.send("가" * 700_000)
    rig.wait(lambda: seen)
    assert len(seen[0][0]) == 700_000


def test_the_broker_needs_no_database_until_it_is_used(rig: Rig) -> None:
    """Importing the tasks must not connect anywhere."""
    broker = rig.broker(url="postgresql://nobody@127.0.0.1:1/none")
    _recorder(broker)
    with pytest.raises(LookupError):
        current_message()
    assert broker.hub is None
