"""Asking workers to finish what they have and end, and listing them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """One worker process."""

    worker_id: str
    host: str
    pid: int
    queues: list[str]
    state: str
    """working, idle, stuck, draining, lost (no sign of life, not stopped in order) or stopped."""
    running: int
    rss_bytes: int
    started_at: datetime
    seen_at: datetime


def workers(cur: Cursor, *, stuck_s: float, lease_s: float) -> list[WorkerRow]:
    """Processes that live, and those gone in the last hour, the latest first."""
    cur.execute(SQL["workers"], {"stuck_s": stuck_s, "lease_s": lease_s})
    return [WorkerRow(*row) for row in cur.fetchall()]


def drain(cur: Cursor, *, who: str, worker: str | None = None, host: str | None = None) -> list[str]:
    """Ask workers to claim nothing more, and to end when they have nothing left. Gives their ids.

    Args:
        cur: of a transaction.
        who: for the record.
        worker: one, by the beginning of its id; `host`: those of one machine; neither: all that live.
        host: see `worker`.
    """
    cur.execute(SQL["drain"], {"who": who, "worker": worker, "host": host})
    return [worker_id for worker_id, _ in cur.fetchall()]
