"""The nouns that cross package borders.

Money is whole KRW (int) or USD (Decimal); absent is None, nothing found is ().
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from datetime import datetime

MALLS = ("naver", "coupang", "gmarket", "auction", "st11")
FIRST = ("naver", "coupang")
FALLBACK = ("gmarket", "auction", "st11")


class JobStatus(IntEnum):
    """Where a job is; the numbers are stored and operators query them."""

    PENDING = 1
    RUNNING = 2
    DONE = 3
    DEAD = 4
    CANCELLED = 5


FINAL = (JobStatus.DONE, JobStatus.DEAD, JobStatus.CANCELLED)


class Outcome(StrEnum):
    """What a finished search says."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    NO_SAFE_MATCH = "no_safe_match"


class SourceOutcome(StrEnum):
    """What became of one mall in one search; never mixed up with each other."""

    OK = "ok"
    EMPTY = "empty"
    BLOCKED = "blocked"
    NOT_RENDERED = "not_rendered"
    DRIFT = "drift"
    UNKNOWN_PAGE = "unknown_page"
    PROXY_AUTH = "proxy_auth"
    PROXY_DEAD = "proxy_dead"
    NET = "net"
    DEADLINE = "deadline"
    PAUSED = "paused"
    DISABLED = "disabled"

    @property
    def answered(self) -> bool:
        """Whether the mall itself spoke: offers, or its own "nothing found"."""
        return self in (SourceOutcome.OK, SourceOutcome.EMPTY)


class Priority(IntEnum):
    """Which message goes first: lower is earlier."""

    INTERACTIVE = 0
    BATCH = 5
    RECHECK = 9


@dataclass(frozen=True, kw_only=True, slots=True)
class Product:
    """What a buyer asks for."""

    code: str
    name: str
    specification: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """One card of one mall, as the mall shows it."""

    mall: str
    rank: int
    """1-based place on the page, ads included."""
    name: str
    price_krw: int
    """What anyone pays for the item, shipping not included."""
    url: str
    list_price_krw: int | None = None
    shipping_krw: int | None = None
    """0 is free; None when the mall does not say."""
    free_shipping_from_krw: int | None = None
    """Order amount from which shipping is free, when the card says so."""
    unit_price: str | None = None
    """As shown, e.g. "100g당 412원"."""
    coupon_price_krw: int | None = None
    card_price_krw: int | None = None
    member_price_krw: int | None = None
    min_order: int | None = None
    seller: str | None = None
    mall_item_id: str | None = None
    ad: bool = False
    used: bool = False
    overseas: bool = False
    sold_out: bool = False
    preorder: bool = False
    """Announced, not yet to be had."""
    catalogue: bool = False
    """A price-comparison row: the price is right, the seller is unknown."""
    option_range: bool = False
    """The price shown is the lowest of several options ("12,900원~")."""

    def to_json(self) -> dict[str, Any]:
        """Every field by its name, JSON-ready."""
        # Its fields are plain values; asdict would copy each of them deeply.
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Offer:
        """The offer that `to_json` wrote; unknown fields of a newer version are left out."""
        return cls(**{name: row[name] for name in cls.__dataclass_fields__ if name in row})


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceReport:
    """What one mall answered, over all rungs of the query ladder."""

    mall: str
    outcome: SourceOutcome
    kind: str = ""
    error: str = ""
    ip_request_no: int = 0
    offers: tuple[Offer, ...] = ()
    cards: int = 0
    took_ms: int = 0
    size_bytes: int = 0
    """Bytes over the wire, both ways where known, else the body's."""
    queries: tuple[str, ...] = ()


