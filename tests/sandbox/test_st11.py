"""11st in the sandbox: the shop's JSON and its page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser

from sandbox.catalogue import offers_of

if TYPE_CHECKING:
    from tests.sandbox.conftest import Visitor

RICE = "햇반 백미밥 210g"
BY_ID = {offer.offer_id: offer for offer in offers_of("st11")}


def listed(answer: Any) -> list[dict[str, Any]]:
    """The items of the result proper."""
    return [item for group in answer["data"] if group["groupName"] == "list" for item in group["items"]]


def page(visit: Visitor, query: str) -> str:
    """The result page."""
    return visit.get(f"/st11/pc/total-search?kwd={quote(query)}").text


def test_only_the_group_list_is_the_result(visit: Visitor) -> None:
    """Ads and recommendations repeat items in groups of their own."""
    answer = visit.search("st11", RICE, tabId="TOTAL_SEARCH").json()
    items = listed(answer)
    assert answer["totalCount"] == len(items) > 3
    assert answer["isBanned"] is False
    assert {"list", "recommend", "searchKeyword"} <= {group["groupName"] for group in answer["data"]}


def test_items_have_the_shops_fields(visit: Visitor) -> None:
    """Prices are numbers; nothing is said about shipping."""
    for item in listed(visit.search("st11", RICE).json()):
        offer = BY_ID[item["id"]]
        assert (offer.title, offer.price_krw, offer.seller) == (item["title"], item["finalPrc"], item["sellerNickName"])
        assert offer.sold_out is item["isSoldOut"] is item["soldOut"]
        assert offer.ad is item["adProduct"]
        assert offer.ad == (str(offer.offer_id) not in item["linkUrl"])
        assert not any("deliver" in name.lower() or "dlv" in name.lower() for name in item)


def test_the_page_shows_the_same_offers(visit: Visitor) -> None:
    """The name is the dd alone, the number stands in data-log-body."""
    cards = LexborHTMLParser(page(visit, RICE)).css("li.c-search-list__item")
    assert {item["id"] for item in listed(visit.search("st11", RICE).json())} == {_number(card) for card in cards}
    for card in cards:
        offer = BY_ID[_number(card)]
        name, price = card.css_first(".c-card-item__name dd"), card.css_first(".c-card-item__price .value")
        assert (offer.title, f"{offer.price_krw:,}") == (name and name.text(), price and price.text())


def _number(card: Any) -> int:
    return int(json.loads(card.css_first("a.c-card-item__anchor").attributes["data-log-body"])["content_no"])


def test_few_cards_state_shipping(visit: Visitor) -> None:
    """Those that do, say 무료 or an amount."""
    cards = [card for product in (RICE, "생수", "샴푸") for card in LexborHTMLParser(page(visit, product)).css("li")]
    cells = [cell.text() for card in cards for cell in card.css("dd.c-card-item__price-delivery .value")]
    assert 0 < len(cells) < len(cards)
    assert all(cell == "무료" or cell.endswith("원") for cell in cells)


def test_nothing_found_is_an_empty_list(visit: Visitor) -> None:
    """Total 0 and no group list; the page says it in words."""
    answer = visit.search("st11", "없는상품 ZZZ-9999").json()
    assert (0, []) == (answer["totalCount"], listed(answer))
    assert "검색결과가 없습니다" in page(visit, "없는상품 ZZZ-9999")
    assert "검색결과가 없습니다" not in page(visit, RICE)


def test_links_lead_to_a_page(visit: Visitor) -> None:
    """Products with their price, ads with a hand-over."""
    for item in listed(visit.search("st11", "생수").json()) + listed(visit.search("st11", RICE).json()):
        reply = visit.get(item["linkUrl"])
        assert 200 == reply.status
        assert item["adProduct"] or f"{item['finalPrc']:,}원" in reply.text
