"""A match round with a model: what it costs, what it may decide, and every way in which it fails."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import config
from model import Offer, Product, Reason, Same
from sandbox.server import Market, serve
from store import decisions, offers, spend
from tests.tasks.conftest import ENV, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Database

TEA = Product(code="T1", name="들샘 보리차 1.5L", specification="12개")
SURE = "들샘 보리차 1.5L 12개"
OPEN = ("들샘 보리차 블랙라벨 1.5L 12개", "들샘 보리차 골드라벨 1.5L 12개", "[본사] 들샘 보리차 블랙라벨 1.5L 12개")
"""Titles that the rules leave open."""


@pytest.fixture(scope="module")
def model() -> Iterator[Market]:
    """A sandbox whose model compares words: every title here holds all of the request's."""
    with serve() as market:
        yield market


@pytest.fixture
def paid(market: ScriptedMarket, db: Database, model: Market) -> Callable[..., None]:
    """Switch the model on, with whatever else is set."""
    from tasks.runtime import runtime

    model.reset()

    def switch(**more: str) -> None:
        env = ENV | {"OPENAI_API_KEY": "k", "LPS_AI__BASE_URL": f"{model.url}/ai/v1", "LPS_SEARCH__FRESH_S": "0"}
        runtime.use(config.load(env=env | {"LPS_SEARCH__FALLBACK": "never"} | more), db.pool, market)

    switch()
    return switch


def _shelf(market: ScriptedMarket, *titles: str, first: int = 9000) -> None:
    market.script["naver"] = [tuple(_tea(title, first + 100 * at) for at, title in enumerate(titles))]
    market.script["coupang"] = [()]


def _tea(title: str, price: int) -> Offer:
    return offer("naver", price, title)


