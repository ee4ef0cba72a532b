"""Faults that stock queues on PostgreSQL have, tried on ours; docs/known-failures.md lists them all."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dramatiq
import psutil
import pytest

import embedded
from store import migrate
from store.pool import Pool
from tasks.middleware import chain
from tasks.queue import LeaseLost, LpsBroker, current_message

if TYPE_CHECKING:
    from tests.tasks.queue.conftest import Rig

IDLE = """
@dramatiq.actor(queue_name="naver", actor_name="naver")
def naver(job):
    pass
"""
ROOT = Path(__file__).parents[3]


def _counting(broker: LpsBroker, work_s: float = 0) -> list[str]:
    """An actor that notes its message and then does its work in an effect."""
    effects: list[str] = []

    @dramatiq.actor(broker=broker, queue_name="naver", actor_name="naver")
    def stage(_job: str, *_more: str) -> None:
        threading.Event().wait(work_s)
        with broker.effect() as cur:
            cur.execute("INSERT INTO audit (who, action, subject) VALUES ('', 'effect', %s)", (_id(),))
        effects.append(_id())

    return effects


def _id() -> str:
    return current_message().message_id


def _fill(broker: LpsBroker, n: int, *more: str) -> None:
    with broker.pool.transaction() as cur:
        broker.enqueue_in(cur, *[broker.message("naver", str(uuid4()), *more, job=uuid4()) for _ in range(n)])


@pytest.mark.parametrize("size", [20_000, 2_000_000])
def test_a_large_argument_arrives_whole(rig: Rig, size: int) -> None:
    """Notifications carry the queue's name alone: the 8,000 bytes they may have are no limit for a message."""
    broker = rig.broker()
    got: list[int] = []

    @dramatiq.actor(broker=broker, queue_name="naver", actor_name="naver")
    def stage(text: str) -> None:
        got.append(len(text))

    rig.work(broker)
    stage.send("가" * size)
    rig.wait(lambda: rig.states() == ["done"])
    assert got == [size]


