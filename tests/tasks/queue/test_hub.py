"""The heart of a worker process: notifications, leases, the reaper, the worker's row, a database that goes away."""

from __future__ import annotations

import os
import resource
import threading
import time
from typing import TYPE_CHECKING
from uuid import uuid4

import dramatiq

from tasks.queue import current_message

if TYPE_CHECKING:
    from tasks.queue import Delivery, LpsBroker
    from tests.tasks.queue.conftest import Rig


def _actor(broker: LpsBroker, gate: threading.Event | None = None) -> list[Delivery]:
    begun: list[Delivery] = []

    @dramatiq.actor(broker=broker, queue_name="naver", actor_name="naver")
    def stage(_job: str) -> None:
        begun.append(current_message())
        if gate:
            gate.wait(10)

    return begun


def _send(broker: LpsBroker) -> None:
    broker.enqueue(broker.message("naver", job=uuid4()))


def test_a_lost_listener_is_replaced_and_nothing_waits_for_the_poll(rig: Rig) -> None:
    """The LISTEN connection is cut on the server: the next message still starts in under two seconds."""
    broker = rig.broker(poll_s=60)
    begun = _actor(broker)
    rig.work(broker)
    rig.wait(lambda: broker.hub and broker.hub.listening)
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lps queue test listen'"
    assert rig.db.rows(cut)
    _send(broker)
    rig.wait(lambda: begun, 2)


def test_work_longer_than_its_lease_is_not_taken_away(rig: Rig) -> None:
    """The hub renews what is in work; a reaper elsewhere finds nothing."""
    gate = threading.Event()
    broker = rig.broker(lease_s=0.6)
    begun = _actor(broker, gate)
    rig.work(broker)
    _send(broker)
    rig.wait(lambda: begun)
    until = time.monotonic() + 1.5
    rig.wait(lambda: time.monotonic() > until)
    assert rig.broker().reap().queued == 0
    gate.set()
    rig.wait(lambda: rig.states() == ["done"])
    assert begun[0].attempt == len(begun) == 1


def test_an_overtaken_try_is_told(rig: Rig) -> None:
    """The next heartbeat finds the lease gone and says so to the running work, which can stop by itself."""
    gate = threading.Event()
    broker = rig.broker(lease_s=0.6)
    begun = _actor(broker, gate)
    rig.work(broker)
    _send(broker)
    rig.wait(lambda: begun)
    rig.db.rows("UPDATE dramatiq.queue SET fence = fence + 1")
    assert begun[0].lost.wait(2)
    gate.set()


def test_the_reaper_brings_back_the_dead_row_by_row(rig: Rig) -> None:
    """Expired leases are queued again or, tries used up, rejected; one that cannot be buried stops no other."""

    def on_dead(cur: object, dead: object) -> None:
        raise KeyError

    broker = rig.broker(on_dead=on_dead)
    rig.db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, owner, lease_until, attempts)"
        " SELECT gen_random_uuid(), 'naver', 'consumed', gen_random_uuid(), lps.now() - interval '1 s', n"
        " FROM unnest(ARRAY[1, 5, 2]) n"
    )
    reaped = broker.reap()
    assert (reaped.queued, reaped.dead, reaped.failed) == (2, 0, 1)
    broker.on_dead = None
    assert broker.reap() == type(reaped)()
    rig.db.rows("UPDATE dramatiq.queue SET lease_until = lps.now() - interval '1 s' WHERE state = 'consumed'")
    assert broker.reap().dead == 1
    assert sorted(str(row[0]) for row in rig.db.rows("SELECT outcome FROM attempt")) == ["dead", "lost", "lost"]


def test_only_one_reaper_works_at_a_time(rig: Rig) -> None:
    """A second one has nothing to do and does not wait."""
    broker = rig.broker()
    with rig.db.pool.transaction() as cur:
        cur.execute("SELECT pg_advisory_xact_lock(hashtextextended('lps reap', 0))")
        began = time.monotonic()
        assert broker.reap().queued == 0
        assert time.monotonic() - began < 0.5


def test_the_database_may_go_away_between_failure_and_retry(rig: Rig) -> None:
    """The retry is written as soon as it is back: nothing is acknowledged, nothing is lost."""
    line = rig.line()
    broker = rig.broker(url=line.url, min_backoff_s=0.05)
    tries: list[int] = []

    @dramatiq.actor(broker=broker, queue_name="naver", actor_name="naver")
    def stage(_job: str) -> None:
        tries.append(current_message().attempt)
        if len(tries) == 1:
            line.cut()
            raise ConnectionResetError

    rig.work(broker)
    _send(broker)
    rig.wait(lambda: tries)
    away = time.monotonic() + 0.5
    rig.wait(lambda: time.monotonic() > away)
    assert rig.states() == ["consumed"]
    line.mend()
    rig.wait(lambda: rig.states() == ["done"], 5)
    assert tries == [1, 2]
    assert [row[0] for row in rig.db.rows("SELECT outcome FROM attempt ORDER BY attempt_id")] == ["retry", "done"]


def test_every_process_has_its_row_and_says_goodbye(rig: Rig) -> None:
    """Who works on what, since when, with how much memory; stopped_at at the end."""
    gate = threading.Event()
    broker = rig.broker(lease_s=0.6)
    _actor(broker, gate)
    worker = rig.work(broker)
    _send(broker)
    running = "SELECT running->0->>'stage', queues, rss_bytes > 0, stopped_at IS NULL FROM worker"
    rig.wait(lambda: rig.db.rows(running) == [("naver", ["naver"], True, True)])
    gate.set()
    worker.stop()
    assert rig.db.rows("SELECT running, stopped_at IS NOT NULL FROM worker") == [([], True)]


def test_a_stopped_worker_leaves_no_thread_and_no_connection(rig: Rig) -> None:
    """Start and stop as often as you like."""
    before = {thread.name for thread in threading.enumerate()}
    broker = rig.broker()
    _actor(broker)
    for _ in range(5):
        worker = rig.work(broker)
        rig.wait(lambda: broker.hub and broker.hub.listening)
        worker.stop()
    broker.pool.close()
    assert {thread.name for thread in threading.enumerate()} <= before
    mine = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'lps queue test%%'"
    rig.wait(lambda: rig.db.rows(mine) == [(0,)], 2)


def test_file_descriptors_above_1023_break_nothing(rig: Rig) -> None:
    """A worker with many browsers has many of them; `select` would fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    many = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        broker = rig.broker()
        begun = _actor(broker)
        rig.work(broker)
        rig.wait(lambda: broker.hub and broker.hub.idle.waits("naver"))
        assert broker.hub
        assert broker.hub._poke_read > 1023
        _send(broker)
        rig.wait(lambda: begun)
        broker.close()
    finally:
        for descriptor in many:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
