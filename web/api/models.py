"""What the API gives: the members that hold in every version, documented from here."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from web.api.kit import Answer

Krw = Annotated[int, Field(description="Whole won")]
Usd = Annotated[float, Field(description="Dollars")]
When = Annotated[str, Field(description="ISO 8601 with offset")]


class Links(Answer):
    """Where a search is found."""

    self: str
    page: str


class Submitted(Answer):
    """A search that was taken, or the one that answers it already."""

    job_id: str
    status: int
    state: str
    deduped: bool
    cached: bool
    links: Links


class Product(Answer):
    """What was asked for."""

    code: str
    name: str
    specification: str


class Source(Answer):
    """One mall in one search."""

    mall: str
    outcome: str | None
    state: str
    failed: bool
    offers: int | None
    took_ms: int | None


class Stage(Answer):
    """One ended try of one stage."""

    stage: str
    round: int
    outcome: str
    started_at: str | None
    ended_at: str | None
    took_ms: float | None


class Job(Answer):
    """A search."""

    job_id: str
    status: int
    state: str
    final: bool
    origin: str
    product: Product
    created_at: When
    finished_at: str | None
    error: str | None
    sources: list[Source]
    stages: list[Stage]
    links: Links
    result: dict[str, Any] | None = None
    offers: list[dict[str, Any]] | None = None


class JobLine(Answer):
    """A search in a list."""

    job_id: str
    status: int
    state: str
    product_code: str
    product_name: str
    specification: str
    created_at: When
    finished_at: str | None
    outcome: str | None
    lowest_krw: int | None
    lowest_mall: str | None
    links: Links


class Jobs(Answer):
    """A page of searches."""

    items: list[JobLine]
    next: str | None


class Cancelled(Answer):
    """What a cancellation found."""

    job_id: str
    changed: bool
    state: str
    queued: int
    running: int


class Retried(Answer):
    """A mall that is read once more."""

    job_id: str
    mall: str
    round: int


class Corrected(Answer):
    """A person's word on one offer."""

    job_id: str
    title: str
    was: str
    verdict: str


class Price(Answer):
    """The lowest effective prices of one search."""

    at: When
    lowest_krw: Krw
    lowest_mall: str
    by_mall: dict[str, int]


class History(Answer):
    """What a product cost."""

    product_code: str
    items: list[Price]


class Ops(Answer):
    """The operators' numbers."""

    origin: str
    counts: dict[str, int]
    oldest_pending_sec: float
    dead_1h: int
    stuck_running: int
    lost_running: int
    blocks_1h: int
    deadline_1h: int
    cost_1h_usd: Usd
    stages: dict[str, dict[str, float]]
    workers: list[dict[str, Any]]
    paused: list[dict[str, Any]]
    usable_ports_pct: float | None
    block_sessions_6h: int
