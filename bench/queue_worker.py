"""One worker process of any system that `bench.queue` compares; told what to do on stdin, answers in JSON lines.

    python -m bench.queue_worker SYSTEM URL THREADS KIND

It runs under the interpreter that has the system: nothing of LPS is imported for the others.
Prints `ready` when every thread holds its first task, or at once when there is none; on `go` the tasks may end; on
`report` it prints the seconds from each send to its start; on end of input it stops.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

GATE = threading.Event()
STARTS: list[float] = []
QUEUES = ("naver", "coupang", "gmarket", "auction", "st11", "match", "persist", "outbox", "ops")
POOL = 4
"""Connections of a process beside its listener; eight threads need no more."""


def work(sent: float) -> None:
    """The task: it notes when it began, and nothing else."""
    STARTS.append(time.perf_counter() - sent)
    GATE.wait()


def ours(url: str, kind: str) -> Any:
    """LPS's broker; `kind` is plain, idempotent (batched acknowledgements) or effect (a transaction each)."""
    import dramatiq
    import structlog

    from store.pool import Pool
    from tasks.middleware import chain
    from tasks.queue import LpsBroker

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    broker = LpsBroker(pool=Pool(url, size=POOL, application="bench"), middleware=chain())

    def effect(sent: float) -> None:
        work(sent)
        with broker.effect():
            return

    options = {} if kind == "plain" else {"idempotent": True}
    dramatiq.actor(effect if kind == "effect" else work, broker=broker, actor_name="work", queue_name="work", **options)
    for queue in QUEUES if kind == "idle" else ():
        dramatiq.actor(lambda: None, broker=broker, actor_name=queue, queue_name=queue)
    return broker


def middleware() -> list[Any]:
    """Give dramatiq's own list without the one that serves metrics on a port."""
    from dramatiq.middleware import default_middleware

    return [one() for one in default_middleware if one.__name__ != "Prometheus"]


def stock(url: str, _kind: str = "") -> Any:
    """dramatiq-pg as it comes."""
    import dramatiq
    from dramatiq_pg import PostgresBroker

    broker = PostgresBroker(url=url, results=False, middleware=middleware())
    dramatiq.actor(work, broker=broker, actor_name="work", queue_name="work")
    return broker


def redis(url: str, _kind: str = "") -> Any:
    """Give dramatiq on Redis as it comes."""
    import dramatiq
    from dramatiq.brokers.redis import RedisBroker

    broker = RedisBroker(url=url, middleware=middleware())
    dramatiq.actor(work, broker=broker, actor_name="work", queue_name="work")
    return broker


class Bare:
    """A SKIP LOCKED loop without anything: one listener wakes a free thread, which claims one and marks it done."""

    CLAIM = """UPDATE dramatiq.queue SET state = 'consumed', owner = message_id, lease_until = now(), mtime = now()
      WHERE message_id = (SELECT message_id FROM dramatiq.queue WHERE state = 'queued' AND queue_name = 'work'
        AND eta <= now() ORDER BY priority, eta LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING message_id, message"""
    DONE = """UPDATE dramatiq.queue SET state = 'done', owner = NULL, lease_until = NULL, mtime = now()
      WHERE message_id = %s"""

    def __init__(self, url: str, threads: int) -> None:
        self.url = url
        self.heard = threading.Semaphore(threads)
        for target in (self.listen, *[self.serve] * threads):
            threading.Thread(target=target, daemon=True).start()

    def connect(self) -> Any:
        """One connection in autocommit."""
        import psycopg2

        connection = psycopg2.connect(self.url, application_name="bench")
        connection.autocommit = True
        return connection

    def listen(self) -> None:
        """Wake one thread a notification."""
        connection = self.connect()
        connection.cursor().execute("LISTEN lps")
        # The senders are ours: they notify whoever says that it waits.
        connection.cursor().execute("SELECT pg_advisory_lock_shared(hashtextextended('lps waits work', 0))")
        while True:
            select.select([connection], [], [], 1)
            connection.poll()
            for _ in connection.notifies:
                self.heard.release()
            connection.notifies.clear()

    def serve(self) -> None:
        """Claim, run and finish, one at a time, until nothing is left; then wait."""
        cur = self.connect().cursor()
        while self.heard.acquire():
            cur.execute(self.CLAIM)
            while row := cur.fetchone():
                work(*row[1]["args"])
                cur.execute(self.DONE, (row[0],))
                cur.execute(self.CLAIM)


def run_threads(system: str, url: str, threads: int, kind: str) -> None:
    """Every system whose workers are threads."""
    if system == "bare":
        Bare(url, threads)
    else:
        import dramatiq

        brokers: dict[str, Callable[[str, str], Any]] = {"ours": ours, "stock": stock, "redis": redis}
        dramatiq.Worker(brokers[system](url, kind), worker_threads=threads).start()
    wait_for_first(threads)
    obey()


async def run_pgqueuer(url: str, threads: int) -> None:
    """PgQueuer's own event loop; as many tasks at once as the others have threads."""
    import asyncpg  # type: ignore[import-not-found]  # only the peers' interpreter has it
    from pgqueuer import AsyncpgDriver, PgQueuer  # type: ignore[import-not-found]  # likewise

    pgq = PgQueuer(AsyncpgDriver(await asyncpg.connect(url)))
    opened = asyncio.Event()

    @pgq.entrypoint("work")  # type: ignore[untyped-decorator]  # likewise
    async def _work(job: Any) -> None:
        STARTS.append(time.perf_counter() - float(job.payload))
        await opened.wait()

    async def steer() -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, wait_for_first, 1)
        await loop.run_in_executor(None, obey, lambda: loop.call_soon_threadsafe(opened.set))

    running = asyncio.create_task(pgq.run(max_concurrent_tasks=max(threads * 8, 20), batch_size=10))
    await steer()
    running.cancel()


def wait_for_first(threads: int) -> None:
    """Say ready when the threads hold a task each, or after two seconds without one."""
    deadline = time.monotonic() + 2
    while len(STARTS) < threads and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    print("ready", flush=True)


def obey(opened: Any = None) -> None:
    """Read orders until there are no more."""
    for line in sys.stdin:
        if line.strip() == "go":
            STARTS.clear()
            GATE.set()
            if opened:
                opened()
        elif line.strip() == "report":
            print(json.dumps(STARTS), flush=True)
            STARTS.clear()


def main() -> None:
    """Work until standard input ends."""
    system, url, threads, kind = sys.argv[1:]
    if system == "pgqueuer":
        asyncio.run(run_pgqueuer(url, int(threads)))
    else:
        run_threads(system, url, int(threads), kind)
    sys.stdout.flush()
    # What the system still has open is of no interest, and some of them never end by themselves.
    os._exit(0)


if __name__ == "__main__":
    main()