def test_one_try_handed_to_two_threads_has_one_effect(rig: Rig) -> None:
    """Delivered twice under the same fence: the second effect finds the message ended and writes nothing."""
    broker = rig.broker()
    effects: list[str] = []

    @dramatiq.actor(broker=broker, queue_name="naver", actor_name="naver")
    def stage(_job: str) -> None:
        delivery: Any = current_message()

        def again() -> None:
            try:
                with broker.effect(delivery):
                    effects.append(delivery.message_id)
            except LeaseLost:
                effects.append("lost")

        threads = [threading.Thread(target=again) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    rig.work(broker)
    _fill(broker, 1)
    rig.wait(lambda: len(effects) == 4)
    assert sorted(len(effect) for effect in effects) == [4, 4, 4, 36]
    assert rig.db.rows("SELECT count(*) FROM attempt") == [(1,)]


def test_a_backlog_costs_a_starting_worker_nothing(rig: Rig) -> None:
    """50,000 wait as it starts: it begins at once, holds no more than it has threads, takes no lock for the rest."""
    broker = rig.broker()
    gate, begun = threading.Event(), threading.Semaphore(0)

    @dramatiq.actor(broker=broker, queue_name="naver", actor_name="naver")
    def stage(_job: str) -> None:
        begun.release()
        gate.wait(10)

    text = broker.message("naver", job=uuid4()).encode().decode()
    rig.db.rows("INSERT INTO dramatiq.queue (message_id, queue_name, state, message) SELECT gen_random_uuid(), 'naver',"
                " 'queued', %s FROM generate_series(1, 50000)", text)  # fmt: skip
    before, began = psutil.Process().memory_info().rss, time.monotonic()
    rig.work(broker)
    assert begun.acquire(timeout=5)
    assert time.monotonic() - began < 2
    assert rig.db.rows("SELECT count(*) FROM dramatiq.queue WHERE state = 'consumed'")[0][0] in range(1, 5)
    assert rig.db.rows("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") <= [(9,)]
    assert psutil.Process().memory_info().rss - before < 50e6
    broker.flush("naver")
    gate.set()


def test_every_clock_is_the_databases() -> None:
    """Workers whose clocks differ cannot disagree: leases, etas and deadlines are compared by lps.now() alone."""
    other = re.compile(r"(?<!lps\.)\bnow\(\)|clock_timestamp|current_timestamp|localtimestamp", re.IGNORECASE)
    for path in [*(ROOT / "tasks/queue").glob("*.sql"), *(ROOT / "store").glob("*.sql")]:
        if path.name != "migrate.sql":  # runs before there is an lps.now()
            assert not other.search(path.read_text(encoding="utf-8")), path.name
    for path in (ROOT / "tasks/queue").glob("*.py"):
        if path.name != "registry.py":  # the age of a file on this machine
            assert not re.search(r"time\.time\(|datetime\.now", path.read_text(encoding="utf-8")), path.name


def test_a_bad_wakeup_is_only_a_hint(rig: Rig) -> None:
    """Words from elsewhere on our channel, of any kind, change nothing and break nothing."""
    broker = rig.broker()
    effects = _counting(broker)
    rig.work(broker)
    rig.wait(lambda: broker.hub and broker.hub.listening)
    for payload in ("", "nothing", "cancel", "cancel x", "drain me", "가 나 다", "cancel " + str(uuid4())):
        rig.db.rows("SELECT pg_notify('lps', %s)", payload)
    _fill(broker, 3)
    rig.wait(lambda: len(effects) == 3)


def test_a_listener_holds_no_snapshot(rig: Rig) -> None:
    """Vacuum is not held up by a process that listens, even one that stands still."""
    broker = rig.broker()
    _counting(broker)
    rig.work(broker)
    rig.wait(lambda: broker.hub and broker.hub.listening)
    _fill(broker, 3)
    rig.wait(lambda: rig.states() == ["done"] * 3)
    held = "SELECT state, backend_xmin FROM pg_stat_activity WHERE application_name = 'lps queue test listen'"
    rig.wait(lambda: rig.db.rows(held) == [("idle", None)])


@pytest.mark.chaos
def test_an_idle_worker_costs_next_to_nothing(rig: Rig) -> None:
    """Under 2 % of a core over ten seconds, and few statements: nothing polls in a circle."""
    master = rig.process(IDLE, "-p", "1", "-t", "8")
    rig.wait(lambda: rig.db.rows("SELECT count(*) FROM worker") == [(1,)])
    threading.Event().wait(3)
    family = [master, *master.children(recursive=True)]

    def spent() -> float:
        return sum(sum(process.cpu_times()[:2]) for process in family)

    before = spent()
    threading.Event().wait(10)
    assert spent() - before < 0.2


@pytest.mark.chaos
def test_a_restart_of_the_database_runs_nothing_twice() -> None:
    """`pg_ctl restart -m immediate` in the middle of eight stages, twice: one effect each, and work goes on at once."""
    from tests.chaos.faults import restart

    with embedded.Cluster(embedded.test_home()) as cluster:
        pool = Pool(cluster.url(), size=8, timeout_s=2, application="lps restart")
        migrate.run(pool, "sandbox")
        broker = LpsBroker(pool=pool, lease_s=3, min_backoff_s=0.2, middleware=chain())
        effects = _counting(broker, work_s=1)
        worker = dramatiq.Worker(broker, worker_threads=8, worker_timeout=100)
        worker.start()
        for _ in range(2):
            _fill(broker, 8)
            threading.Event().wait(0.5)
            restart(cluster)
        _until(lambda: len(set(effects)) == 16, 30)
        began = time.monotonic()
        _fill(broker, 1)
        _until(lambda: len(set(effects)) == 17, 5)
        assert time.monotonic() - began < 2.5
        with pool.transaction() as cur:
            cur.execute("SELECT count(*), count(DISTINCT subject) FROM audit WHERE action = 'effect'")
            assert cur.fetchone() == (17, 17)
        worker.stop()
        pool.close()
    embedded.remove(cluster.home)


@pytest.mark.chaos
def test_a_database_that_is_gone_for_half_a_minute_loses_nothing(rig: Rig) -> None:
    """Every lease runs out meanwhile; when it is back, everything is done, once, and sending works again."""
    line = rig.line()
    broker = rig.broker(url=line.url, lease_s=5.0, min_backoff_s=0.1)
    _counting(broker, work_s=0.5)
    rig.work(broker, threads=4)
    _fill(rig.broker(), 12)
    rig.wait(lambda: "consumed" in rig.states())
    line.cut()
    threading.Event().wait(30)
    line.mend()
    rig.wait(lambda: rig.states() == ["done"] * 12, 20)
    assert rig.db.rows("SELECT count(*), count(DISTINCT subject) FROM audit WHERE action = 'effect'") == [(12, 12)]


@pytest.mark.chaos
def test_five_hundred_starts_and_stops_leak_nothing(rig: Rig) -> None:
    """Threads, file descriptors and connections are as many as before."""
    broker = rig.broker()
    _counting(broker)
    process = psutil.Process()

    def cycle() -> None:
        consumer: Any = broker.consume("naver", timeout=10)
        next(consumer)
        consumer.close()
        broker.close()

    for _ in range(5):
        cycle()
    before = threading.active_count(), process.num_fds()
    for _ in range(500):
        cycle()
    assert (threading.active_count(), process.num_fds()) == before
    mine = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lps queue test listen'"
    rig.wait(lambda: rig.db.rows(mine) == [(0,)], 5)


def _until(true: Any, seconds: float) -> None:
    end, tick = time.monotonic() + seconds, threading.Event()
    while not true():
        assert time.monotonic() < end
        tick.wait(0.02)
