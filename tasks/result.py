"""The stored result of a search: pure functions from what is in the database to the JSON that operators query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from model import Decision, Outcome, Same, SourceOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from model import Job, JobSource, Match
    from store.decisions import Round
    from store.spend import Spent


@dataclass(frozen=True, slots=True)
class Bill:
    """What a search cost, and how it was decided."""

    spent: Spent
    rounds: Sequence[Round]


def build(job: Job, sources: Sequence[JobSource], decisions: Sequence[Decision], bill: Bill) -> dict[str, Any]:
    """The result JSON; its shape is in ARCHITECTURE.md and queried by the operations guide."""
    accepted = winners(decisions)
    confirmed = [decision for decision in accepted if decision.shipping_known]
    return {
        "outcome": _outcome(decisions, accepted),
        "complete": any_answer(sources) and not missing(sources),
        **_mode(bill.rounds),
        "lowest": _offer(accepted[0]) if accepted else None,
        "lowest_confirmed": _offer(confirmed[0]) if confirmed else None,
        "sources": {source.mall: _source(source, decisions) for source in sources},
        "metrics": _metrics(job, bill),
    }


def _mode(rounds: Sequence[Round]) -> dict[str, Any]:
    """Which mode decided over all rounds, why the rules decided alone in the last one, and by which versions."""
    last = rounds[-1] if rounds else None
    mode = "ai" if any(one.mode == "ai" for one in rounds) else "rules"
    return {"mode": mode, "mode_reason": last.why if last else "", "versions": last.version if last else ""}


def _metrics(job: Job, bill: Bill) -> dict[str, Any]:
    """Time, bytes and money, all tries of all stages included."""
    proxy_usd = bill.spent.proxy_usd
    ai_usd = bill.spent.ai_usd
    return {
        "duration_ms": round((datetime.now(UTC) - job.created_at).total_seconds() * 1000),
        "cost": {"total_usd": float(ai_usd + proxy_usd), "ai_usd": float(ai_usd), "proxy_usd": float(proxy_usd)},
        "crawl": {"proxy_bytes": bill.spent.proxy_bytes},
        "ai": {
            "calls": bill.spent.calls,
            "input_tokens": bill.spent.input_tokens,
            "output_tokens": bill.spent.output_tokens,
            "cached": sum(one.cached for one in bill.rounds),
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
        "decided_by": decision.source,
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
