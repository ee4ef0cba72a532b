"""Senders notify only where somebody waits, and nobody sleeps over a message for it."""

from __future__ import annotations

import threading
import time
from random import Random
from typing import TYPE_CHECKING
from uuid import uuid4

import dramatiq

if TYPE_CHECKING:
    from tasks.queue import LpsBroker
    from tests.tasks.queue.conftest import Rig


def _heard(broker: LpsBroker) -> list[str]:
    """What a listener hears of one message that is sent now."""
    listener = broker.pool.dedicated()
    listener.cursor().execute("LISTEN lps")
    broker.enqueue(broker.message("naver", job=uuid4()))
    listener.cursor().execute("SELECT 1")
    heard = [notification.payload for notification in listener.notifies]
    listener.close()
    return heard


def _times(broker: LpsBroker, *, idempotent: bool = False) -> dict[str, float]:
    """An actor that notes when it began with which message."""
    begun: dict[str, float] = {}

    @dramatiq.actor(broker=broker, queue_name="naver", actor_name="naver", idempotent=idempotent)
    def note(key: str) -> None:
        begun[key] = time.monotonic()

    return begun


def test_a_notification_is_sent_only_where_somebody_waits(rig: Rig) -> None:
    """No worker, no notification and its global lock; an idle worker gets one."""
    broker = rig.broker()
    _times(broker)
    assert _heard(broker) == []
    worker = rig.work(broker)
    rig.wait(lambda: broker.hub and broker.hub.idle.waits("naver"))
    assert _heard(broker) == ["naver"]
    worker.stop()
    assert _heard(broker) == []


def test_a_busy_worker_is_not_told_an_idle_one_is(rig: Rig) -> None:
    """The mark is a queue's and a process's: one that waits is enough."""
    busy, idle = rig.broker(busy_s=0.05), rig.broker()
    gate = threading.Event()

    @dramatiq.actor(broker=busy, queue_name="naver", actor_name="naver")
    def wait(_job: str) -> None:
        gate.wait(0.02)

    for _ in range(60):
        busy.enqueue(busy.message("naver", job=uuid4()))
    rig.work(busy, threads=1)
    rig.wait(lambda: busy.hub and rig.states().count("done") > 10 and not busy.hub.idle.waits("naver"))
    assert _heard(busy) == []
    begun = _times(idle)
    rig.work(idle, threads=1)
    rig.wait(lambda: begun)
    gate.set()
    rig.wait(lambda: idle.hub and idle.hub.idle.waits("naver"))
    assert _heard(busy) == ["naver"]


def test_no_message_waits_for_the_sweep(rig: Rig) -> None:
    """Workers that turn busy and idle all the time, two senders: each message starts at once, sent unheard or not."""
    begun: list[dict[str, float]] = []
    for _ in range(2):
        broker = rig.broker(busy_s=0, poll_s=60)
        begun.append(_times(broker, idempotent=True))
        rig.work(broker, threads=2)
    sent: dict[str, float] = {}

    def send(seed: int) -> None:
        broker, random, tick = rig.broker(), Random(seed), threading.Event()  # noqa: S311 - repeatable, not secret
        for _ in range(400):
            key = str(uuid4())
            sent[key] = time.monotonic()
            broker.enqueue(broker.message("naver", key, job=key))
            tick.wait(random.choice((0, 0, 0, 0.002, 0.02)))

    threads = [threading.Thread(target=send, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rig.wait(lambda: sum(map(len, begun)) == len(sent), 5)
    assert max(at - sent[key] for keys in begun for key, at in keys.items()) < 1.5


def test_a_senders_long_transaction_stops_no_heart(rig: Rig) -> None:
    """What it sent unheard starts when it commits; until then the worker lives and looks by itself."""
    broker = rig.broker(poll_s=60, lease_s=1.5)
    begun = _times(broker)
    sender = rig.broker()
    with sender.pool.transaction() as cur:
        sender.enqueue_in(cur, sender.message("naver", "long", job=uuid4()))
        rig.work(broker)
        rig.wait(lambda: rig.db.rows("SELECT 1 FROM worker WHERE seen_at - started_at > interval '0.8 s'"))
        assert broker.hub
        assert not broker.hub.idle.waits("naver")
    committed = time.monotonic()
    rig.wait(lambda: begun)
    assert begun["long"] - committed < 0.5
    rig.wait(lambda: broker.hub and broker.hub.idle.waits("naver"))


def test_marks_vanish_with_their_session_and_come_back(rig: Rig) -> None:
    """A listener cut off on the server: the new one waits too."""
    broker = rig.broker(poll_s=60)
    begun = _times(broker)
    rig.work(broker)
    rig.wait(lambda: broker.hub and broker.hub.idle.waits("naver"))
    listener = "FROM pg_stat_activity WHERE application_name = 'lps queue test listen'"
    (before,) = rig.db.rows(f"SELECT pid, pg_terminate_backend(pid) {listener}")
    rig.wait(lambda: [row[0] for row in rig.db.rows(f"SELECT pid {listener}")] not in ([], [before[0]]))
    rig.wait(lambda: broker.hub and broker.hub.idle.waits("naver"))
    assert _heard(broker) == ["naver"]
    rig.wait(lambda: begun, 2)
