"""What the crawlers' rows say about their health: proxy ports and sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)


def usable_ports_pct(cur: Cursor) -> float | None:
    """Usable proxy ports in percent, of the most exhausted pool; None when there is no proxy."""
    cur.execute(SQL["usable_ports_pct"])
    value: float | None = cur.fetchone()[0]
    return value


def block_sessions(cur: Cursor, hours: int) -> int:
    """Sessions of the last hours that a mall blocked although they stayed within the request budget."""
    cur.execute(SQL["block_sessions"], (hours,))
    return int(cur.fetchone()[0])
