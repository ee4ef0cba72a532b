"""`lps explain`, `lps correct`, `lps match --ai on`: what a person sees of a decision, and says to it."""

from __future__ import annotations

import json
import subprocess
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from model import Decision, Match, Offer, Outcome, Priority, Product, Reason, Same
from sandbox.server import serve
from store import decisions, jobs, offers, spend

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Checkout
    from tests.conftest import Database

TEA = Product(code="T1", name="들샘 보리차 1.5L", specification="12개")
TITLES = ("들샘 보리차 블랙라벨 1.5L 12개", "들샘 보리차 1.5L 6개")


@pytest.fixture
def lps(checkout: Checkout, db: Database) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`lps …` on this test's database."""
    name = db.url.rsplit("/", 1)[1]
    return lambda *words: checkout.run(*words, LPS_DATABASE__URL=db.url, LPS_DATABASE__NAME=name, COLUMNS="250")


@pytest.fixture
def job_id(db: Database) -> str:
    """A search with an open offer and one of another count, decided by rules."""
    found = [
        Decision(
            offer=Offer(mall="naver", rank=1, name=title, price_krw=9000, url=title, mall_item_id=f"n{rank}"),
            verdict=verdict,
            reason=reason,
            confidence=0.5,
            effective_price_krw=9000,
            version="gate 1",
            missing=("12개",) if rank else (),
            note="" if rank else "not asked: no key",
        )
        for rank, (title, verdict, reason) in enumerate(
            zip(TITLES, (Same.UNSURE, Same.DIFFERENT), (Reason.VARIANT, Reason.COUNT), strict=True)
        )
    ]
    match = Match(outcome=Outcome.NO_SAFE_MATCH, mode="rules", decisions=tuple(found), why="no key", open=1)
    with db.pool.transaction() as cur:
        job_id = jobs.submit(cur, TEA, priority=Priority.INTERACTIVE, deadline_s=60, trace_id="t", options={})
        assert job_id
        offers.decide(cur, job_id, found)
        decisions.record_round(cur, job_id, 0, match, 12)
    paid = spend.reserve(db.pool, spend.Caps(), kind="ai", stage="match", usd=Decimal("0.001"), job_id=job_id)
    spend.settle(db.pool, paid, Decimal("0.0002"))
    return job_id


def test_explain_says_who_decided_what_and_why(
    lps: Callable[..., subprocess.CompletedProcess[str]], job_id: str
) -> None:
    """Rounds, payments, and a line an offer; other products only with --all; the same as JSON."""
    shown = lps("explain", job_id).stdout
    for text in (
        "round 0: rules (no key); 1 open",
        "0.000200 USD of 0.001000 reserved",
        TITLES[0],
        "not asked: no key",
    ):
        assert text in shown
    assert TITLES[1] not in shown
    assert TITLES[1] in lps("explain", job_id, "--all").stdout
    told = json.loads(lps("explain", job_id, "--json").stdout)
    assert [(1, "variant", "gate 1"), (2, "count", "gate 1")] == [
        (one["n"], one["reason"], one["version"]) for one in told["offers"]
    ]
    assert 1 == lps("explain", "00000000-0000-0000-0000-000000000000").returncode


def test_a_correction_is_kept_with_who_and_why(
    lps: Callable[..., subprocess.CompletedProcess[str]], job_id: str, db: Database
) -> None:
    """By number or by the mall's id; never without a reason; exported as a labelled case."""
    assert 2 == lps("correct", job_id, "1", "same").returncode
    assert 1 == lps("correct", job_id, "7", "same", "--why", "x").returncode
    done = lps("correct", job_id, "1", "same", "--why", "같은 제품, 표기만 다름", "--who", "kim")
    assert "was unsure (rule), is same from the next search on" in done.stdout
    assert 0 == lps("correct", job_id, "n1", "different", "--why", "6개", "--reason", "count").returncode
    cases = [json.loads(line) for line in lps("correct", "--export").stdout.splitlines()]
    assert [(TITLES[0], 1, "kim"), (TITLES[1], 0)] == [
        (case["offer_title"], case["label"], case["who"])[: 3 - n] for n, case in enumerate(cases)
    ]
    assert [("correct", 2)] == db.rows("SELECT action, count(*) FROM audit GROUP BY 1")


def test_match_asks_the_model_that_is_set(checkout: Checkout) -> None:
    """`--ai on` without a key is refused; with one the open offer is decided and the mode is told."""
    words = ("match", "--name", TEA.name, "--spec", TEA.specification, "--ai", "on", "--offers", "-")
    line = json.dumps({"id": 1, "title": TITLES[0], "price_krw": 9000, "shipping_krw": 0})

    def run(**env: str) -> subprocess.CompletedProcess[str]:
        """The command with the line as its input."""
        return subprocess.run(
            checkout.command(*words),
            cwd=checkout.folder,
            env=checkout.env | env,
            input=line,
            capture_output=True,
            text=True,
            check=False,
        )

    assert 2 == run().returncode
    with serve() as market:
        done = run(OPENAI_API_KEY="k", LPS_AI__BASE_URL=f"{market.url}/ai/v1")
    offer, end = (json.loads(row) for row in done.stdout.splitlines())
    assert ("same", "ai", 1, "found", "ai") == (
        offer["verdict"],
        offer["source"],
        end["winner"],
        end["outcome"],
        end["mode"],
    )
