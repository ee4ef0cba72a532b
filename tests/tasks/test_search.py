"""A whole search on the real queue and database, the malls scripted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from crawl import Page
from errors import Blocked, Drift, UpstreamDown
from model import JobStatus, Product, SourceOutcome
from tests.tasks.conftest import WATER, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from model import Offer
    from tests.conftest import Database

WRONG = "맑은샘 생수 500ml 20개"


def test_it_finds_the_lowest_effective_price(bench: Bench, market: ScriptedMarket) -> None:
    """The cheapest right offer wins, its shipping included; a cheaper wrong pack does not."""
    market.script["naver"] = [[offer("naver", 5_000, shipping=3_000), offer("naver", 900, "맑은샘 생수 2L 1개")]]
    market.script["coupang"] = [[offer("coupang", 7_000)]]
    result = bench.done()
    assert ("found", True) == (result["outcome"], result["complete"])
    lowest = result["lowest"]
    assert (7_000, 7_000, 0, "coupang") == tuple(lowest[k] for k in ("price", "item_price", "shipping", "mall"))
    assert {"naver", "coupang"} == set(result["sources"])


def test_a_safe_winner_spares_the_fallback_malls(bench: Bench, market: ScriptedMarket) -> None:
    """Nobody is asked for nothing."""
    market.script["naver"] = [[offer("naver", 5_000)]]
    bench.done()
    assert [0, 0, 0] == [market.count(mall) for mall in ("gmarket", "auction", "st11")]


def test_without_a_safe_winner_the_fallback_malls_are_asked(bench: Bench, market: ScriptedMarket) -> None:
    """The second round judges the offers of both."""
    market.script["naver"] = [[offer("naver", 800, WRONG)]]
    market.script["auction"] = [[offer("auction", 6_000)]]
    result = bench.done()
    assert ("found", "auction") == (result["outcome"], result["lowest"]["mall"])
    assert 5 == len(result["sources"])


def test_one_row_of_history_a_search(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Found searches leave their prices, by mall."""
    market.script["naver"] = [[offer("naver", 5_000), offer("naver", 6_000)]]
    market.script["coupang"] = [[offer("coupang", 4_800)]]
    bench.done()
    rows = db.rows("SELECT naver_lowest, coupang_lowest, final_lowest, final_source, by_mall FROM price_history")
    assert [(5_000, 4_800, 4_800, "coupang", {"naver": 5_000, "coupang": 4_800})] == rows