class Same(StrEnum):
    """Whether an offer delivers exactly the requested product."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class Reason(StrEnum):
    """Why a verdict fell; hard facts first, then what only reading can tell."""

    OK = "ok"
    BRAND = "brand"
    LINE = "line"
    VARIANT = "variant"
    MODEL = "model"
    SIZE = "size"
    COUNT = "count"
    COLOUR = "colour"
    BUNDLE = "bundle"
    ACCESSORY = "accessory"
    REFILL = "refill"
    COMPONENT = "component"
    CONDITION = "condition"
    ORIGIN = "origin"
    COUNTERFEIT = "counterfeit"
    COMPATIBLE = "compatible"
    OPTION = "option"
    SOLD_OUT = "sold_out"
    PREORDER = "preorder"
    RENTAL = "rental"
    KEYWORDS = "keyword_stuffing"
    PRICE = "price"
    UNKNOWN = "unknown"


DecidedBy = Literal["rule", "ai", "cache", "person"]
Mode = Literal["rules", "ai"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """One offer with its verdict and why."""

    offer: Offer
    verdict: Same
    reason: Reason
    confidence: float
    """0…1: how often such a verdict is right."""
    source: DecidedBy = "rule"
    effective_price_krw: int | None = None
    """Item + shipping for the requested total; None when it cannot be said."""
    shipping_known: bool = False
    unit_price: str | None = None
    """Ours, e.g. "100g당 412원"; None when the quantity is unknown."""
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    version: str = ""  # of whatever decided: "gate 1 prompt 1 gpt-4o-mini"
    cost_usd: Decimal = Decimal(0)  # this offer's share of the call that judged it in this search
    note: str = ""  # who corrected it and why, or why no model was asked


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """All verdicts of one match round."""

    outcome: Outcome
    mode: Mode
    decisions: tuple[Decision, ...]
    winner: Decision | None = None
    confirmed: Decision | None = None  # the cheapest with known shipping; may be the winner itself
    version: str = ""
    why: str = ""  # why the rules decided alone; empty when a model's verdict counts
    open: int = 0  # offers that the rules left open
    asked: int = 0  # titles that a model was asked about in this round
    cached: int = 0  # titles whose verdict was remembered


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One row of `job`."""

    job_id: str
    status: JobStatus
    product: Product
    round: int
    dedupe_key: str
    deadline_at: datetime
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None = None
    result: dict[str, Any] | None = None
    error: str | None = None
    priority: int = 0
    started_at: datetime | None = None
    trace_id: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def final(self) -> bool:
        """Whether nothing will change any more."""
        return self.status in FINAL


@dataclass(frozen=True, kw_only=True, slots=True)
class JobSource:
    """One mall of one job: `outcome` is None while it is still being read."""

    mall: str
    outcome: SourceOutcome | None
    round: int
    report: SourceReport | None = None
    offers: int | None = None  # how many it brought, where the offers themselves were not read


@dataclass(frozen=True, kw_only=True, slots=True)
class Submitted:
    """The answer to a submission."""

    job_id: str
    status: JobStatus
    deduped: bool = False  # the same product was already being searched: that job is handed back
    cached: bool = False  # a fresh result was there: nothing was asked again


@dataclass(frozen=True, kw_only=True, slots=True)
class Ops:
    """The operators' snapshot."""

    counts: dict[str, int]
    oldest_pending_sec: float
    dead_1h: int
    stuck_running: int
    """Stages that run for far too long on a worker that lives."""
    blocks_1h: int
    deadline_1h: int
    cost_1h_usd: Decimal
    stages: dict[str, dict[str, float]] = field(default_factory=dict)
    """Per stage: n, p50_ms, p95_ms over the last hour."""
    lost_running: int = 0  # stages whose worker is gone, until the reaper takes them
    workers: list[dict[str, Any]] = field(default_factory=list)
    """Processes that have not stopped in order: worker_id, host, pid, state (idle working stuck draining lost) …"""
    paused: list[dict[str, Any]] = field(default_factory=list)  # name, reason, who, since
    usable_ports_pct: float | None = None
    block_sessions_6h: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What an alert rule looks at: one measured value."""

    labels: str
    """What is measured apart, a mall, a queue, a host; empty when there is only one."""
    value: float
    n: int
    """How many observations it is made of."""
    detail: dict[str, Any]
