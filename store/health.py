"""Rows of `page_health` and `mall_drift`: how well the malls' pages read, hour by hour, and which changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)
KEPT_DAYS = 30
"""Hours older than this are of no use: the mean is over a week."""
Tally = tuple[int, float]
"""(cards, of which had the field)."""


@dataclass(frozen=True, slots=True)
class Drifting:
    """A mall whose pages changed."""

    mall: str
    sign: str
    """What changed: a field, or the outcome that came instead of offers."""
    text: str
    value: float
    usual: float
    paused: bool
    since: datetime
    seen_at: datetime


def record(cur: Cursor, mall: str, fields: Mapping[str, Tally]) -> None:
    """Add one page to this hour: field → (cards, of which had it)."""
    if not fields:
        return
    cur.execute(
        SQL["record"],
        {
            "mall": mall,
            "fields": list(fields),
            "cards": [cards for cards, _ in fields.values()],
            "had": [having for _, having in fields.values()],
        },
    )


def between(cur: Cursor, mall: str, from_h: int, to_h: int) -> dict[str, Tally]:
    """The sums from `from_h` hours ago until `to_h` hours ago, whole hours; -1 is the end of this hour."""
    cur.execute(SQL["between"], {"mall": mall, "from_h": from_h, "to_h": to_h})
    return {field: (cards, having) for field, cards, having in cur.fetchall()}


def drifted(
    cur: Cursor, mall: str, sign: str, text: str, *, value: float = 0, usual: float = 0, paused: bool = False
) -> bool:
    """A mall's pages changed: open from now on, until `recovered`. True if that is news."""
    cur.execute(
        SQL["drifted"],
        {"mall": mall, "sign": sign, "text": text[:500], "value": value, "usual": usual, "paused": paused},
    )
    return bool(cur.fetchone()[0])


def recovered(cur: Cursor, mall: str) -> list[str]:
    """A mall's pages read again; the signs that were open."""
    cur.execute(SQL["recovered"], (mall,))
    return [sign for (sign,) in cur.fetchall()]


def drifting(cur: Cursor) -> list[Drifting]:
    """Malls whose pages changed, the longest first: what the rule `drift` reads."""
    cur.execute(SQL["drifting"])
    return [Drifting(*row) for row in cur.fetchall()]


def hold(cur: Cursor, mall: str, *, reason: str, who: str) -> bool:
    """Hold a mall back; False when someone does already, whose pause stays as it is."""
    cur.execute(SQL["hold"], {"mall": mall, "reason": reason, "who": who})
    return bool(cur.rowcount)


def release(cur: Cursor, mall: str, *, who: str) -> bool:
    """Ask a mall again that `who` held back; False when it is not held back, or by someone else."""
    cur.execute(SQL["release"], {"mall": mall, "who": who})
    return bool(cur.rowcount)


def forget(cur: Cursor, days: int = KEPT_DAYS) -> int:
    """Delete hours and ended troubles older than so many days; how many."""
    cur.execute(SQL["forget"], {"days": days})
    return int(cur.fetchone()[0])
