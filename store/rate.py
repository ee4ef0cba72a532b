"""Rows of `rate`: how often something happened in a fixed window. The table is UNLOGGED: a crash empties it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)


def hit(cur: Cursor, key: str, window_s: int = 60) -> tuple[int, float]:
    """Count one: (how many in this window, this one included; seconds until the window is over)."""
    cur.execute(SQL["hit"], {"key": key, "window_s": window_s})
    n, reset_s = cur.fetchone()
    return n, reset_s


def prune(cur: Cursor) -> None:
    """Delete windows that are over."""
    cur.execute(SQL["prune"])
