"""The stored result of a search: pure functions from what is in the database to the JSON that operators query."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from model import Decision, Outcome, Same, SourceOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from model import Job, JobSource, Match

GB = 10**9


def build(
    job: Job, sources: Sequence[JobSource], decisions: Sequence[Decision], *, proxy_usd_per_gb: float
) -> dict[str, Any]:
    """The result JSON; its shape is in ARCHITECTURE.md and queried by the operations guide."""
    accepted = winners(decisions)
    confirmed = [decision for decision in accepted if decision.shipping_known]
    proxy_bytes = sum(source.report.size_bytes for source in sources if source.report and source.mall != "naver")
    # The rules decide alone in this version, so the wire is all that costs.
    proxy_usd = Decimal(str(proxy_usd_per_gb)) * proxy_bytes / GB
    return {
        "outcome": _outcome(decisions, accepted),
        "complete": any_answer(sources) and not missing(sources),
        "mode": "rules",
        "lowest": _offer(accepted[0]) if accepted else None,
        "lowest_confirmed": _offer(confirmed[0]) if confirmed else None,
        "sources": {source.mall: _source(source, decisions) for source in sources},
        "metrics": {
            "duration_ms": round((datetime.now(UTC) - job.created_at).total_seconds() * 1000),
            "cost": {
                "total_usd": float(proxy_usd),
                "ai_usd": 0.0,
                "proxy_usd": float(proxy_usd),
            },
            "crawl": {"proxy_bytes": proxy_bytes},
            "ai": {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cached": 0},
        },
    }


def winners(decisions: Sequence[Decision]) -> list[Decision]:
    """Accepted offers in the order they were stored, which is `ordered`'s: the winner first."""
    return [d for d in decisions if d.verdict is Same.SAME and d.effective_price_krw is not None]


def ordered(match: Match) -> list[Decision]:
    """The decisions as they are stored and shown: the winner, the other accepted ones by price, then the rest."""

    def place(decision: Decision) -> tuple[bool, bool, int]:
        price = decision.effective_price_krw
        return decision is not match.winner, decision.verdict is not Same.SAME, 2**31 if price is None else price

    return sorted(match.decisions, key=place)


def lowest_by_mall(decisions: Sequence[Decision]) -> dict[str, int]:
    """Lowest effective price (KRW) of each mall that has the product."""
    lowest: dict[str, int] = {}
    for decision in winners(decisions):
        price = decision.effective_price_krw
        if price is not None:
            lowest.setdefault(decision.offer.mall, price)
    return lowest


def any_answer(sources: Sequence[JobSource]) -> bool:
    """Whether at least one mall spoke."""
    return any(source.outcome is not None and source.outcome.answered for source in sources)


def missing(sources: Sequence[JobSource]) -> list[str]:
    """Malls that should have answered in full and did not; one that the operator switched off is not missed."""
    fine = (SourceOutcome.OK, SourceOutcome.EMPTY, SourceOutcome.DISABLED)
    return [source.mall for source in sources if source.outcome not in fine or _cut(source)]


def _cut(source: JobSource) -> bool:
    """Whether a page broke off: what it showed counts, but there may be more."""
    return source.report is not None and source.report.kind == "truncated"


def known_absent(sources: Sequence[JobSource]) -> bool:
    """Whether every mall that was asked says itself that it has nothing."""
    asked = [source for source in sources if source.outcome is not SourceOutcome.DISABLED]
    return bool(asked) and all(source.outcome is SourceOutcome.EMPTY for source in asked)


def why_nothing(sources: Sequence[JobSource]) -> str:
    """One line that says why no mall could be read."""
    reports = [source.report for source in sources if source.report]
    parts = [f"{report.mall}: {report.outcome}{f' ({report.error})' if report.error else ''}" for report in reports]
    return "no source answered: " + "; ".join(parts or ["none is enabled"])


def _outcome(decisions: Sequence[Decision], accepted: Sequence[Decision]) -> Outcome:
    if accepted:
        return Outcome.FOUND
    return Outcome.NO_SAFE_MATCH if decisions else Outcome.NOT_FOUND


def _offer(decision: Decision) -> dict[str, Any]:
    offer = decision.offer
    effective = decision.effective_price_krw or 0
    return {
        "price": effective,
        "item_price": offer.price_krw,
        "shipping": effective - offer.price_krw,
        "shipping_known": decision.shipping_known,
        "mall": offer.mall,
        "seller": offer.seller,
        "title": offer.name,
        "url": offer.url,
        "unit_price": decision.unit_price,
        "confidence": round(decision.confidence, 3),
        "reason": decision.reason,
    }


def _source(source: JobSource, decisions: Sequence[Decision]) -> dict[str, Any]:
    report = source.report
    if report is None:
        return {"outcome": SourceOutcome.DEADLINE, "offers": 0, "same": 0, "took_ms": 0, "bytes": 0, "queries": []}
    same = sum(d.verdict is Same.SAME for d in decisions if d.offer.mall == source.mall)
    return {
        "outcome": report.outcome,
        "kind": report.kind,
        "error": report.error,
        "offers": len(report.offers),
        "same": same,
        "took_ms": report.took_ms,
        "bytes": report.size_bytes,
        "queries": list(report.queries),
    }
