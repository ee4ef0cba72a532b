"""Rows of `rate`: how often something happened in a fixed window. The table is UNLOGGED: a crash empties it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)


def hit(cur: Cursor, key: str, window_s: int = 60, n: int = 1) -> tuple[int, float]:
    """Count `n`: (how many in this window, these included; seconds until the window is over)."""
    cur.execute(SQL["hit"], {"key": key, "window_s": window_s, "n": n})
    total, reset_s = cur.fetchone()
    return total, reset_s


def prune(cur: Cursor) -> None:
    """Delete windows that are over."""
    cur.execute(SQL["prune"])
