"""Misbehaviour on demand."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from typing import TYPE_CHECKING

import pytest
from selectolax.lexbor import LexborHTMLParser

from model import MALLS
from sandbox.scenario import TABLE, read
from sandbox.strike import UnknownScenario

if TYPE_CHECKING:
    from tests.sandbox.conftest import Visitor

RICE = "햇반 백미밥 210g"


@pytest.mark.parametrize("mall", MALLS)
def test_empty_is_the_malls_own_empty_answer(visit: Visitor, mall: str) -> None:
    """The same body as for unknown goods, query apart."""
    absent = visit.search(mall, "없는상품").text
    visit.market.set_scenario(mall, "empty")
    assert re.sub(r"없는상품|%EC\S+", "", absent) == re.sub(r"없는상품|%EC\S+", "", visit.search(mall, "없는상품").text)
    assert "0" in visit.search(mall, RICE).text


@pytest.mark.parametrize(
    ("mall", "marker"),
    [
        ("naver", '"errorCode": "024"'),
        ("coupang", "Reference #18."),
        ("gmarket", "<title>Just a moment...</title>"),
        ("auction", "/cdn-cgi/challenge-platform/"),
        ("st11", '"isBanned":true'),
    ],
)
def test_blocked_pages_carry_their_gates_marker(visit: Visitor, mall: str, marker: str) -> None:
    """403 with what the real gate writes."""
    visit.market.set_scenario(mall, "block403")
    reply = visit.search(mall, RICE)
    assert 403 == reply.status
    assert marker in reply.text


def test_akamai_answers_with_303_bytes(visit: Visitor) -> None:
    """As in both real copies."""
    visit.market.set_scenario("coupang", "block403")
    assert 303 == len(visit.search("coupang", RICE).body)


def test_a_block_can_come_after_some_pages(visit: Visitor) -> None:
    """`after=3`: the fourth page is refused, whatever it is."""
    visit.market.set_scenario("coupang", "block403", "after=3")
    pages = [visit.get("/coupang/").status] + [visit.search("coupang", RICE).status for _ in range(4)]
    assert [200, 200, 200, 403, 403] == pages


def test_a_scenario_can_pass(visit: Visitor) -> None:
    """`first=2`: two refusals, then all is well."""
    visit.market.set_scenario("naver", "http429", "first=2")
    assert [429, 429, 200] == [visit.search("naver", RICE).status for _ in range(3)]


def test_a_challenge_is_passed_with_its_cookie(visit: Visitor) -> None:
    """The page sets it by script and loads again."""
    visit.market.set_scenario("gmarket", "challenge")
    first = visit.search("gmarket", RICE)
    assert (403, True) == (first.status, "cf_clearance=sandbox" in first.text)
    path = "/gmarket/n/search?keyword=x"
    assert 200 == visit.get(path, {"Cookie": "a=b; cf_clearance=sandbox"}).status


def test_429_says_when_to_come_back(visit: Visitor) -> None:
    """Retry-After at the malls, an error code at Naver."""
    visit.market.set_scenario("st11", "http429", "7")
    assert "7" == visit.search("st11", RICE).headers["retry-after"]
    visit.market.set_scenario("naver", "http429", "daily")
    assert "010" == visit.search("naver", RICE).json()["errorCode"]


def test_renamed_hashes_change_nothing_that_parsers_use(visit: Visitor) -> None:
    """Other suffixes, same prefixes, same number of cards."""
    plain = visit.search("coupang", RICE).text
    visit.market.set_scenario("coupang", "drift_hash")
    drifted = visit.search("coupang", RICE).text
    assert "productUnit__Qd6sv" not in drifted
    selector = "#product-list > li[class*=ProductUnit_productUnit] [class*=PriceArea_priceArea]"
    assert len(LexborHTMLParser(plain).css(selector)) == len(LexborHTMLParser(drifted).css(selector)) > 5


@pytest.mark.parametrize(
    ("mall", "gone"),
    [
        ("naver", '"lprice"'),
        ("coupang", "ProductUnit_"),
        ("gmarket", "commonItemInfo"),
        ("auction", "box__item-container"),
        ("st11", '"groupName"'),
    ],
)
def test_renamed_prefixes_break_every_parser(visit: Visitor, mall: str, gone: str) -> None:
    """The goods are still on the page."""
    assert gone in visit.search(mall, RICE).text
    visit.market.set_scenario(mall, "drift_prefix")
    drifted = visit.search(mall, RICE)
    assert gone not in drifted.text
    assert "백미밥" in drifted.text


def test_a_bait_costs_a_tenth_and_may_heal(visit: Visitor) -> None:
    """With first=1 the second reading shows the true price again."""
    true = visit.search("naver", RICE).text
    visit.market.set_scenario("naver", "bait", "first=1")
    bait, healed = (visit.search("naver", RICE).text for _ in range(2))
    prices = [[int(price) for price in re.findall(r'"lprice": ?"(\d+)"', text)] for text in (true, bait, healed)]
    assert prices[0] == prices[2]
    assert [10] == [round(was / now) for was, now in zip(*prices[:2], strict=True) if was != now]


def test_a_truncated_body_ends_early(visit: Visitor) -> None:
    """Honestly declared: three fifths of it."""
    whole = len(visit.search("gmarket", RICE).body)
    visit.market.set_scenario("gmarket", "truncated")
    reply = visit.search("gmarket", RICE)
    assert len(reply.body) == int(reply.headers["content-length"]) == pytest.approx(whole * 0.6, abs=4)


def test_a_cut_connection_breaks_its_promise(visit: Visitor) -> None:
    """The declared length never comes."""
    visit.market.set_scenario("gmarket", "truncated", "wire")
    with pytest.raises(http.client.IncompleteRead):
        visit.search("gmarket", RICE)


def test_wrong_and_right_charsets(visit: Visitor) -> None:
    """EUC-KR bytes, labelled UTF-8 or as they are."""
    visit.market.set_scenario("coupang", "euckr")
    wrong = visit.search("coupang", RICE)
    assert ("utf-8" in wrong.headers["content-type"], "백미밥" in wrong.text) == (True, False)
    assert "백미밥" in wrong.body.decode("euc-kr")
    visit.market.set_scenario("coupang", "euckr", "declared")
    assert "euc-kr" in visit.search("coupang", RICE).headers["content-type"]


def test_huge_pages_still_hold_their_goods(visit: Visitor) -> None:
    """Two megabytes of filler."""
    for mall in ("coupang", "st11"):
        visit.market.set_scenario(mall, "huge", "2")
        reply = visit.search(mall, RICE)
        assert len(reply.body) > 1_900_000
        assert "백미밥" in reply.text


@pytest.mark.parametrize(
    ("mall", "word"), [("coupang", "일시품절"), ("gmarket", '"isSoldOut":true'), ("st11", '"soldOut":true')]
)
def test_everything_can_be_sold_out(visit: Visitor, mall: str, word: str) -> None:
    """Every card says so."""
    few = visit.search(mall, RICE).text.count(word)
    visit.market.set_scenario(mall, "sold_out_all")
    assert visit.search(mall, RICE).text.count(word) > few


def test_cards_can_lose_their_price(visit: Visitor) -> None:
    """Every third."""
    visit.market.set_scenario("coupang", "no_price")
    cards = LexborHTMLParser(visit.search("coupang", RICE).text).css("li[class*=ProductUnit_productUnit]")
    bare = [card for card in cards if not card.css("[class*=PriceArea_priceArea]")]
    assert len(cards) // 3 == len(bare)


def test_a_shell_has_no_cards(visit: Visitor) -> None:
    """11st says that it is loading."""
    visit.market.set_scenario("st11", "not_rendered")
    assert "데이터를 로딩 중입니다." in visit.get("/st11/pc/total-search?kwd=x").text


def test_a_ban_is_said_in_json(visit: Visitor) -> None:
    """200 with isBanned."""
    visit.market.set_scenario("st11", "banned")
    reply = visit.search("st11", RICE)
    assert (200, True) == (reply.status, reply.json()["isBanned"])


@pytest.mark.parametrize("mall", MALLS)
def test_server_errors(visit: Visitor, mall: str) -> None:
    """500."""
    visit.market.set_scenario(mall, "error500")
    assert 500 == visit.search(mall, RICE).status


def test_a_slow_mall_delays_only_itself(visit: Visitor) -> None:
    """150 ms."""
    visit.market.set_scenario("auction", "slow", "150")
    start = time.monotonic()
    visit.search("auction", RICE)
    middle = time.monotonic()
    visit.search("gmarket", RICE)
    assert middle - start >= 0.15 > time.monotonic() - middle


def test_a_hanging_mall_lets_others_work_and_ends_with_its_time(visit: Visitor) -> None:
    """The answer comes after the arg's seconds."""
    visit.market.set_scenario("coupang", "hang", "0.3")
    late: list[int] = []
    thread = threading.Thread(target=lambda: late.append(visit.search("coupang", RICE).status))
    thread.start()
    assert 200 == visit.search("gmarket", RICE).status
    assert [] == late
    thread.join(5)
    assert [200] == late


