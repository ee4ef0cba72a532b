"""Rows of `account`, `session` and `login_link`: who may sign in, and which browsers have.

Only hashes are stored: of a password scrypt's, of a session's token and a link's secret sha256 (both are random).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)
Role = Literal["viewer", "buyer", "operator", "admin"]


@dataclass(frozen=True, slots=True)
class Account:
    """One row of `account`."""

    account_id: int
    name: str
    role: Role
    password_hash: str
    """Empty: only a login link signs this person in."""
    failures: int
    locked_until: datetime | None
    last_login_at: datetime | None
    disabled_at: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that has signed in."""

    account_id: int
    name: str
    role: Role
    csrf: str
    left_s: float
    """Seconds until it ends."""


def add(cur: Cursor, name: str, role: Role, password_hash: str = "") -> int | None:
    """A new account and its id; None when the name is taken."""
    cur.execute(SQL["add"], {"name": name, "role": role, "hash": password_hash})
    row = cur.fetchone()
    return row[0] if row else None


def one(cur: Cursor, name: str) -> Account | None:
    """The account of this name."""
    cur.execute(SQL["one"], (name,))
    row = cur.fetchone()
    return Account(*row) if row else None


def listed(cur: Cursor) -> list[Account]:
    """Every account, the oldest first."""
    cur.execute(SQL["listed"])
    return [Account(*row) for row in cur.fetchall()]


def set_role(cur: Cursor, name: str, role: Role) -> bool:
    """Give an account another role; False when there is none of that name."""
    cur.execute(SQL["set_role"], (role, name))
    return bool(cur.rowcount)


def set_password(cur: Cursor, account_id: int, password_hash: str) -> None:
    """Give an account a new password; the lock is lifted."""
    cur.execute(SQL["set_password"], (password_hash, account_id))


def set_disabled(cur: Cursor, name: str, *, disabled: bool) -> bool:
    """Keep an account out, or let it in again; False when there is none of that name."""
    cur.execute(SQL["set_disabled"], (disabled, name))
    return bool(cur.rowcount)


def fail(cur: Cursor, account_id: int, *, limit: int, lock_s: float) -> None:
    """Count a wrong password; from `limit` on in a row the account is locked, each time twice as long."""
    cur.execute(SQL["fail"], {"account_id": account_id, "limit": limit, "lock_s": lock_s})


def is_locked(cur: Cursor, account_id: int) -> bool:
    """Whether wrong passwords have locked the account for now."""
    cur.execute(SQL["locked"], (account_id,))
    row = cur.fetchone()
    return bool(row and row[0])


def welcome(cur: Cursor, account_id: int) -> None:
    """The person has signed in."""
    cur.execute(SQL["welcome"], (account_id,))


def open_session(cur: Cursor, token_hash: bytes, account_id: int, csrf: str, seconds: float) -> None:
    """A browser is signed in for so long."""
    cur.execute(SQL["open_session"], (token_hash, account_id, csrf, seconds))


def session(cur: Cursor, token_hash: bytes) -> Session | None:
    """Who is signed in with the token of this hash; None when it holds no more."""
    cur.execute(SQL["session"], (token_hash,))
    row = cur.fetchone()
    return Session(*row) if row else None


def prolong(cur: Cursor, token_hash: bytes, seconds: float) -> None:
    """The session ends so much from now."""
    cur.execute(SQL["prolong"], (seconds, token_hash))


def close_session(cur: Cursor, token_hash: bytes) -> None:
    """Sign one browser out."""
    cur.execute(SQL["close_session"], (token_hash,))


def close_sessions(cur: Cursor, account_id: int, but: bytes | None = None) -> None:
    """Sign a person out everywhere, except in the browser whose token has the hash `but`."""
    cur.execute(SQL["close_sessions"], (account_id, but))


def add_link(cur: Cursor, link_hash: bytes, account_id: int, *, made_by: str, seconds: float) -> None:
    """A link that signs one person in, once, for so long; those made before hold no more."""
    cur.execute(SQL["close_links"], (account_id,))
    cur.execute(SQL["add_link"], (link_hash, account_id, made_by, seconds))


def use_link(cur: Cursor, link_hash: bytes) -> int | None:
    """Use a link up: the id of its account; None when it holds no more."""
    cur.execute(SQL["use_link"], (link_hash,))
    row = cur.fetchone()
    return row[0] if row else None


def prune(cur: Cursor) -> None:
    """Delete sessions and links that are over."""
    cur.execute(SQL["prune_sessions"])
    cur.execute(SQL["prune_links"])
