"""Rows of `idempotency`: a request sent twice under one key is done once, and answered alike for a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store.pool import Json
from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, slots=True)
class Known:
    """A request that came before."""

    request_hash: str
    status: int | None
    answer: dict[str, Any] | None
    """None while it is still being answered."""


def begin(cur: Cursor, key: str, request_hash: str) -> Known | None:
    """None when this is the first request under the key, else the one before."""
    cur.execute(SQL["begin"], (key, request_hash))
    if cur.fetchone():
        return None
    cur.execute(SQL["known"], (key,))
    row = cur.fetchone()
    return Known(*row) if row else Known(request_hash, None, None)


def finish(cur: Cursor, key: str, status: int, answer: dict[str, Any]) -> None:
    """Keep the answer."""
    cur.execute(SQL["finish"], (status, Json(answer), key))


def forget(cur: Cursor, key: str) -> None:
    """The request was refused: the key is free again."""
    cur.execute(SQL["forget"], (key,))


def prune(cur: Cursor) -> None:
    """Delete answers older than a day."""
    cur.execute(SQL["prune"])