def test_an_open_offer_that_a_model_calls_the_same_wins(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """One call; its tokens, its price and the mode stand in the result, and the ledger agrees with the endpoint."""
    _shelf(market, *OPEN)
    result = bench.done(TEA)
    ai, counts = result["metrics"]["ai"], model.oracle.counts()
    assert ("found", "ai", "") == (result["outcome"], result["mode"], result["mode_reason"])
    assert (9000, "ai") == (result["lowest"]["price"], result["lowest"]["decided_by"])
    assert (1, 1, counts["input_tokens"], counts["output_tokens"]) == (
        counts["answers"],
        ai["calls"],
        ai["input_tokens"],
        ai["output_tokens"],
    )
    cost = Decimal(counts["input_tokens"]) * Decimal("0.15") + Decimal(counts["output_tokens"]) * Decimal("0.60")
    assert pytest.approx(float(cost) / 1e6, abs=1e-8) == result["metrics"]["cost"]["ai_usd"]


def test_the_second_identical_search_costs_nothing(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """The pairs are remembered, and the result says that a model decided them."""
    _shelf(market, *OPEN)
    bench.done(TEA)
    again = bench.done(TEA, again=True)
    assert ("ai", 0, 3, 0.0) == (
        again["mode"],
        again["metrics"]["ai"]["calls"],
        again["metrics"]["ai"]["cached"],
        again["metrics"]["cost"]["ai_usd"],
    )
    assert "cache" == again["lowest"]["decided_by"]
    assert model.oracle.counts()["answers"] == 1


def test_what_is_dearer_than_a_sure_offer_is_not_asked(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """Only the lowest price matters: with the sure offer cheapest, no call is made."""
    _shelf(market, SURE, *OPEN)
    result = bench.done(TEA)
    assert ("rules", "nothing to ask", 0) == (result["mode"], result["mode_reason"], model.oracle.counts()["requests"])


@pytest.mark.parametrize(
    "case",
    [
        ("timeout", "", "ai_timeout", 1),
        ("http429", "7", "ai_rate_limited", 1),
        ("insufficient_quota", "", "ai_no_quota", 1),
        ("error500", "", "ai_error", 1),
        ("error503", "1", "ai_error", 1),
        ("bad_key", "", "ai_bad_key", 1),
        ("not_json", "", "ai_invalid", 1),
        ("broken_off", "", "ai_error", 1),
        ("refusal", "", "ai_refusal", 1),
        ("truncated", "", "ai_truncated", 2),
        ("null", "", "ai_truncated", 2),
        ("invalid", "", "ai_invalid", 1),
        ("prose", "", "ai_invalid", 1),
        ("wrong_canary", "", "ai_untrusted", 1),
        ("all_different", "", "ai_untrusted", 1),
    ],
)
def test_every_failure_of_the_model_ends_in_the_rules(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market, case: tuple[str, str, str, int]
) -> None:
    """No open offer wins, the reason is told, every paid token is in the ledger, and nothing is remembered."""
    failure, arg, why, calls = case
    paid(LPS_AI__TIMEOUT_S="1")
    model.oracle.fail(failure, arg)
    _shelf(market, *OPEN)
    result = bench.done(TEA)
    counts = model.oracle.counts()
    assert ("no_safe_match", "rules", why) == (result["outcome"], result["mode"], result["mode_reason"])
    assert (calls, calls) == (counts["requests"], result["metrics"]["ai"]["calls"])
    known = failure not in ("timeout", "not_json", "broken_off")
    assert (counts["input_tokens"] if known else 0) == result["metrics"]["ai"]["input_tokens"]
    assert [(0,)] == bench.database.rows("SELECT count(*) FROM match_decision")
    rows = "SELECT DISTINCT (detail->>'usage_known')::bool, known_or_worst FROM spend, LATERAL (SELECT"
    rows += " (detail->>'usage_known')::bool OR settled_usd = reserved_usd AS known_or_worst) AS x"
    assert [(known, True)] == bench.database.rows(rows)


def test_a_cut_answer_is_asked_again_with_the_cheaper_half(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """The half answers; what was left out stays open, and the result says so."""
    model.oracle.fail("truncated", "first=1")
    _shelf(market, *OPEN)
    result = bench.done(TEA)
    assert ("found", "ai", "ai_truncated", 2) == (
        result["outcome"],
        result["mode"],
        result["mode_reason"],
        result["metrics"]["ai"]["calls"],
    )
    assert 9000 == result["lowest"]["price"]


def test_past_the_deadline_what_is_remembered_still_counts(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """A search without time asks nobody, and knows what was paid for before."""
    _shelf(market, *OPEN[:1])
    bench.done(TEA)
    _shelf(market, *OPEN)
    market.script["coupang"] = [lambda _: market.aborted.wait(1.5) and ()]
    late = bench.done(TEA, again=True, deadline_s=1.0)
    assert ("found", "ai", "deadline", 0) == (
        late["outcome"],
        late["mode"],
        late["mode_reason"],
        late["metrics"]["ai"]["calls"],
    )


def test_over_the_cap_the_rules_decide(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """Nothing is asked that no budget had left."""
    paid(LPS_MONEY__HOUR_CAP_USD="0.00001")
    _shelf(market, *OPEN)
    result = bench.done(TEA)
    assert ("rules", "over_budget hour") == (result["mode"], result["mode_reason"])
    assert model.oracle.counts()["requests"] == 0


def test_a_model_never_overturns_a_reject(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """Another count, however cheap, is not even asked about."""
    _shelf(market, "들샘 보리차 1.5L 6개", "들샘 보리차 1.5L 12개 중고")
    assert "no_safe_match" == bench.done(TEA)["outcome"]
    assert model.oracle.counts()["titles"] == 0


def test_eight_searches_of_one_product_pay_once(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """Racing match rounds on the same pairs: one asks, seven wait for its answer."""
    model.oracle.fail("slow", "400")
    _shelf(market, *OPEN)
    from tasks.submit import submit

    codes = [Product(code=f"T{n}", name=TEA.name, specification=TEA.specification) for n in range(8)]
    results = [bench.wait(job_id).result or {} for job_id in [submit(product).job_id for product in codes]]
    assert {("ai", 9000)} == {(one["mode"], one["lowest"]["price"]) for one in results}
    counts = model.oracle.counts()
    assert (1, 1) == (counts["requests"], sum(one["metrics"]["ai"]["calls"] for one in results))
    assert [(1,)] == bench.database.rows("SELECT count(*) FROM spend")


def test_a_persons_word_wins_over_model_and_rules(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """What a person called different stays so in every later search, for nothing, and is kept as a labelled case."""
    from tasks import correct

    _shelf(market, *OPEN)
    first = bench.search(TEA)
    correct.correct(first.job_id, "1", Same.DIFFERENT, who="kim", why="다른 맛")
    with bench.database.pool.transaction() as cur:
        cases = decisions.labelled(cur)
    again = bench.search(TEA, again=True)
    assert again.result is not None
    assert 9100 == again.result["lowest"]["price"]
    assert [(OPEN[0], 0, "kim", "same")] == [
        (case["offer_title"], case["label"], case["who"], case["model_said"]) for case in cases
    ]
    with bench.database.pool.transaction() as cur:
        told = {one.offer.name: one for one in offers.decisions(cur, again.job_id)}[OPEN[0]]
    assert ("person", "kim: 다른 맛", Reason.UNKNOWN) == (told.source, told.note, told.reason)


def test_the_ledger_and_the_endpoint_count_the_same(
    bench: Bench, market: ScriptedMarket, paid: Callable[..., None], model: Market
) -> None:
    """Discarded answers included: what the endpoint billed is what the ledger holds."""
    total: dict[str, Any] = {"calls": 0, "input": 0, "output": 0}
    for n, failure in enumerate(("ok", "refusal", "truncated", "wrong_canary")):
        model.oracle.fail(failure)
        _shelf(market, *OPEN)
        product = Product(code=f"L{n}", name=f"들샘 보리차 1.5L {n + 20}호", specification="12개")
        market.script["naver"] = [tuple(_tea(f"{title} {n + 20}호", 9000 + n) for title in OPEN)]
        job = bench.search(product)
        with bench.database.pool.transaction() as cur:
            spent = spend.of_job(cur, job.job_id)
        total = {
            "calls": total["calls"] + spent.calls,
            "input": total["input"] + spent.input_tokens,
            "output": total["output"] + spent.output_tokens,
        }
    counts = model.oracle.counts()
    assert total == {
        "calls": counts["answers"],
        "input": counts["input_tokens"],
        "output": counts["output_tokens"],
    }
