"""Naver's API in the sandbox: parameters, errors and forms of the official guide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.sandbox.conftest import Visitor

RICE = "햇반 백미밥 210g"
FIELDS = {
    *("title", "link", "image", "lprice", "hprice", "mallName", "productId", "productType", "brand", "maker"),
    *("category1", "category2", "category3", "category4"),
}


def test_every_value_is_a_string(visit: Visitor) -> None:
    """As the real API answers, whatever its guide says: hprice is empty."""
    answer = visit.search("naver", RICE, display="100").json()
    assert answer["total"] == len(answer["items"]) > 5
    for item in answer["items"]:
        assert FIELDS == set(item)
        assert all(isinstance(value, str) for value in item.values())
        assert "" == item["hprice"]


def test_matched_words_are_bold(visit: Visitor) -> None:
    """The title of the first hit has them all."""
    (title, *_) = [item["title"] for item in visit.search("naver", RICE).json()["items"]]
    assert {"<b>햇반</b>", "<b>백미밥</b>", "<b>210g</b>"} <= set(title.replace("</b>", "</b> ").split())


def test_catalogue_rows_come_from_naver(visit: Visitor) -> None:
    """Type 1, mallName 네이버, a catalogue link."""
    items = visit.search("naver", RICE, display="100").json()["items"]
    rows = [item for item in items if item["productType"] == "1"]
    assert rows
    assert all(item["mallName"] == "네이버" and "/naver/catalog/" in item["link"] for item in rows)


@pytest.mark.parametrize("missing", ["X-Naver-Client-Id", "X-Naver-Client-Secret"])
def test_missing_keys_are_refused(visit: Visitor, missing: str) -> None:
    """401 with errorCode 024."""
    reply = visit.get("/naver/v1/search/shop.json?query=x", {missing: ""})
    assert (401, "024") == (reply.status, reply.json()["errorCode"])


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"display": "0"}, "SE02"),
        ({"display": "101"}, "SE02"),
        ({"display": "many"}, "SE02"),
        ({"start": "0"}, "SE03"),
        ({"start": "1001"}, "SE03"),
        ({"sort": "price"}, "SE04"),
    ],
)
def test_bad_parameters_have_their_error_code(visit: Visitor, more: dict[str, str], code: str) -> None:
    """400 with the guide's code."""
    reply = visit.search("naver", RICE, **more)
    assert (400, code) == (reply.status, reply.json()["errorCode"])


def test_an_empty_query_is_refused(visit: Visitor) -> None:
    """SE01, as for a query that cannot be read."""
    assert "SE01" == visit.search("naver", " ").json()["errorCode"]


def test_pages_follow_each_other(visit: Visitor) -> None:
    """`start` counts items from 1."""
    whole = [item["productId"] for item in visit.search("naver", RICE, display="6").json()["items"]]
    second = [item["productId"] for item in visit.search("naver", RICE, display="3", start="4").json()["items"]]
    assert whole[3:] == second


def test_sorting_by_price(visit: Visitor) -> None:
    """Ascending and descending."""
    up = [int(item["lprice"]) for item in visit.search("naver", RICE, display="100", sort="asc").json()["items"]]
    down = [int(item["lprice"]) for item in visit.search("naver", RICE, display="100", sort="dsc").json()["items"]]
    assert sorted(up) == up
    assert up[::-1] == down


def test_exclude_leaves_out_used_rental_and_agents(visit: Visitor) -> None:
    """The three words of the guide, joined by colons."""
    query = "닌텐도 스위치 OLED 화이트 본체"
    every = visit.search("naver", query, display="100").json()["items"]
    fewer = visit.search("naver", query, display="100", exclude="used:rental:cbshop").json()["items"]
    gone = {item["title"] for item in every} - {item["title"] for item in fewer}
    assert any("중고" in title for title in gone)
    assert any("대여" in title for title in gone)
    assert not any(4 <= int(item["productType"]) <= 6 for item in fewer)


def test_nothing_found_is_a_total_of_zero(visit: Visitor) -> None:
    """200, no items."""
    reply = visit.search("naver", "없는상품 ZZZ-9999")
    assert (200, 0, []) == (reply.status, reply.json()["total"], reply.json()["items"])
    assert '"total":0' in reply.text


def test_another_api_does_not_exist(visit: Visitor) -> None:
    """SE05 with 404."""
    reply = visit.get("/naver/v1/search/blog.json?query=x")
    assert (404, "SE05") == (reply.status, reply.json()["errorCode"])
