"""A result for people and as JSON, from what is stored."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from cli import render
from cli.follow import Finished
from model import (
    Decision,
    Job,
    JobSource,
    JobStatus,
    Offer,
    Product,
    Reason,
    Same,
    SourceOutcome,
    SourceReport,
    Submitted,
)

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ESCAPE = "\x1b[2Jfree\nlps: forged"


def offer(mall: str, name: str, price: int, **rest: Any) -> Offer:
    """An offer of a mall."""
    return Offer(mall=mall, rank=1, name=name, price_krw=price, url=f"http://{mall}.invalid/{price}", **rest)


def decision(found: Offer, verdict: Same = Same.SAME, reason: Reason = Reason.OK) -> Decision:
    """A verdict of the rules."""
    effective = found.price_krw + 3000 if verdict is Same.SAME else None
    return Decision(offer=found, verdict=verdict, reason=reason, confidence=0.9, effective_price_krw=effective)


WINNER = decision(offer("naver", "햇반 210g 24개", 24_900, seller="밥심"))
CHEAP = decision(offer("coupang", f"햇반 12개 {ESCAPE}", 13_900), Same.DIFFERENT, Reason.COUNT)
DEAR = decision(offer("coupang", "햇반 48개", 48_000), Same.DIFFERENT, Reason.COUNT)


def stored(lowest: Decision | None, outcome: str) -> dict[str, Any]:
    """A stored result."""
    best = lowest and {
        "price": lowest.effective_price_krw,
        "item_price": lowest.offer.price_krw,
        "shipping": 3000,
        "shipping_known": False,
        "mall": lowest.offer.mall,
        "seller": lowest.offer.seller,
        "title": lowest.offer.name,
        "url": lowest.offer.url,
        "unit_price": "100g당 494원",
    }
    source = {"outcome": "ok", "kind": "", "error": "", "offers": 2, "same": 1, "took_ms": 70, "bytes": 4000}
    blocked = {**source, "outcome": "blocked", "kind": "akamai", "error": "Access Denied"}
    return {
        "outcome": outcome,
        "complete": False,
        "lowest": best,
        "lowest_confirmed": None,
        "sources": {"coupang": blocked, "naver": source},
        "metrics": {"duration_ms": 1234, "cost": {"total_usd": 0.0}},
    }


def finished(result: dict[str, Any] | None, *decisions: Decision, status: JobStatus = JobStatus.DONE) -> Finished:
    """A search that is over."""
    job = Job(
        job_id="j-1",
        status=status,
        product=Product(code="T1", name="햇반 백미밥 210g", specification="24개"),
        round=0,
        dedupe_key="k",
        deadline_at=NOW,
        created_at=NOW,
        updated_at=NOW,
        result=result,
        error=None if result else "no source answered",
        started_at=NOW,
        trace_id="t",
        options={},
    )
    report = SourceReport(mall="naver", outcome=SourceOutcome.OK)
    sources = [JobSource(mall="naver", outcome=SourceOutcome.OK, round=0, report=report)]
    return Finished(
        job=job, submitted=Submitted(job_id="j-1", status=status), sources=sources, decisions=list(decisions)
    )


def test_the_winner_is_shown_with_what_its_price_is_made_of() -> None:
    """Item, shipping, whether the mall said it, mall, seller, title, address."""
    said = "\n".join(render.text(finished(stored(WINNER, "found"), WINNER, CHEAP, DEAR)))
    assert "27,900원 = 24,900원 + shipping 3,000원 (assumed: the mall does not say)   naver · 밥심" in said
    assert "http://naver.invalid/24900" in said
    assert "1.2 s · 0.0000 USD · job j-1 · incomplete" in said


def test_sources_stand_in_the_order_of_the_path() -> None:
    """Each with its outcome, and why when it could not be read."""
    lines = [line.split() for line in render.text(finished(stored(WINNER, "found"), WINNER))]
    rows = [line for line in lines if line[:1] in (["naver"], ["coupang"])]
    assert [["naver", "ok"], ["coupang", "blocked"]] == [row[:2] for row in rows]
    assert ["akamai:", "Access", "Denied"] == rows[1][-3:]


def test_cheaper_offers_are_shown_with_the_reason_why_not() -> None:
    """Dearer ones are not, for nobody asks about them."""
    said = "\n".join(render.text(finished(stored(WINNER, "found"), WINNER, CHEAP, DEAR)))
    assert "13,900원  coupang  count" in said
    assert "48,000원" not in said


def test_a_seller_cannot_forge_a_line() -> None:
    """Control characters of a title do not reach the terminal."""
    lines = list(render.text(finished(stored(WINNER, "found"), WINNER, CHEAP)))
    assert "\x1b" not in "".join(lines)
    assert [] == [line for line in lines if line.startswith("lps: forged")]


def test_nothing_found_is_said_in_words() -> None:
    """Not found and no safe match are two things, and each has exit status 3."""
    absent = finished(stored(None, "not_found") | {"complete": True})
    unsafe = finished(stored(None, "no_safe_match"), CHEAP)
    assert "Not found: no mall has it." in list(render.text(absent))
    assert "No safe match: there are offers, and none is certain to be this product." in list(render.text(unsafe))
    assert "  The cheapest, and why not:" in list(render.text(unsafe))
    assert [3, 3, 0] == [absent.status, unsafe.status, finished(stored(WINNER, "found"), WINNER).status]


def test_a_dead_search_says_why() -> None:
    """Exit status 1."""
    dead = finished(None, status=JobStatus.DEAD)
    assert ["No result: the search is DEAD: no source answered"] == list(render.text(dead))[1:]
    assert 1 == dead.status
    unread = finished(stored(None, "not_found"), status=JobStatus.DEAD)
    said = "\n".join(render.text(unread))
    assert "Not found" not in said
    assert "Access Denied" in said


def test_the_document_holds_every_offer_with_its_verdict() -> None:
    """And the stored result as it is, with product and job."""
    document = json.loads(json.dumps(render.document(finished(stored(WINNER, "found"), WINNER, CHEAP))))
    assert ("j-1", "DONE", "T1") == (document["job_id"], document["status"], document["product"]["code"])
    assert ("found", 27_900) == (document["outcome"], document["lowest"]["price"])
    assert [("same", "ok", 27_900), ("different", "count", None)] == [
        (row["verdict"], row["reason"], row["effective_price_krw"]) for row in document["offers"]
    ]
    assert "ok" == document["sources"]["naver"]["outcome"]


def test_the_document_of_a_dead_search_has_the_same_keys() -> None:
    """A program that reads it need not look twice."""
    done, dead = (
        render.document(finished(result, status=status))
        for result, status in ((stored(WINNER, "found"), JobStatus.DONE), (None, JobStatus.DEAD))
    )
    assert set() == {"job_id", "outcome", "lowest", "sources", "offers", "error", "metrics"} - set(dead)
    assert dead["outcome"] is None
    assert set(dead) <= set(done)


def test_malls_that_were_not_read_are_not_spoken_for() -> None:
    """Nothing found while a mall was blocked is not "no mall has it"."""
    said = list(render.text(finished(stored(None, "not_found"))))
    assert "Nothing found so far: not every mall could be read." in said
    assert "Not found: no mall has it." not in said
