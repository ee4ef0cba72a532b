"""Alerts in the database: states, silences, what happened, and notices with their deliveries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from store.pool import Json
from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)
_FIELDS = (
    "rule", "labels", "state", "since", "value", "limit", "peak", "text", "clear_since", "unknown_since", "notices",
    "last_notified", "notice", "delivered",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Silence:
    """Notices of a rule held back; labels `*` means whatever it measures apart."""

    id: int
    rule: str
    labels: str
    until: datetime
    reason: str
    who: str


@dataclass(frozen=True, slots=True)
class Clock:
    """The last evaluation of all rules."""

    tick: datetime
    evaluated_at: datetime
    clock_at: datetime | None
    """When the scheduler's own tick was evaluated last; a worker stands in for a clock that stands."""
    rules: int
    unknown: int
    ping_status: int | None
    """What the outside watchdog answered last (HTTP); None without one, 0 when nothing answered."""
    pinged_at: datetime | None
    late_s: float


@dataclass(frozen=True, slots=True)
class Happening:
    """A rule's change of state."""

    at: datetime
    rule: str
    labels: str
    event: str
    value: float
    text: str
    notice: str | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One try to deliver a notice."""

    at: datetime
    notice: str
    outcome: str
    """sent · retry · failed · dropped."""
    status: int | None
    answer: str
    took_ms: int


@dataclass(frozen=True, slots=True)
class Unsent:
    """A notice on its way."""

    body: dict[str, Any]
    age_s: float
    attempts: int
    holds: bool
    """Whether anything it tells of is still so."""


def claim(cur: Cursor, *, by_clock: bool) -> datetime | None:
    """This minute's evaluation, as the time it is; None when another process has it."""
    cur.execute(SQL["claim"], {"clock": by_clock})
    row = cur.fetchone()
    return row[0] if row else None


def evaluated(cur: Cursor, *, rules: int, unknown: int) -> None:
    """Note how many rules were evaluated, and how many could not be measured."""
    cur.execute(SQL["evaluated"], (rules, unknown))


def pinged(cur: Cursor, status: int) -> None:
    """Note what the outside watchdog answered (HTTP, 0 = nothing)."""
    cur.execute(SQL["pinged"], (status,))


def late(cur: Cursor, seconds: float) -> str | None:
    """The minute it is (UTC), if no evaluation has happened for so long although there was one before."""
    cur.execute(SQL["late"], (seconds,))
    row = cur.fetchone()
    return row[0] if row else None


def clock(cur: Cursor) -> Clock | None:
    """The last evaluation; None before the first."""
    cur.execute(SQL["clock"])
    row = cur.fetchone()
    return Clock(*row) if row else None


def states(cur: Cursor) -> list[dict[str, Any]]:
    """Every rule's state by field name, `delivered` with it: whether its first notice has arrived."""
    cur.execute(SQL["states"])
    return [dict(zip(_FIELDS, row, strict=True)) for row in cur.fetchall()]


def save(cur: Cursor, state: dict[str, Any]) -> None:
    """Store one rule's state, a mapping as `states` gives."""
    cur.execute(SQL["save"], state)


def forget(cur: Cursor) -> None:
    """Drop labels that are long gone."""
    cur.execute(SQL["forget"])


def event(cur: Cursor, rule: str, labels: str, event: str, value: float, text: str, notice: str | None) -> None:
    """Write down what happened."""
    cur.execute(SQL["event"], (rule, labels, event, value, text, notice))


def history(cur: Cursor, rule: str | None = None, *, limit: int = 50) -> list[Happening]:
    """The latest happenings first."""
    cur.execute(SQL["history"], {"rule": rule, "limit": limit})
    return [Happening(*row) for row in cur.fetchall()]


def deliveries(cur: Cursor, *, limit: int = 50) -> list[Delivery]:
    """The latest tries to deliver first."""
    cur.execute(SQL["deliveries"], (limit,))
    return [Delivery(*row) for row in cur.fetchall()]


def silences(cur: Cursor) -> list[Silence]:
    """Those in force, the first to end first."""
    cur.execute(SQL["silences"])
    return [Silence(*row) for row in cur.fetchall()]


def silence(cur: Cursor, rule: str, labels: str, *, seconds: float, reason: str, who: str) -> int:
    """Hold a rule's notices back for so long; gives the silence's id."""
    cur.execute(SQL["silence"], (rule, labels, seconds, reason, who))
    return int(cur.fetchone()[0])


def unsilence(cur: Cursor, rule: str) -> int:
    """End a rule's silences; gives how many were in force."""
    cur.execute(SQL["unsilence"], (rule,))
    return int(cur.rowcount)


def notice(cur: Cursor, body: dict[str, Any]) -> str:
    """Put a notice in the outbox; gives its id.

    Args:
        cur: of the transaction that decided on it.
        body: `message` (what is sent) and `holds`, a list of [rule, labels, state] of which one must still be so when
            it is sent; without `holds` it is sent in any case.
    """
    outbox_id = str(uuid4())
    cur.execute(SQL["notice"], (outbox_id, Json(body)))
    return outbox_id


def unsent(cur: Cursor, notice_id: str) -> Unsent | None:
    """A notice that is still to be sent; None when it was, or was given up."""
    cur.execute(SQL["unsent"], (notice_id,))
    row = cur.fetchone()
    return Unsent(*row) if row else None


def tried(cur: Cursor, notice_id: str, *, outcome: str, status: int | None, answer: str, took_ms: int) -> None:
    """Note one try to send it: sent, retry, failed or dropped."""
    values = {"notice": notice_id, "outcome": outcome, "status": status, "answer": answer[:500], "took_ms": took_ms}
    cur.execute(SQL["tried"], values)
    cur.execute(SQL["delivery"], values)


def prune(cur: Cursor, *, days: float) -> int:
    """Delete what is past its days; gives how many rows."""
    cur.execute(SQL["prune"], {"days": days})
    return int(cur.fetchone()[0])
