"""The outcome table: every outcome a source can have, each seen happening, and none taken for another.

`SANDBOX`: a mall misbehaves over real HTTP. Saved pages: what a browser or a proxy hands over. Paused malls are not
asked at all: tests/tasks/test_canary.py.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

import crawl
from crawl import Crawler
from crawl.mall import Body
from errors import SourceFailure
from model import SourceOutcome
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from config import Settings
    from sandbox.server import Market

QUERY = "햇반"
SANDBOX = [
    ("ok", "", "coupang", "ok", ""),
    ("ok", "", "coupang", "ads44", ""),
    ("ok", "", "gmarket", "drift_hash", ""),
    ("ok", "", "auction", "euckr", ""),
    ("ok", "", "coupang", "slow", "50"),
    ("ok", "", "gmarket", "huge", "10"),
    ("ok", "", "coupang", "slow_third_party", ""),
    ("ok", "truncated", "coupang", "truncated", ""),
    ("ok", "", "coupang", "sold_out_all", ""),
    ("empty", "", "naver", "empty", ""),
    ("empty", "", "coupang", "empty", ""),
    ("empty", "", "gmarket", "empty", ""),
    ("empty", "", "auction", "empty", ""),
    ("empty", "", "st11", "empty", ""),
    ("blocked", "akamai", "coupang", "block403", ""),
    ("blocked", "cloudflare", "gmarket", "block403", ""),
    ("blocked", "cloudflare", "auction", "challenge", ""),
    ("blocked", "cloudflare", "coupang", "challenge_endless", ""),
    ("blocked", "banned", "st11", "block403", ""),
    ("blocked", "banned", "st11", "banned", ""),
    ("blocked", "key", "naver", "block403", ""),
    ("blocked", "http_403", "naver", "block403", "plain"),
    ("blocked", "http_418", "coupang", "http418", ""),
    ("blocked", "http_429", "auction", "http429", "7"),
    ("blocked", "http_429", "naver", "http429", "daily"),
    ("not_rendered", "", "coupang", "not_rendered", ""),
    ("not_rendered", "", "gmarket", "not_rendered", ""),
    ("not_rendered", "", "st11", "not_rendered", ""),
    ("drift", "no_cards", "coupang", "drift_prefix", ""),
    ("drift", "no_cards", "gmarket", "drift_prefix", ""),
    ("drift", "no_cards", "auction", "drift_prefix", ""),
    ("drift", "price", "st11", "drift_prefix", ""),
    ("drift", "name", "naver", "drift_prefix", ""),
    ("unknown_page", "http_404", "coupang", "not_found", ""),
    ("unknown_page", "http_404", "naver", "not_found", ""),
    ("unknown_page", "", "auction", "foreign", ""),
    ("unknown_page", "too_deep", "coupang", "nested", ""),
    ("unknown_page", "too_large", "gmarket", "huge", "20"),
    ("net", "http_500", "gmarket", "error500", ""),
    ("net", "truncated", "auction", "reset", ""),
    ("net", "truncated", "coupang", "truncated", "wire"),
    ("net", "truncated", "st11", "truncated", ""),
    ("deadline", "", "coupang", "hang", ""),
    ("disabled", "", "coupang", "disabled", ""),
]
PAGES = sorted((ROOT / "tests/pages").glob("*/*.expected.json"))
SHOWN_BY_A_PAGE = [json.loads(page.read_text(encoding="utf-8"))["outcome"] for page in PAGES]


class Nothing:
    """A browser that sees an unfinished page, where a second look is tried."""

    def get(self, url: str, *_: object, **__: object) -> Body:
        """That page."""
        return Body(content="<html><div id=App></div></html>", url=url)

    def abort(self, thread: int) -> None:
        """Nothing is under way."""

    def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize(("outcome", "kind", "mall", "scenario", "arg"), SANDBOX)
def test_a_misbehaving_mall_has_the_outcome_of_the_table(
    settings: Callable[..., Settings], market: Market, outcome: str, kind: str, mall: str, scenario: str, arg: str
) -> None:
    """One scenario, one outcome, whichever way it comes back."""
    if scenario == "disabled":
        crawler = Crawler(settings(LPS_COUPANG__ENABLED="false"))
    else:
        market.set_scenario(mall, scenario, arg)
        crawler = Crawler(settings(), browser=Nothing)
    left_s = 0.4 if scenario == "hang" else 20
    try:
        page = crawler.fetch(mall, QUERY, time.monotonic() + left_s)
        found = page.outcome, page.kind
    except SourceFailure as error:
        found = error.outcome, error.kind
    finally:
        crawler.close()
    assert (outcome, kind) == found


def test_no_outcome_is_missing() -> None:
    """Each is in the table above, or in the saved pages; `paused` is the queue's."""
    seen = {row[0] for row in SANDBOX} | set(SHOWN_BY_A_PAGE) | {"paused"}
    assert {outcome.value for outcome in SourceOutcome} == seen


def test_every_outcome_that_is_a_page_has_a_saved_one() -> None:
    """Also those that the sandbox can show."""
    pages = {"ok", "empty", "blocked", "not_rendered", "drift", "unknown_page", "net", "proxy_auth", "proxy_dead"}
    assert pages == set(SHOWN_BY_A_PAGE)


def test_a_second_look_makes_a_result_of_a_challenge(market: Market, settings: Callable[..., Settings]) -> None:
    """Refused before the script has run, answered after it: the cookie is all the difference."""
    market.set_scenario("gmarket", "challenge")
    url = f"{market.base_urls()['gmarket']}/n/search?keyword={QUERY}"
    crawler = Crawler(settings())
    try:
        http = crawler._http_fetcher()
        first = http.get(url, time.monotonic() + 5)
        passed = http.get(url, time.monotonic() + 5, {"Cookie": "cf_clearance=sandbox"})
    finally:
        crawler.close()
    outcomes = [crawl.parse_file("gmarket", body.content, status=body.status).outcome for body in (first, passed)]
    assert ["blocked", "ok"] == outcomes


def test_forty_four_percent_ads_are_told_from_goods(settings: Callable[..., Settings], market: Market) -> None:
    """As on the real page that was counted: 51 of 115."""
    market.set_scenario("coupang", "ads44")
    crawler = Crawler(settings())
    offers = crawler.fetch("coupang", QUERY, time.monotonic() + 10).offers
    crawler.close()
    assert 0.4 <= sum(offer.ad for offer in offers) / len(offers) <= 0.7
