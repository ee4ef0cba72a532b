"""Rows of `audit`: who did what to which subject, for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from store.pool import Json
from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)


def note(cur: Cursor, who: str, action: str, subject: str, detail: dict[str, Any] | None = None) -> None:
    """Write one down, in the transaction that did it."""
    cur.execute(SQL["note"], (who, action, subject, Json(detail or {})))
