"""Rows of `batch` and `batch_row`: files of products, and what became of each row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from store.pool import Json, execute_values
from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)
State = Literal["preview", "running", "paused", "done", "cancelled"]
Kind = Literal["new", "duplicate", "fresh", "error"]


@dataclass(kw_only=True, slots=True)
class Row:
    """One row of a file, read and judged."""

    n: int
    """Its number as a spreadsheet shows it."""
    cells: list[Any]
    code: str = ""
    name: str = ""
    specification: str = ""
    key: str | None = None
    kind: Kind = "new"
    errors: list[dict[str, Any]] = field(default_factory=list)
    """{"column", "code", …}."""
    same_as: int | None = None
    job_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A file as it was read."""

    name: str
    file_name: str
    header: list[str]
    columns: dict[str, int]
    """product_name, specification, product_code → which column."""
    options: dict[str, Any]
    rows: list[Row]
    who: str
    api_key_id: int | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch with what became of its rows."""

    batch_id: str
    name: str
    state: State
    file_name: str
    header: list[str]
    columns: dict[str, int]
    options: dict[str, Any]
    total: int
    who: str
    api_key_id: int | None
    reason: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    updated_at: datetime
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A batch in a list."""

    batch_id: str
    name: str
    state: State
    file_name: str
    total: int
    who: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class RowResult:
    """One row with its search."""

    n: int
    cells: list[Any]
    product_code: str
    product_name: str
    specification: str
    kind: Kind
    errors: list[dict[str, Any]]
    same_as: int | None
    job_id: str | None
    status: int | None
    outcome: str | None
    lowest: dict[str, Any] | None
    complete: str | None
    finished_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Held:
    """A batch whose row this transaction holds."""

    state: State
    options: dict[str, Any]
    who: str
    api_key_id: int | None


def add(cur: Cursor, file: File) -> str:
    """Store a file that was read; its id."""
    values = {
        "name": file.name,
        "file_name": file.file_name,
        "header": Json(file.header),
        "columns": Json(file.columns),
        "options": Json(file.options),
        "total": len(file.rows),
        "who": file.who,
        "api_key_id": file.api_key_id,
    }
    cur.execute(SQL["add"], values)
    batch_id = str(cur.fetchone()[0])
    rows = [
        (
            batch_id,
            row.n,
            Json(row.cells),
            row.code,
            row.name,
            row.specification,
            row.key,
            row.kind,
            Json(row.errors),
            row.same_as,
            row.job_id,
        )
        for row in file.rows
    ]
    execute_values(cur, SQL["add_rows"], rows, page_size=1000)
    return batch_id


def answered(cur: Cursor, keys: Sequence[str], fresh_s: float) -> dict[str, str]:
    """Dedupe key → the job that answers it already."""
    cur.execute(SQL["answered"], {"keys": list(keys), "fresh_s": fresh_s})
    return dict(cur.fetchall())


def one(cur: Cursor, batch_id: str) -> Batch | None:
    """One batch."""
    cur.execute(SQL["one"], (batch_id,))
    row = cur.fetchone()
    return Batch(*row) if row else None


def listed(cur: Cursor, *, limit: int, before: str | None = None) -> list[BatchLine]:
    """Batches, the newest first; `before` is the id of the last one seen."""
    cur.execute(SQL["listed"], {"limit": limit, "before": before})
    return [BatchLine(*row) for row in cur.fetchall()]


def rows(cur: Cursor, batch_id: str, *, after: int = 0, limit: int = 100, kind: Kind | None = None) -> list[RowResult]:
    """Rows in the order of the file, those whose number is above `after`."""
    cur.execute(SQL["rows"], {"batch_id": batch_id, "after": after, "limit": limit, "kind": kind})
    return [RowResult(*row) for row in cur.fetchall()]


def hold(cur: Cursor, batch_id: str) -> Held | None:
    """Hold the batch's row until the transaction ends."""
    cur.execute(SQL["hold"], (batch_id,))
    row = cur.fetchone()
    return Held(*row) if row else None


def move(cur: Cursor, batch_id: str, to: State, of: Iterable[State], reason: str = "") -> bool:
    """Bring a batch from one of the states `of` into another; False when it is in none of them."""
    cur.execute(SQL["move"], {"batch_id": batch_id, "to": to, "of": list(of), "reason": reason})
    return bool(cur.rowcount)


def searching(cur: Cursor, batch_id: str) -> int:
    """How many of its searches are under way."""
    cur.execute(SQL["searching"], (batch_id,))
    return int(cur.fetchone()[0])


def waiting(cur: Cursor, batch_id: str, limit: int) -> list[tuple[int, str, str, str]]:
    """The next rows to search: (n, code, name, specification)."""
    cur.execute(SQL["waiting"], (batch_id, limit))
    return list(cur.fetchall())


def assign(cur: Cursor, batch_id: str, n: int, job_id: str) -> None:
    """The search of a row."""
    cur.execute(SQL["assign"], (job_id, batch_id, n))


def running(cur: Cursor) -> list[str]:
    """Ids of batches that are under way, the oldest first."""
    cur.execute(SQL["running"])
    return [row[0] for row in cur.fetchall()]


def has_open_rows(cur: Cursor, batch_id: str) -> bool:
    """Whether a search that a row waits for is under way, be it another's."""
    cur.execute(SQL["has_open_rows"], (batch_id,))
    return bool(cur.fetchone()[0])


def open_jobs(cur: Cursor, batch_id: str) -> list[str]:
    """Ids of its searches that are under way."""
    cur.execute(SQL["open_jobs"], (batch_id,))
    return [row[0] for row in cur.fetchall()]


def typical(cur: Cursor) -> tuple[int, float, float]:
    """(how many of the last 200 searches there are, their mean cost in USD, their median time in s)."""
    cur.execute(SQL["typical"])
    n, usd, seconds = cur.fetchone()
    return n, usd, seconds
