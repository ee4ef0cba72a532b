"""Rows of `job_source` and `offer_verdict`: what the malls answered, and what was decided about each offer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from model import Decision, JobSource, Offer, Product, Reason, Same, SourceOutcome, SourceReport
from store.pool import Json, execute_values
from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Begun:
    """What the stage of one mall needs to know."""

    job_id: str
    mall: str
    round: int
    product: Product
    trace_id: str
    left_s: float
    """Seconds until the search's own deadline; negative when it is over."""
    since_s: float = 0
    """Seconds since this mall was first taken up in this round."""


def open_sources(cur: Cursor, job_id: str, malls: Sequence[str], round_: int) -> None:
    """These malls are to be read in this round."""
    cur.execute(SQL["open_sources"], {"job_id": job_id, "malls": list(malls), "round": round_})


def skip_source(cur: Cursor, job_id: str, report: SourceReport, round_: int) -> None:
    """This mall is not asked: the report says why."""
    cur.execute(
        SQL["skip_source"],
        {
            "job_id": job_id,
            "mall": report.mall,
            "round": round_,
            "outcome": report.outcome,
            "kind": report.kind,
            "error": report.error,
        },
    )


def begin_source(cur: Cursor, job_id: str, mall: str) -> Begun | None:
    """Take up one mall of a job; None when the job is final or the mall has been read already."""
    cur.execute(SQL["begin_source"], {"job_id": job_id, "mall": mall})
    row = cur.fetchone()
    if row is None:
        return None
    round_, code, name, specification, trace_id, left_s, since_s = row
    product = Product(code=code, name=name, specification=specification)
    return Begun(
        job_id=job_id, mall=mall, round=round_, product=product, trace_id=trace_id, left_s=left_s, since_s=since_s
    )


def close_source(cur: Cursor, job_id: str, report: SourceReport, fence: int) -> bool:
    """Store what a mall answered; False when it was closed already."""
    metrics = {
        "took_ms": report.took_ms,
        "bytes": report.size_bytes,
        "cards": report.cards,
        "queries": list(report.queries),
    }
    cur.execute(
        SQL["close_source"],
        {
            "job_id": job_id,
            "mall": report.mall,
            "outcome": report.outcome,
            "kind": report.kind,
            "error": report.error[:2000],
            "bytes": report.size_bytes,
            "answered": report.outcome.answered,
            "offers": Json([offer.to_json() for offer in report.offers]),
            "metrics": Json(metrics),
            "fence": fence,
        },
    )
    return bool(cur.rowcount)


def look_again(cur: Cursor, job_id: str, malls: Sequence[str], round_: int) -> list[str]:
    """Open these malls for a second look, each once in a search; those that were opened."""
    cur.execute(SQL["look_again"], {"job_id": job_id, "malls": list(malls), "round": round_})
    return [str(mall) for (mall,) in cur.fetchall()]


def reopen_source(cur: Cursor, job_id: str, mall: str, round_: int) -> bool:
    """A mall that failed is to be read once more; False when it is being read, or has answered."""
    cur.execute(SQL["reopen_source"], {"job_id": job_id, "mall": mall, "round": round_})
    return bool(cur.rowcount)


def asked(cur: Cursor, job_id: str, malls: Sequence[str]) -> bool:
    """Whether this job has got to any of these malls, even if it was left out."""
    cur.execute(SQL["asked"], {"job_id": job_id, "malls": list(malls)})
    return bool(cur.fetchone()[0])


def waiting(cur: Cursor, job_id: str) -> int:
    """How many malls of a job are still being read. Right only while the job row is locked (`jobs.lock`)."""
    cur.execute(SQL["waiting"], (job_id,))
    return int(cur.fetchone()[0])


def open_malls(cur: Cursor, job_id: str) -> list[tuple[str, str | None]]:
    """(mall, reason of its pause or None) of the malls still being read."""
    cur.execute(SQL["open_malls"], (job_id,))
    return list(cur.fetchall())


def held_back(cur: Cursor, limit: int) -> list[tuple[str, str, str]]:
    """Job, mall and reason of what waits for a mall that an operator holds back; their jobs are locked."""
    cur.execute(SQL["held_back"], (limit,))
    return list(cur.fetchall())


def sources(cur: Cursor, job_id: str) -> list[JobSource]:
    """Every mall of a job in the order of the path."""
    cur.execute(SQL["sources"], (job_id,))
    return [_source(row) for row in cur.fetchall()]


def outline(cur: Cursor, job_id: str) -> list[JobSource]:
    """Every mall of a job, in the order of the path, without its offers: they are only counted."""
    cur.execute(SQL["outline"], (job_id,))
    rows = cur.fetchall()
    return [replace(_source((*row[:5], (), row[6])), offers=row[5] if row[2] else None) for row in rows]


def decide(cur: Cursor, job_id: str, decisions: Iterable[Decision]) -> None:
    """Store the verdicts of a match round in place of an earlier round's."""
    cur.execute(SQL["forget_decisions"], (job_id,))
    rows = [_decision_row(job_id, n, decision) for n, decision in enumerate(decisions)]
    if rows:
        execute_values(cur, SQL["decide"], rows, page_size=1000)


def decisions(cur: Cursor, job_id: str) -> list[Decision]:
    """Every offer of a job with its verdict."""
    cur.execute(SQL["decisions"], (job_id,))
    return [_decision(row) for row in cur.fetchall()]


def _source(row: tuple[Any, ...]) -> JobSource:
    mall, round_, outcome, kind, error, offers, metrics = row
    if outcome is None:
        return JobSource(mall=mall, outcome=None, round=round_)
    report = SourceReport(
        mall=mall,
        outcome=SourceOutcome(outcome),
        kind=kind,
        error=error,
        offers=tuple(Offer.from_json(offer) for offer in offers),
        cards=metrics.get("cards", 0),
        took_ms=metrics.get("took_ms", 0),
        size_bytes=metrics.get("bytes", 0),
        queries=tuple(metrics.get("queries", ())),
    )
    return JobSource(mall=mall, outcome=report.outcome, round=round_, report=report)


def _decision_row(job_id: str, n: int, decision: Decision) -> tuple[Any, ...]:
    offer = decision.offer
    return (
        job_id,
        n,
        offer.mall,
        offer.rank,
        Json(offer.to_json()),
        decision.verdict,
        decision.reason,
        decision.confidence,
        decision.source,
        decision.effective_price_krw,
        decision.shipping_known,
        decision.unit_price,
        list(decision.matched),
        list(decision.missing),
        decision.version,
        decision.cost_usd,
        decision.note.encode("utf-8", "replace").decode().replace("\0", " "),
    )


def _decision(row: tuple[Any, ...]) -> Decision:
    offer, verdict, reason, confidence, source, effective_price_krw, shipping_known, unit_price, *more = row
    matched, missing, version, cost_usd, note = more
    return Decision(
        offer=Offer.from_json(offer),
        verdict=Same(verdict),
        reason=Reason(reason),
        confidence=confidence,
        source=source,
        effective_price_krw=effective_price_krw,
        shipping_known=shipping_known,
        unit_price=unit_price,
        matched=tuple(matched),
        missing=tuple(missing),
        version=version,
        cost_usd=cost_usd,
        note=note,
    )
