"""The ledger: what is about to be paid is reserved first, and settled after.

`reserve` raises every budget it touches (day, hour, search, API key) in one conditional statement, or none of them and
says which is full. It has a transaction of its own: call it before the spending step, never inside `broker.effect`.
Whoever reserved settles with what it really cost, 0 included; a payment left open is written off at its worst case.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from errors import OverBudget
from store.pool import Json
from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from store.pool import Cursor, Pool

SQL = beside(__file__)
Kind = Literal["ai", "proxy"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Caps:
    """What may be spent, USD; None is no cap. An API key's own cap stands in its row."""

    job_usd: Decimal | None = None
    hour_usd: Decimal | None = None
    day_usd: Decimal | None = None

    @classmethod
    def of(cls, job: float, hour: float, day: float) -> Caps:
        """From settings, where 0 is no cap."""
        job_usd, hour_usd, day_usd = (Decimal(str(cap)) if cap else None for cap in (job, hour, day))
        return cls(job_usd=job_usd, hour_usd=hour_usd, day_usd=day_usd)


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What a search has cost."""

    ai_usd: Decimal = Decimal(0)
    proxy_usd: Decimal = Decimal(0)
    proxy_bytes: int = 0
    """Over the wire to the proxy, both ways, tries in vain included."""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Payment:
    """One row of the ledger."""

    spend_id: str
    kind: str
    stage: str
    reserved_usd: Decimal
    settled_usd: Decimal | None
    leaked: bool
    detail: dict[str, Any]
    reserved_at: datetime
    settled_at: datetime | None


def reserve(
    pool: Pool,
    caps: Caps,
    *,
    kind: Kind,
    stage: str,
    usd: Decimal,
    job_id: str | None = None,
    detail: Mapping[str, object] | None = None,
) -> str:
    """Reserve the worst case of one payment against every cap, in one short transaction; returns its id.

    Args:
        pool: outside of any other transaction of this thread.
        caps: in force now; a changed cap holds from the next call on.
        kind: what is paid for.
        stage: the queue whose step pays: `match`, `coupang`, …
        usd: the most it can cost.
        job_id: the search; its API key's daily budget is looked up with it.
        detail: kept with the row.

    Raises:
        OverBudget: a cap does not leave this much; nothing was reserved.
    """
    values = {"job_id": job_id, "kind": kind, "stage": stage, "usd": usd, "detail": Json(dict(detail or {}))}
    with pool.transaction() as cur:
        caps_usd = {"job_usd": caps.job_usd, "hour_usd": caps.hour_usd, "day_usd": caps.day_usd}
        cur.execute(SQL["take"], values | caps_usd)
        full, budgets = cur.fetchone()
        if full:
            raise OverBudget(full[0], usd)
        cur.execute(SQL["record"], values | {"budgets": budgets})
        return str(cur.fetchone()[0])


def settle(pool: Pool, spend_id: str, usd: Decimal, detail: Mapping[str, object] | None = None) -> bool:
    """Put what it really cost in place of the worst case; False when it was settled already.

    A payment that was written off meanwhile is put right. `detail` is added to the row; of an AI call `calls`,
    `input_tokens`, `output_tokens` and `cached_tokens` are summed up by `of_job`.
    """
    with pool.transaction() as cur:
        cur.execute(SQL["settle"], {"spend_id": spend_id, "usd": usd, "detail": Json(dict(detail or {}))})
        row = cur.fetchone()
        if row is None:
            return False
        budgets, difference = row
        if difference and budgets:
            cur.execute(SQL["lock_budgets"], {"budgets": budgets})
            cur.execute(SQL["correct_budgets"], {"budgets": budgets, "usd": difference})
        return True


def write_off(cur: Cursor, older_s: float) -> int:
    """Settle at their worst case what is open for longer than this; returns how many."""
    cur.execute(SQL["write_off"], {"older_s": older_s})
    return int(cur.rowcount)


def leaks(cur: Cursor, hours: int = 1) -> int:
    """How many payments were written off in the last so many hours: each is a worker that died while it paid."""
    cur.execute(SQL["leaks"], {"hours": hours})
    return int(cur.fetchone()[0])


def full(cur: Cursor, caps: Caps, usd: Decimal) -> str | None:
    """The budget ("day", "hour") that does not leave this much now; None when both do."""
    cur.execute(SQL["full"], {"hour_usd": caps.hour_usd, "day_usd": caps.day_usd, "usd": usd})
    row = cur.fetchone()
    return str(row[0]) if row else None


_NOTHING = (Decimal(0), 0, 0, 0, 0, 0)


def of_job(cur: Cursor, job_id: str) -> Spent:
    """What a search has cost so far, discarded answers and lost payments included."""
    cur.execute(SQL["of_job"], (job_id,))
    rows = {kind: rest for kind, *rest in cur.fetchall()}
    ai_usd, calls, input_tokens, output_tokens, cached, _ = rows.get("ai", _NOTHING)
    proxy_usd, *_, proxy_bytes = rows.get("proxy", _NOTHING)
    return Spent(
        ai_usd=ai_usd,
        proxy_usd=proxy_usd,
        proxy_bytes=proxy_bytes,
        calls=calls,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cached_tokens=cached,
    )


def ledger(cur: Cursor, job_id: str) -> list[Payment]:
    """Every payment of a search, oldest first."""
    cur.execute(SQL["ledger"], (job_id,))
    names = ("spend_id", "kind", "stage", "reserved_usd", "settled_usd", "leaked", "detail", "reserved_at")
    return [Payment(**dict(zip((*names, "settled_at"), row, strict=True))) for row in cur.fetchall()]


def forget(cur: Cursor, days: int) -> int:
    """Delete budgets untouched for so many days; the ledger stays."""
    cur.execute(SQL["forget"], {"days": days})
    return int(cur.rowcount)
