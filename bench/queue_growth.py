"""What a claim costs however much lies in the table, whether the table bloats, and what an idle worker asks."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bench.search import own_database
from store import migrate
from store.pool import Pool
from tasks.queue import LpsBroker, endings
from tasks.queue.consumer import claim
from tasks.queue.delivery import read

if TYPE_CHECKING:
    from bench.queue_systems import System
    from tasks.queue import Delivery


@dataclass
class Size:
    """How much is measured."""

    million: int = 1_000_000
    delayed: int = 200_000
    cycles: int = 200_000
    rounds: int = 7
    claims: int = 200
    idle_s: float = 20


QUICK = Size(50_000, 20_000, 20_000, 3, 60, 6)
_ROWS = """INSERT INTO dramatiq.queue (message_id, queue_name, state, message, eta)
  SELECT id, 'work', %s, jsonb_build_object('queue_name', 'work', 'actor_name', 'work', 'args', jsonb_build_array(id),
    'kwargs', '{}'::jsonb, 'options', '{}'::jsonb, 'message_id', id, 'message_timestamp', 1,
    'filler', repeat('x', 200)), lps.now() + %s * interval '1 second'
  FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, %s)) AS new"""


class Table:
    """One database with a queue that holds so much already."""

    def __init__(self, url: str) -> None:
        self.pool = Pool(url, size=2)
        migrate.run(self.pool, "sandbox")
        self.broker = LpsBroker(pool=self.pool)
        self.owner = uuid4()

    def add(self, n: int, state: str = "queued", delay_s: float = 0) -> None:
        """Put n rows into it."""
        with self.pool.transaction() as cur:
            cur.execute("SET LOCAL statement_timeout = 0")
            cur.execute(_ROWS, (state, delay_s, n))

    def vacuum(self) -> None:
        """Free what is dead, and let the planner know."""
        with self.pool.autocommit() as cur:
            cur.execute("SET statement_timeout = 0")
            cur.execute("VACUUM ANALYZE dramatiq.queue")

    def claim(self, n: int = 1) -> list[Delivery]:
        """As the consumer does."""
        with self.pool.autocommit() as cur:
            claim(cur, "work", n, self.owner, 30)
            return [read("work", row[1:])[0] for row in cur.fetchall() if row[1] is not None]

    def finish(self, claimed: list[Delivery]) -> None:
        """Mark them done."""
        with self.pool.transaction() as cur:
            for delivery in claimed:
                assert endings.finish(cur, delivery)

    def size_mb(self) -> float:
        """Table and indexes."""
        with self.pool.transaction() as cur:
            cur.execute("SELECT pg_total_relation_size('dramatiq.queue')")
            return float(cur.fetchone()[0]) / 1e6

    def close(self) -> None:
        """Free its connections."""
        self.pool.close()


def claim_times(table: Table, n: int, *, add: bool) -> list[float]:
    """Milliseconds of n claims of one message each."""
    times = []
    for _ in range(n):
        if add:
            table.add(1)
        started = time.perf_counter()
        claimed = table.claim()
        times.append((time.perf_counter() - started) * 1000)
        table.finish(claimed)
    return sorted(times)


def tables(stack: ExitStack, server: str, size: Size) -> dict[str, Table]:
    """A table with nothing beside its one row, and three that hold a lot."""
    made = {}
    for name in ("one row", "finished", "queued", "delayed"):
        made[name] = Table(stack.enter_context(own_database(server)))
        stack.callback(made[name].close)
    made["finished"].add(size.million, "done")
    made["queued"].add(size.million)
    made["delayed"].add(size.delayed, delay_s=86_400)
    for table in made.values():
        table.vacuum()
    return made


def claims(server: str, size: Size) -> dict[str, dict[str, float]]:
    """p50 and p99 of a claim in each table, the tables alternating."""
    found: dict[str, list[list[float]]] = {}
    with ExitStack() as stack:
        made = tables(stack, server, size)
        for number in range(size.rounds + 1):
            for name, table in made.items():
                times = claim_times(table, size.claims, add=name != "queued")
                if number:
                    found.setdefault(name, []).append(times)
    return {f"claim, {name}": _percentiles(rounds) for name, rounds in found.items()}


def _percentiles(rounds: list[list[float]]) -> dict[str, float]:
    middle = len(rounds) // 2
    return {
        "p50 ms": sorted(times[len(times) // 2] for times in rounds)[middle],
        "p99 ms": sorted(times[len(times) * 99 // 100] for times in rounds)[middle],
    }


def bloat(server: str, size: Size) -> dict[str, float]:
    """Table size as messages come and go; finished ones are purged on the way.

    A vacuum every 10,000 stands for autovacuum, which looks once a minute whether 1,000 rows have changed: 10,000 a
    minute are far more than searches ever make.
    """
    step, sizes = 500, {}
    with ExitStack() as stack:
        table = Table(stack.enter_context(own_database(server)))
        stack.callback(table.close)
        for done in range(0, size.cycles, step):
            table.add(step)
            while claimed := table.claim(50):
                table.finish(claimed)
            table.broker.purge(done_days=0, dead_days=90)
            if done % 10_000 == 0:
                table.vacuum()
            for share in (4, 1):
                if done + step == size.cycles // share:
                    sizes[f"MB at 1/{share}" if share > 1 else "MB at end"] = table.size_mb()
    return sizes


def idle(system: System, size: Size) -> float:
    """Transactions a second of one worker process with every queue and nothing to do."""
    system.clear()
    counted = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
    pool = Pool(system.url, size=1)
    with system.workers(1, 8, "idle"):

        def count() -> int:
            with pool.autocommit() as cur:
                cur.execute(counted)
                return int(cur.fetchone()[0])

        Event().wait(3)
        before = count()
        Event().wait(size.idle_s)
        # The second look is one of them.
        asked = count() - before - 1
    pool.close()
    return asked / size.idle_s


def measure(server: str, size: Size, ours: System) -> dict[str, Any]:
    """All of it: rows for the table, and the goals as (name, reached, wanted, unit)."""
    rows: dict[str, dict[str, float]] = {"idle worker": {"queries/s": idle(ours, size)}}
    rows |= claims(server, size)
    rows[f"table after {size.cycles} cycles"] = sizes = bloat(server, size)
    base = rows["claim, one row"]["p99 ms"]
    wanted = [
        (f"claim p99, {name} / one row", rows[f"claim, {name}"]["p99 ms"] / base, 1.5, "×")
        for name in ("finished", "queued", "delayed")
    ]
    growth = sizes["MB at end"] / sizes["MB at 1/4"]
    wanted += [("table at the end / at a quarter", growth, 1.2, "×")]
    wanted += [("idle, queries/s a process", rows["idle worker"]["queries/s"], 2, "")]
    return {"rows": rows, "goals": wanted}
