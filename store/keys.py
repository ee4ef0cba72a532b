"""Rows of `api_key`: which program may do what, how often, for how much. Only the sha256 of a key is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from decimal import Decimal

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A key that holds, as a request names it."""

    api_key_id: int
    key_hash: bytes
    name: str
    scopes: list[str]
    daily_quota: int | None
    daily_budget_usd: Decimal | None
    last_used_at: datetime | None
    n: int | None
    """Requests in this minute, this one included; None when the secret is another one."""
    reset_s: float
    """Seconds until the minute is over."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key as people see it."""

    api_key_id: int
    prefix: str
    name: str
    scopes: list[str]
    daily_quota: int | None
    """Searches a day (midnight in Korea); None = as many as it likes."""
    daily_budget_usd: Decimal | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    made_by: str
    used_today: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a new key is to be."""

    name: str
    scopes: Sequence[str]
    daily_quota: int | None = None
    daily_budget_usd: Decimal | None = None
    days: int | None = None
    """Until it expires; None = never."""


def add(cur: Cursor, wanted: Wanted, *, prefix: str, key_hash: bytes, made_by: str) -> int:
    """Store a new key and return its id.

    Raises:
        UniqueViolation: the prefix is taken; make another secret.
    """
    values = {
        "prefix": prefix,
        "hash": key_hash,
        "name": wanted.name,
        "scopes": list(wanted.scopes),
        "daily_quota": wanted.daily_quota,
        "daily_budget_usd": wanted.daily_budget_usd,
        "days": wanted.days,
        "made_by": made_by,
    }
    cur.execute(SQL["add"], values)
    return int(cur.fetchone()[0])


def admit(cur: Cursor, prefix: str, key_hash: bytes) -> Admitted | None:
    """The key of this prefix while it holds; a use of it is counted if the hash is its own."""
    cur.execute(SQL["admit"], {"prefix": prefix, "hash": key_hash})
    row = cur.fetchone()
    return Admitted(row[0], bytes(row[1]), *row[2:]) if row else None


def touch(cur: Cursor, api_key_id: int) -> None:
    """Note that the key was used, at most once a minute."""
    cur.execute(SQL["touch"], (api_key_id,))


def listed(cur: Cursor, *, revoked: bool = False) -> list[Key]:
    """The newest 500 keys, the newest first; those that hold no more only if asked for."""
    cur.execute(SQL["listed"], {"all": revoked})
    return [Key(*row) for row in cur.fetchall()]


def revoke(cur: Cursor, api_key_id: int, *, who: str) -> bool:
    """Take a key away for good; False when there is none, or it was taken away before."""
    cur.execute(SQL["revoke"], (who, api_key_id))
    return bool(cur.rowcount)


def revoke_named(cur: Cursor, name: str, *, who: str) -> int:
    """Take every key of this name away; how many there were."""
    cur.execute(SQL["revoke_named"], (who, name))
    return int(cur.rowcount)


def today(cur: Cursor, api_key_id: int) -> tuple[int, Decimal]:
    """Searches, and dollars spent or reserved, of a key since midnight in Korea."""
    cur.execute(SQL["today"], {"id": api_key_id})
    searches, usd = cur.fetchone()
    return searches, usd
