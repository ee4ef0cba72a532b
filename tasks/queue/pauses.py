"""Pausing a queue, which is also a mall: the claim statement itself looks, so it holds at once and everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, slots=True)
class Pause:
    """One paused queue."""

    name: str
    reason: str
    who: str
    since: datetime


def pause(cur: Cursor, name: str, *, reason: str, who: str) -> None:
    """Claim nothing of this queue any more; what runs goes on."""
    cur.execute(SQL["pause"], {"name": name, "reason": reason, "who": who})


def resume(cur: Cursor, name: str, *, who: str) -> bool:
    """Claim it again. False if it was not paused."""
    cur.execute(SQL["resume"], {"name": name, "who": who})
    return bool(cur.rowcount)


def paused(cur: Cursor) -> list[Pause]:
    """What is paused, oldest first."""
    cur.execute(SQL["paused"])
    return [Pause(*row) for row in cur.fetchall()]
