"""Asking workers to finish what they have and end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)


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
