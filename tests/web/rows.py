"""Searches in every state, written through the store as the stages write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from model import Decision, Offer, Outcome, Priority, Product, Reason, Same, SourceOutcome, SourceReport
from store import jobs, offers, prices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conftest import Database

RICE = Product(code="RICE24", name="햇살 백미밥 210g", specification="24개")


def offer(name: str, price: int, **more: Any) -> Offer:
    """One card."""
    defaults: dict[str, Any] = {"mall": "naver", "rank": 1, "url": "https://shop.example.com/1"}
    return Offer(**(defaults | more | {"name": name, "price_krw": price}))


def decision(one: Offer, verdict: Same = Same.SAME, reason: Reason = Reason.OK, **more: Any) -> Decision:
    """One verdict; the effective price is item + shipping, 3,000 where the card does not say."""
    shipping = one.shipping_krw
    defaults: dict[str, Any] = {
        "confidence": 0.93,
        "effective_price_krw": one.price_krw + (3000 if shipping is None else shipping),
        "shipping_known": shipping is not None,
    }
    return Decision(offer=one, verdict=verdict, reason=reason, **(defaults | more))


def report(mall: str, outcome: SourceOutcome = SourceOutcome.OK, count: int = 3, **more: Any) -> SourceReport:
    """What one mall answered."""
    cards = tuple(offer(f"{mall} {n}", 1000 * n, mall=mall, rank=n) for n in range(1, count + 1))
    return SourceReport(
        mall=mall, outcome=outcome, offers=cards, took_ms=420, size_bytes=9000, queries=("햇살 백미밥",), **more
    )


def submitted(db: Database, product: Product = RICE) -> str:
    """A PENDING job with naver and coupang still to be read."""
    with db.pool.transaction() as cur:
        job_id = jobs.submit(cur, product, priority=Priority.INTERACTIVE, deadline_s=90, trace_id="t", options={})
        assert job_id
        offers.open_sources(cur, job_id, ("naver", "coupang"), 0)
    return job_id


def close(db: Database, job_id: str, one: SourceReport) -> None:
    """One mall has been read: its row and its attempt."""
    with db.pool.transaction() as cur:
        offers.open_sources(cur, job_id, (one.mall,), 0)
        offers.begin_source(cur, job_id, one.mall)
        offers.close_source(cur, job_id, one, 1)
    attempt(db, job_id, one.mall, one.outcome)


def attempt(db: Database, job_id: str, stage: str, outcome: str, *, round_: int = 0, error: str | None = None) -> None:
    """One ended try of a stage, 0.42 s long."""
    db.rows(
        "INSERT INTO attempt (job_id, stage, round, try, message_id, worker, started_at, ended_at, outcome, error)"
        " VALUES (%s, %s, %s, 1, gen_random_uuid(), 'w', lps.now() - interval '0.42 s', lps.now(), %s, %s)",
        job_id,
        stage,
        round_,
        outcome,
        error,
    )


def finished(
    db: Database, decisions: Sequence[Decision], *, reports: Sequence[SourceReport] = (), product: Product = RICE
) -> str:
    """A DONE job; the cheapest accepted offer is its answer."""
    job_id = submitted(db, product)
    for one in reports or (report("naver"), report("coupang")):
        close(db, job_id, one)
    attempt(db, job_id, "match", "done")
    with db.pool.transaction() as cur:
        offers.decide(cur, job_id, decisions)
        answer = result(decisions)
        assert jobs.finish(cur, job_id, answer)
        if answer["lowest"]:
            prices.record(cur, job_id, product.code, {answer["lowest"]["mall"]: answer["lowest"]["price"]})
    attempt(db, job_id, "persist", "done")
    return job_id


def result(decisions: Sequence[Decision]) -> dict[str, Any]:
    """The stored form of DESIGN §4."""
    same = [one for one in decisions if one.verdict is Same.SAME]
    ranked = sorted(same, key=lambda one: one.effective_price_krw or 0)
    known = [one for one in ranked if one.shipping_known]
    nothing = Outcome.NO_SAFE_MATCH if decisions else Outcome.NOT_FOUND
    return {
        "outcome": Outcome.FOUND if ranked else nothing,
        "complete": True,
        "mode": "rules",
        "lowest": _lowest(ranked[0]) if ranked else None,
        "lowest_confirmed": _lowest(known[0]) if known else None,
        "sources": {},
        "metrics": {
            "duration_ms": 6400,
            "cost": {"total_usd": 0.0012, "ai_usd": 0.0, "proxy_usd": 0.0012},
            "crawl": {"proxy_bytes": 412000},
            "ai": {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cached": 0},
        },
    }


def _lowest(one: Decision) -> dict[str, Any]:
    price = one.effective_price_krw or 0
    return {
        "price": price,
        "item_price": one.offer.price_krw,
        "shipping": price - one.offer.price_krw,
        "shipping_known": one.shipping_known,
        "mall": one.offer.mall,
        "seller": one.offer.seller,
        "title": one.offer.name,
        "url": one.offer.url,
        "unit_price": one.unit_price,
        "confidence": one.confidence,
        "reason": one.reason,
    }