def test_offers_without_a_match_are_no_safe_match(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """A wrong winner is worse than none; nothing is remembered as absent."""
    market.script["naver"] = [[offer("naver", 800, WRONG)]]
    result = bench.done()
    assert ("no_safe_match", None) == (result["outcome"], result["lowest"])
    assert [] == db.rows("SELECT * FROM search_negative") + db.rows("SELECT * FROM price_history")


def test_only_real_answers_make_a_product_absent(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Five malls that say "nothing" write the negative cache; one that failed prevents it."""
    assert "not_found" == bench.done()["outcome"]
    assert [(1,)] == db.rows("SELECT count(*) FROM search_negative")
    market.script["gmarket"] = [Blocked("refused", kind="cloudflare")]
    other = Product(code="W2", name="다른 생수 2L", specification="6개")
    assert ("not_found", False) == tuple(bench.done(other)[key] for key in ("outcome", "complete"))
    assert [(1,)] == db.rows("SELECT count(*) FROM search_negative")


def test_a_blocked_mall_is_named(bench: Bench, market: ScriptedMarket) -> None:
    """Blocked is never empty: the answer is incomplete, and says which mall it misses."""
    market.script["naver"] = [[offer("naver", 5_000)]]
    market.script["coupang"] = [Blocked("Access Denied", kind="akamai")]
    result = bench.done()
    assert ("found", False, "blocked") == (
        result["outcome"],
        result["complete"],
        result["sources"]["coupang"]["outcome"],
    )


def test_a_page_that_broke_off_leaves_the_answer_incomplete(bench: Bench, market: ScriptedMarket) -> None:
    """What it showed may win, but the mall may have had a lower price."""
    cut = Page(
        mall="coupang",
        query="",
        outcome=SourceOutcome.OK,
        kind="truncated",
        offers=(offer("coupang", 7_000),),
        cards=2,
    )
    market.script["coupang"] = [cut]
    result = bench.done()
    source = result["sources"]["coupang"]
    assert ("found", False, "ok", "truncated") == (
        result["outcome"],
        result["complete"],
        source["outcome"],
        source["kind"],
    )


def test_a_passing_fault_is_tried_again(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """A reset connection costs a retry, not the source."""
    market.script["naver"] = [UpstreamDown("reset"), [offer("naver", 5_000)]]
    assert bench.done()["complete"]
    tries = db.rows("SELECT outcome FROM attempt WHERE stage = 'naver' ORDER BY try")
    assert [("retry",), ("ok",)] == tries


def test_a_lasting_fault_gives_up_the_source_not_the_search(bench: Bench, market: ScriptedMarket) -> None:
    """After the last try the source is marked, and the match runs with what is there."""
    market.script["naver"] = [UpstreamDown("refused")]
    market.script["coupang"] = [[offer("coupang", 7_000)]]
    result = bench.done()
    assert ("found", "net") == (result["outcome"], result["sources"]["naver"]["outcome"])
    assert 5 == market.count("naver")


def test_when_no_mall_can_be_read_the_job_is_dead(bench: Bench, market: ScriptedMarket) -> None:
    """With the reason of each."""
    for mall in ("naver", "coupang", "gmarket", "auction", "st11"):
        market.script[mall] = [Drift(f"{mall} changed")]
    job = bench.search()
    assert JobStatus.DEAD is job.status
    assert "coupang: drift (coupang changed)" in (job.error or "")


def test_the_ladder_is_climbed_only_while_nothing_survives(bench: Bench, market: ScriptedMarket) -> None:
    """A first rung with a possible offer is the last."""
    market.script["naver"] = [[offer("naver", 5_000)]]
    bench.done()
    assert 1 == market.count("naver")
    assert 1 < market.count("coupang")


def test_the_same_product_is_searched_once_at_a_time(bench: Bench, market: ScriptedMarket) -> None:
    """Whoever asks meanwhile gets the job under way, whatever the spacing and case."""
    from tasks.submit import submit

    hold = threading.Event()
    market.script["naver"] = [lambda _deadline: hold.wait(10) and [offer("naver", 5_000)]]
    first = submit(WATER)
    second = submit(Product(code="w1", name="맑은샘  생수 2l", specification="6개 "))
    hold.set()
    assert (first.job_id, True) == (second.job_id, second.deduped)
    bench.wait(first.job_id)


def test_a_fresh_answer_is_given_again_until_asked_anew(bench: Bench, market: ScriptedMarket) -> None:
    """Zero calls within the TTL; "search again" searches."""
    from tasks.submit import submit

    market.script["naver"] = [[offer("naver", 5_000)]]
    job = bench.search()
    calls = len(market.asked)
    again = submit(WATER)
    assert (job.job_id, True, calls) == (again.job_id, again.cached, len(market.asked))
    assert job.job_id != bench.search(again=True).job_id


def test_a_known_absent_product_is_answered_without_calls(bench: Bench, market: ScriptedMarket) -> None:
    """Its negative entry hands back the search that found nothing."""
    from tasks.submit import submit

    job = bench.search()
    calls = len(market.asked)
    answer = submit(WATER)
    assert (job.job_id, True, calls) == (answer.job_id, answer.cached, len(market.asked))


def test_an_incomplete_answer_is_not_given_again(bench: Bench, market: ScriptedMarket) -> None:
    """The next buyer may find the missing mall back."""
    from tasks.submit import submit

    market.script["naver"] = [[offer("naver", 5_000)]]
    market.script["coupang"] = [Blocked("no", kind="akamai")]
    job = bench.search()
    assert job.job_id != submit(WATER).job_id


def test_a_search_may_ask_for_the_fallback_malls_or_used_goods(bench: Bench, market: ScriptedMarket) -> None:
    """Its own options go before the settings, and make another question of the same product."""
    market.script["naver"] = [[offer("naver", 9_000), offer("naver", 4_000, "맑은샘 생수 2L 6개 중고", used=True)]]
    assert 9_000 == bench.done()["lowest"]["price"]
    every = bench.done(options={"fallback": "always", "allow_used": True})
    assert 4_000 == every["lowest"]["price"]
    assert "empty" == every["sources"]["gmarket"]["outcome"]
    assert 9_000 == bench.done()["lowest"]["price"]
    assert 2 == market.count("naver")


ORDINARY = (10_000, 10_500, 11_000)


def _bait(price: int) -> list[list[Offer]]:
    """Two readings of a mall: a price too good to be true among ordinary ones, then that price again or mended."""
    ordinary = [offer("naver", one) for one in ORDINARY]
    return [[*ordinary, offer("naver", 1_000, mall_item_id="7")], [*ordinary, offer("naver", price, mall_item_id="7")]]


def test_a_price_too_good_to_be_true_is_looked_at_once_more(bench: Bench, market: ScriptedMarket) -> None:
    """A slip of the page is gone at the second look, and the offer counts at its true price."""
    market.script["naver"] = [*_bait(9_000), AssertionError("a third look")]
    lowest = bench.done()["lowest"]
    assert (9_000, 2) == (lowest["price"], market.count("naver"))


def test_a_price_that_stays_too_good_is_never_the_winner(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """It is looked at once, not for ever, and stays unsure with its reason."""
    market.script["naver"] = [*_bait(1_000), AssertionError("a third look")]
    result = bench.done()
    assert (10_000, 2) == (result["lowest"]["price"], market.count("naver"))
    unsure = "SELECT reason, effective_price_krw FROM offer_verdict WHERE verdict = 'unsure'"
    assert [("price", 1_000)] == db.rows(unsure)


def test_a_second_look_that_fails_leaves_what_the_first_one_saw(bench: Bench, market: ScriptedMarket) -> None:
    """A mall that then refuses has still said what it said."""
    market.script["naver"] = [_bait(1_000)[0], Blocked("no", kind="akamai")]
    result = bench.done()
    assert (10_000, True) == (result["lowest"]["price"], result["complete"])
    assert ("ok", 4) == (result["sources"]["naver"]["outcome"], result["sources"]["naver"]["offers"])