def test_a_third_party_is_slow_and_the_page_is_not(visit: Visitor) -> None:
    """Another host's name, which answers late and empty."""
    visit.market.set_scenario("coupang", "slow_third_party", "300")
    start = time.monotonic()
    page = visit.search("coupang", RICE).text
    middle = time.monotonic()
    third = re.search(r"http://localhost:\d+(/_third/tag\?ms=300)", page)
    assert third
    assert 204 == visit.get(third[1]).status
    assert middle - start < 0.3 <= time.monotonic() - middle


def test_robots_txt_is_served_by_every_mall(visit: Visitor) -> None:
    """Whatever else the mall is up to."""
    for mall in MALLS:
        visit.market.set_scenario(mall, "block403")
        assert "User-agent: *" in visit.get(f"/{mall}/robots.txt").text


def test_a_reset_ends_the_connection(visit: Visitor) -> None:
    """A head, then nothing."""
    visit.market.set_scenario("coupang", "reset")
    with pytest.raises(http.client.IncompleteRead):
        visit.search("coupang", RICE)


def test_pictures_are_never_touched(visit: Visitor) -> None:
    """Only pages misbehave."""
    visit.market.set_scenario("coupang", "block403")
    assert 200 == visit.get("/coupang/img/1.png").status


def test_scenarios_are_set_over_http(visit: Visitor) -> None:
    """And read back, and reset."""
    body = json.dumps({"mall": "st11", "name": "slow", "arg": "5,first=2"})
    reply = visit.get("/_sandbox/scenario", method="POST", body=body)
    assert {"name": "slow", "arg": "5", "after": 0, "first": 2} == reply.json()["scenarios"]["st11"]
    visit.get("/_sandbox/reset", method="POST")
    assert "ok" == visit.get("/_sandbox/scenario").json()["scenarios"]["st11"]["name"]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"mall":"lotte","name":"ok"}',
        '{"mall":"st11","name":"nonsense"}',
        '{"mall":"st11","name":"slow","arg":"soon"}',
        '{"mall":"st11","name":"ok","arg":"often=3"}',
    ],
)
def test_a_wrong_wish_is_refused(visit: Visitor, body: str) -> None:
    """400, and nothing changes."""
    reply = visit.get("/_sandbox/scenario", method="POST", body=body)
    assert (400, "ok") == (reply.status, visit.market.malls.scenarios()["st11"].name)


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("mall", MALLS)
def test_every_scenario_answers_at_every_mall(visit: Visitor, mall: str, name: str) -> None:
    """No scenario breaks the sandbox itself."""
    visit.market.set_scenario(mall, name, {"hang": "0", "slow": "1", "huge": "0.1"}.get(name, ""))
    if name == "reset":
        with pytest.raises(http.client.IncompleteRead):
            visit.search(mall, RICE)
    else:
        assert "1" == visit.search(mall, RICE).headers["x-lps-sandbox"]


def test_unknown_scenarios_are_named() -> None:
    """With what there is."""
    with pytest.raises(UnknownScenario, match="block403"):
        read("naver", "blocked")
