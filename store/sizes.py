"""How large each table is, and what leaves it in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor, Pool

SQL = beside(__file__)
BATCH = 500
"""Searches a transaction."""


@dataclass(frozen=True, slots=True)
class Size:
    """One table with its indexes."""

    table: str
    size_bytes: int
    rows: int
    """As the server estimates them."""


def sizes(cur: Cursor) -> list[Size]:
    """The largest first."""
    cur.execute(SQL["sizes"])
    return [Size(*row) for row in cur.fetchall()]


def forget_jobs(pool: Pool, *, days: float) -> int:
    """Delete searches that ended so long ago, a batch a transaction; price history stays. Gives how many."""
    gone = 0
    while True:
        with pool.transaction() as cur:
            cur.execute(SQL["jobs"], {"days": days, "most": BATCH})
            gone += int(cur.rowcount)
            if cur.rowcount < BATCH:
                return gone


def forget(cur: Cursor, *, crawl_days: float, money_days: float, audit_days: float) -> int:
    """Delete what is past its days: refusals and crawl sessions, payments and decisions, callbacks and the audit."""
    gone: int = 0
    for statement, days in (
        (SQL["blocks"], crawl_days),
        (SQL["sessions"], crawl_days),
        (SQL["spend"], money_days),
        (SQL["decisions"], money_days),
        (SQL["letters"], crawl_days),
        (SQL["audit"], audit_days),
        (SQL["negatives"], 0),
    ):
        cur.execute(statement, {"days": days})
        gone += int(cur.rowcount)
    return gone
