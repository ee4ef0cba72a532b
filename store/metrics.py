"""Numbers for machines that watch: gauges of now, and counters that neither a restart nor retention sets back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, slots=True)
class Count:
    """How often something happened ever, and the sum of its amounts."""

    name: str
    """attempt (label stage/outcome, s), took (stage/bucket), job (outcome), block (mall), cost (kind, USD), notice."""
    label: str
    n: float
    total: float


@dataclass(frozen=True, slots=True)
class Hour:
    """The same within an hour."""

    hour: datetime
    label: str
    n: int
    total: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Gauges:
    """How things stand now."""

    jobs: dict[int, int]
    queues: dict[str, float]
    """Queue → age of its oldest message that may run, s; a queue without one is not in it."""
    workers: int
    lost: int
    heartbeat_s: float
    usable_ports: int
    resting_ports: int
    alerts: dict[str, int]
    """Rule → 0 ok, 1 pending, 2 unknown, 3 firing."""
    used_usd: dict[str, float]
    """day and hour (Seoul)."""
    notified_at: float
    evaluated_at: float
    """Seconds since 1970; 0 = never."""


def fold(cur: Cursor) -> None:
    """Add up by the hour what has happened since the last time, in the caller's transaction; one process at a time."""
    cur.execute(SQL["begin"])
    cur.execute(SQL["hold"])
    since, upto = cur.fetchone()
    cur.execute(SQL["fold"], {"since": since, "upto": upto})
    cur.execute(SQL["folded"], (upto,))


def shrink(cur: Cursor) -> None:
    """Make one hour of those that are more than a year old."""
    cur.execute(SQL["shrink"])


def counters(cur: Cursor) -> list[Count]:
    """Everything that is counted, since the beginning."""
    cur.execute(SQL["counters"])
    return [Count(*row) for row in cur.fetchall()]


def hours(cur: Cursor, name: str, *, back_h: float = 24) -> list[Hour]:
    """By hour, the oldest first; the last two minutes are not in it yet."""
    cur.execute(SQL["hours"], (name, back_h))
    return [Hour(*row) for row in cur.fetchall()]


def gauges(cur: Cursor, *, lease_s: float) -> Gauges:
    """How things stand; a worker silent for two leases (s) is lost."""
    cur.execute(SQL["jobs"])
    jobs = dict(cur.fetchall())
    cur.execute(SQL["queues"])
    queues = dict(cur.fetchall())
    cur.execute(SQL["workers"], {"lost_s": 2 * lease_s})
    workers, lost, heartbeat_s = cur.fetchone()
    cur.execute(SQL["ports"])
    usable, resting = cur.fetchone()
    cur.execute(SQL["alerts"])
    alerts = dict(cur.fetchall())
    cur.execute(SQL["budgets"])
    used = dict(cur.fetchall())
    cur.execute(SQL["notified"])
    notified, evaluated = cur.fetchone()
    return Gauges(
        jobs=jobs,
        queues=queues,
        workers=workers,
        lost=lost,
        heartbeat_s=heartbeat_s,
        usable_ports=usable,
        resting_ports=resting,
        alerts=alerts,
        used_usd=used,
        notified_at=notified,
        evaluated_at=evaluated,
    )
