"""How much is in the queue, and what may leave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    gone = 0
    for state, days in (("done", done_days), ("rejected", dead_days)):
        last = batch
        while last == batch:
            with pool.transaction() as cur:
                cur.execute(SQL["purge"], {"state": state, "days": days, "n": batch})
                last = cur.rowcount
            gone += last
    return gone
