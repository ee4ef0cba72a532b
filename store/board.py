"""What an operator looks at first: the last hour in numbers. Every statement reads an hour, or at most `CAP` rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from store.pool import Cursor

SQL = beside(__file__)
CAP = 10_000
"""What is counted one by one stops here: more than that is "many", and counting on would take seconds."""
SLOTS = 12
"""Five minutes each."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many there are now; those that can be many are cut at CAP + 1."""

    pending: int
    running: int
    dead_jobs: int
    dead_letters: int
    stuck: int
    """Stages that run for far too long on a worker that lives."""
    lost: int
    """Stages whose worker is gone."""


@dataclass(frozen=True, slots=True)
class StageHour:
    """One stage over the last hour."""

    stage: str
    tries: int
    good: int
    """Ended as they should: done, read, nothing there."""
    retried: int
    blocked: int
    failed: int
    p50_ms: float
    p95_ms: float
    last_good: datetime | None
    """When one last ended well, within the hour."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Five minutes of finished searches."""

    ago: int
    """0 is now, 11 began an hour ago."""
    done: int
    dead: int


@dataclass(frozen=True, slots=True)
class Session:
    """A stretch of crawling at one mall from one address."""

    mall: str
    ip: str
    start: datetime
    ended_at: datetime | None
    requests: int
    size_bytes: int
    end_reason: str | None


@dataclass(frozen=True, slots=True)
class Block:
    """Refusals of one mall in the last hour."""

    mall: str
    n: int
    last: datetime
    marker: str
    """The sign of the last one."""


@dataclass(frozen=True, slots=True)
class SpentNow:
    """What today and this hour have cost, Korean time, USD; an open payment counts at its worst case."""

    day_usd: Decimal
    hour_usd: Decimal
    ai_usd: Decimal
    """Of the day."""
    proxy_usd: Decimal
    open_usd: Decimal
    """Of the day, reserved and not settled yet."""


def counts(cur: Cursor, *, stuck_s: float) -> Counts:
    """What waits, runs and is dead."""
    cur.execute(SQL["counts"], {"cap": CAP + 1, "stuck_s": stuck_s})
    return Counts(*cur.fetchone())


def hour(cur: Cursor) -> list[StageHour]:
    """Each stage that ended a try in the last hour."""
    cur.execute(SQL["hour"])
    return [StageHour(*row) for row in cur.fetchall()]


def finished(cur: Cursor) -> list[Slot]:
    """Searches that ended in the last hour, twelve slots, the oldest first."""
    cur.execute(SQL["finished"], (SLOTS,))
    return [Slot(*row) for row in cur.fetchall()]


def blocks(cur: Cursor) -> list[Block]:
    """Malls that refused us in the last hour."""
    cur.execute(SQL["blocks"])
    return [Block(*row) for row in cur.fetchall()]


def spent(cur: Cursor) -> SpentNow:
    """The ledger of today."""
    cur.execute(SQL["spent"])
    return SpentNow(*cur.fetchone())


def sessions(cur: Cursor, limit: int) -> list[Session]:
    """The newest crawl sessions."""
    cur.execute(SQL["sessions"], (limit,))
    return [Session(*row) for row in cur.fetchall()]
