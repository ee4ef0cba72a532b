"""How much is in the queue, and what may leave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor, Pool

SQL = beside(__file__)


@dataclass(frozen=True, slots=True)
class QueueStats:
    """One queue now."""

    name: str
    ready: int
    """Due and waiting."""
    delayed: int
    running: int
    dead: int
    oldest_s: float
    """How long the oldest due message has waited, seconds."""


def stats(cur: Cursor) -> list[QueueStats]:
    """Every queue that holds anything but finished messages, by name."""
    cur.execute(SQL["stats"])
    return [QueueStats(*row) for row in cur.fetchall()]


def purge(pool: Pool, *, done_days: float, dead_days: float, batch: int = 1000) -> int:
    """Delete finished rows past their time, `batch` a transaction so that nothing else waits. Returns how many."""
    return sum(
        _in_batches(pool, SQL["purge"], {"state": state, "days": days, "n": batch})
        for state, days in (("done", done_days), ("rejected", dead_days))
    )


def forget(pool: Pool, *, attempt_days: float, worker_days: float, batch: int = 1000) -> tuple[int, int]:
    """Delete tries and worker processes past their time, in batches too. Returns how many of each."""
    attempts = _in_batches(pool, SQL["forget_attempts"], {"days": attempt_days, "n": batch})
    return attempts, _in_batches(pool, SQL["forget_workers"], {"days": worker_days, "n": batch})


def _in_batches(pool: Pool, statement: str, values: dict[str, Any]) -> int:
    gone, last = 0, values["n"]
    while last == values["n"]:
        with pool.transaction() as cur:
            cur.execute(statement, values)
            last = cur.rowcount
        gone += last
    return gone
