"""Why a search ended as it did: every offer with its verdict, every match round, every payment."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from store import decisions, offers, spend
from tasks.judging import found as search
from tasks.runtime import runtime

if TYPE_CHECKING:
    from model import Decision
    from store.spend import Payment


def explained(job_id: str) -> dict[str, Any]:
    """The decision of one search, JSON-ready.

    Returns:
        `product`, `outcome`, `mode`, `mode_reason`; `rounds`: what decided each; `offers`: verdict, reason, matched and
        missing words, who decided, confidence, versions, cost (USD), note, in the order they are numbered; `payments`:
        every row of the ledger, reserved and settled (USD).

    Raises:
        NotFound: no such job.
    """
    with runtime.pool.transaction() as cur:
        job = search(cur, job_id)
        found, rounds = offers.decisions(cur, job_id), decisions.rounds(cur, job_id)
        payments = spend.ledger(cur, job_id)
    result = job.result or {}
    return {
        "job_id": job.job_id,
        "status": job.status.name,
        "product": asdict(job.product),
        "outcome": result.get("outcome"),
        "mode": result.get("mode"),
        "mode_reason": result.get("mode_reason", ""),
        "rounds": [asdict(one) for one in rounds],
        "offers": [_offer(number, decision) for number, decision in enumerate(found, 1)],
        "payments": [_payment(one) for one in payments],
    }


def _offer(number: int, decision: Decision) -> dict[str, Any]:
    offer = decision.offer
    return {
        "n": number,
        "mall": offer.mall,
        "title": offer.name,
        "price_krw": offer.price_krw,
        "effective_price_krw": decision.effective_price_krw,
        "shipping_known": decision.shipping_known,
        "unit_price": decision.unit_price,
        "verdict": decision.verdict.value,
        "reason": decision.reason.value,
        "confidence": round(decision.confidence, 3),
        "decided_by": decision.source,
        "matched": list(decision.matched),
        "missing": list(decision.missing),
        "version": decision.version,
        "cost_usd": float(decision.cost_usd),
        "note": decision.note,
    }


def _payment(payment: Payment) -> dict[str, Any]:
    return {
        "kind": payment.kind,
        "stage": payment.stage,
        "reserved_usd": float(payment.reserved_usd),
        "settled_usd": None if payment.settled_usd is None else float(payment.settled_usd),
        "written_off": payment.leaked,
        "at": payment.reserved_at.isoformat(),
        "detail": payment.detail,
    }
