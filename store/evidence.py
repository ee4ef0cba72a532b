"""Rows of `evidence`: which answer of which mall lies in the folder under which hash."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """One answer of a mall."""

    evidence_id: str = ""
    job_id: str | None
    """None for a page that no search asked for."""
    mall: str
    query: str
    url: str
    media: str = "page"
    """`page`, or `screenshot` (PNG)."""
    status: int | None = None
    charset: str | None = None
    outcome: str
    kind: str = ""
    sha256: str
    """Of the body, unpacked."""
    size_bytes: int
    fetched_at: datetime
    keep: bool = True
    """False: only until its search has ended, unless it turns out to be needed."""


def add(cur: Cursor, one: Evidence) -> str:
    """Store a row; its id."""
    cur.execute(SQL["add"], asdict(one))
    return str(cur.fetchone()[0])


def of_job(cur: Cursor, job_id: str) -> list[Evidence]:
    """What is still known of a search's answers, in the order they came."""
    cur.execute(SQL["of_job"], (job_id,))
    return [Evidence(**dict(zip(Evidence.__dataclass_fields__, row, strict=True))) for row in cur.fetchall()]


def settle(cur: Cursor, job_id: str, malls: Sequence[str]) -> None:
    """A search has ended: the pages of these malls are kept; other pages that answered go with the next `forget`."""
    cur.execute(SQL["settle"], {"job_id": job_id, "malls": list(malls)})


def forget(cur: Cursor, *, keep_days: float, loose_s: float, limit: int = 1000) -> tuple[int, list[str]]:
    """Delete rows past their time: how many, and the hashes that no row names any more."""
    cur.execute(SQL["forget"], {"keep_days": keep_days, "loose_s": loose_s, "limit": limit})
    count, hashes = cur.fetchone()
    return int(count), list(hashes)


def named(cur: Cursor, hashes: Iterable[str]) -> set[str]:
    """Those of the hashes that some row names."""
    cur.execute(SQL["named"], (list(hashes),))
    return {sha256 for (sha256,) in cur.fetchall()}
