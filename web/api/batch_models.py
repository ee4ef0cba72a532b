"""What the endpoints about batches give."""

from __future__ import annotations

from typing import Any

from web.api.kit import Answer


class Estimate(Answer):
    """What the rest will probably take."""

    searches: int
    usd: float
    seconds: float
    based_on: int


class Batch(Answer):
    """One file of products."""

    batch_id: str
    name: str
    state: str
    file_name: str
    header: list[str]
    columns: dict[str, int]
    options: dict[str, Any]
    total: int
    ended: int
    counts: dict[str, int]
    estimate: Estimate
    who: str
    reason: str
    created_at: str
    started_at: str | None
    finished_at: str | None


class BatchLine(Answer):
    """A batch in a list."""

    batch_id: str
    name: str
    state: str
    file_name: str
    total: int
    who: str
    created_at: str
    started_at: str | None
    finished_at: str | None


class Batches(Answer):
    """A page of batches."""

    items: list[BatchLine]
    next: str | None


class Row(Answer):
    """One row of a file with its search."""

    n: int
    cells: list[Any]
    product_code: str
    product_name: str
    specification: str
    kind: str
    errors: list[dict[str, Any]]
    same_as: int | None
    job_id: str | None
    state: str | None
    outcome: str | None
    lowest: dict[str, Any] | None
    complete: bool
    finished_at: str | None
    error: str | None


class Rows(Answer):
    """A page of rows."""

    items: list[Row]
    next: int | None
