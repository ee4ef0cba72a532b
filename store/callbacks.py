"""Rows of `job_callback`, `outbox` and `outbox_try`: who is to be told what, and every try to tell them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from store.pool import Json
from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)
Kind = Literal["callback", "price"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that is still to be delivered."""

    outbox_id: str
    url: str
    body: dict[str, Any]
    event: str
    signer: str
    kind: Kind
    late: bool
    """Its hours are over."""
    attempts: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message in the delivery log."""

    outbox_id: str
    job_id: str | None
    kind: str
    event: str
    url: str
    attempts: int
    status: int | None
    """HTTP status of the last answer."""
    error: str | None
    created_at: datetime
    sent_at: datetime | None
    failed_at: datetime | None

    @property
    def state(self) -> str:
        """Sent, failed (for good) or waiting."""
        return "sent" if self.sent_at else "failed" if self.failed_at else "waiting"


@dataclass(frozen=True, slots=True)
class Try:
    """One try to deliver."""

    number: int
    at: datetime
    status: int | None
    error: str
    took_ms: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Letter:
    """A message to put into the outbox."""

    outbox_id: str
    url: str
    body: dict[str, Any]
    event: str
    signer: str = ""
    kind: Kind = "callback"
    job_id: str | None = None


def wish(cur: Cursor, job_id: str, url: str, signer: str) -> None:
    """Tell this address when the search ends."""
    cur.execute(SQL["wish"], (job_id, url, signer))


def wished(cur: Cursor, job_id: str) -> list[tuple[str, str]]:
    """(address, signer) of whoever is to be told."""
    cur.execute(SQL["wished"], (job_id,))
    return [(url, signer) for url, signer in cur.fetchall()]


def put(cur: Cursor, letter: Letter, *, hours: float) -> bool:
    """Put a message into the outbox; False when it is there already."""
    values = {
        "id": letter.outbox_id,
        "job_id": letter.job_id,
        "kind": letter.kind,
        "url": letter.url,
        "body": Json(letter.body),
        "event": letter.event,
        "signer": letter.signer,
        "hours": hours,
    }
    cur.execute(SQL["put"], values)
    return bool(cur.rowcount)


def take(cur: Cursor, outbox_id: str) -> Waiting | None:
    """A message that is still to be delivered; None when it was, or was given up."""
    cur.execute(SQL["take"], (outbox_id,))
    row = cur.fetchone()
    return Waiting(*row) if row else None


def tried(
    cur: Cursor, outbox_id: str, *, status: int | None, error: str, took_ms: int, ended: Literal["sent", "failed", ""]
) -> None:
    """One try was made; `ended` says whether it was the last one."""
    values = {"id": outbox_id, "status": status, "error": error, "took_ms": took_ms}
    cur.execute(SQL["tried"], values)
    cur.execute(SQL["note"], values | {"sent": ended == "sent", "failed": ended == "failed"})


def listed(
    cur: Cursor,
    *,
    limit: int,
    before: str | None = None,
    job_id: str | None = None,
    state: str | None = None,
    signer: str | None = None,
) -> list[Delivery]:
    """Deliveries, the newest first; `before` is the id of the last one seen."""
    values = {"limit": limit, "before": before, "job_id": job_id, "state": state, "signer": signer}
    cur.execute(SQL["listed"], values)
    return [Delivery(*row) for row in cur.fetchall()]


def one(cur: Cursor, outbox_id: str, *, signer: str | None = None) -> Delivery | None:
    """One delivery; None when there is none, or it is somebody else's than `signer`'s."""
    cur.execute(SQL["one"], {"id": outbox_id, "signer": signer})
    row = cur.fetchone()
    return Delivery(*row) if row else None


def tries(cur: Cursor, outbox_id: str) -> list[Try]:
    """Every try of one delivery, the first first."""
    cur.execute(SQL["tries"], (outbox_id,))
    return [Try(*row) for row in cur.fetchall()]


def again(cur: Cursor, outbox_id: str, *, hours: float, signer: str | None = None) -> int | None:
    """Open a delivery that ended; gives how many tries were made, None when there is none that ended."""
    cur.execute(SQL["again"], {"id": outbox_id, "hours": hours, "signer": signer})
    row = cur.fetchone()
    return row[0] if row else None
