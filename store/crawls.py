"""What the crawlers' rows say: the health of ports and sessions, refusals, breakers, pages of the day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Breaker:
    """When a mall is asked no more."""

    blocks: int
    """Refusals within the window that are too many."""
    window_s: float
    hold_s: float
    """The first hold, which doubles."""
    most_s: float
    """The longest."""


def usable_ports_pct(cur: Cursor) -> float | None:
    """Usable proxy ports in percent, of the most exhausted pool; None when there is no proxy."""
    cur.execute(SQL["usable_ports_pct"])
    value: float | None = cur.fetchone()[0]
    return value


def block_sessions(cur: Cursor, hours: int) -> int:
    """Sessions of the last hours that a mall blocked although they stayed within the request budget."""
    cur.execute(SQL["block_sessions"], (hours,))
    return int(cur.fetchone()[0])


def blocked(cur: Cursor, *, job_id: str | None, mall: str, marker: str, ip: str, request_no: int) -> None:
    """A mall refused us: which sign, on which IP, at which request of that IP."""
    values = {"job_id": job_id, "mall": mall, "marker": marker, "ip": ip, "request_no": request_no}
    cur.execute(SQL["blocked"], values)


def trip(cur: Cursor, mall: str, visit: str, breaker: Breaker) -> bool:
    """Stop asking a mall after too many refusals within the window, or after a refused probe; True if that is now."""
    values = {
        "mall": mall,
        "visit": visit,
        "blocks": breaker.blocks,
        "window_s": breaker.window_s,
        "hold_s": breaker.hold_s,
        "most_s": breaker.most_s,
    }
    cur.execute(SQL["trip"], values)
    return bool(cur.rowcount)


def admit(cur: Cursor, mall: str, visit: str, *, probe_s: float) -> float | None:
    """Seconds until a mall that refused too often is asked again; 0 = now, by this visit; None = it is no such mall.

    Args:
        cur: a cursor; one statement.
        mall: which one.
        visit: UUID of who asks; the first after the hold becomes the probe.
        probe_s: how long the probe may take before another may be it.
    """
    cur.execute(SQL["admit"], {"mall": mall, "visit": visit, "probe_s": probe_s})
    row = cur.fetchone()
    return None if row is None else 0.0 if row[1] else max(1.0, float(row[0]))


def mend(cur: Cursor, mall: str, visit: str) -> bool:
    """The mall answered the probe: ask it again; False when this visit was no probe."""
    cur.execute(SQL["mend"], {"mall": mall, "visit": visit})
    return bool(cur.rowcount)


def drop_probe(cur: Cursor, mall: str, visit: str) -> None:
    """The probe ended without a word of the mall's."""
    cur.execute(SQL["drop_probe"], {"mall": mall, "visit": visit})


def count_pages(cur: Cursor, mall: str, n: int, *, cap: int) -> bool:
    """Count pages of a mall's day (Korean time); False when its cap is reached."""
    cur.execute(SQL["count_pages"], {"mall": mall, "n": n, "cap": cap})
    return bool(cur.rowcount)


def forget_days(cur: Cursor) -> None:
    """Delete the counts of days long past."""
    cur.execute(SQL["forget_days"])
