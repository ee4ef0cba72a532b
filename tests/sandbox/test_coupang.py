"""Coupang in the sandbox: both markups say the same, in the selectors that public parsers use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from sandbox.catalogue import SandboxOffer, offers_of

if TYPE_CHECKING:
    from tests.sandbox.conftest import Visitor

RICE = "햇반 백미밥 210g"
BY_ID = {str(offer.offer_id): offer for offer in offers_of("coupang")}


def cards(visit: Visitor, selector: str, query: str = RICE) -> list[tuple[LexborNode, SandboxOffer]]:
    """Every card with the offer it shows."""
    page = LexborHTMLParser(visit.search("coupang", query).text)
    found = []
    for card in page.css(selector):
        link = card.css_first("a")
        number = re.search(r"/vp/products/(\d+)", (link.attributes["href"] if link else "") or "")
        if number:
            found.append((card, BY_ID[number[1]]))
    return found


def text(card: LexborNode, selector: str) -> str:
    """The text of the first hit, "" without one."""
    node = card.css_first(selector)
    return node.text().strip() if node else ""


def test_new_cards_show_name_price_and_id(visit: Visitor) -> None:
    """Prefix-matched classes; the sale price is the bold div with 원."""
    shown = cards(visit, "#product-list > li[class*=ProductUnit_productUnit]")
    assert len(shown) > 5
    for card, offer in shown:
        assert offer.title == text(card, "[class*=ProductUnit_productName]")
        bold = [node.text() for node in card.css("[class*=PriceArea_priceArea] div.fw-font-bold")]
        assert f"{offer.price_krw:,}원" in bold[-1]
        assert str(offer.offer_id + 13) == card.attributes["data-id"]


def test_the_list_holds_a_widget_that_is_no_card(visit: Visitor) -> None:
    """A best-seller box with a product's link and price stands among the cards."""
    page = LexborHTMLParser(visit.search("coupang", RICE).text)
    assert 1 == len(page.css("#product-list > li.best-seller a[href*='/vp/products/']"))


def test_shipping_is_said_in_words(visit: Visitor) -> None:
    """Free, a fee, or a fee that falls away above an amount."""
    for card, offer in cards(visit, "li[class*=ProductUnit_productUnit]"):
        fee = text(card, "[class*=TextBadge_feePrice]")
        assert (f"배송비 {offer.shipping_krw:,}원" if offer.shipping_krw else "") == fee
        assert (offer.shipping_krw == 0) == any(node.text() == "무료배송" for node in card.css("span"))
        assert bool(offer.free_from_krw) == ("조건부 무료배송" in card.text())


def test_ads_are_told_in_three_ways(visit: Visitor) -> None:
    """AdMark, sourceType and korePlacement, always together."""
    shown = cards(visit, "li[class*=ProductUnit_productUnit]", "샴푸")
    assert {True, False} == {offer.ad for _, offer in shown}
    for card, offer in shown:
        link = card.css_first("a")
        href = (link.attributes["href"] if link else "") or ""
        signs = {bool(card.css("[class*=AdMark]")), "sourceType=srp_product_ads" in href, "korePlacement=" in href}
        assert {offer.ad} == signs


def test_sold_out_cards_say_so(visit: Visitor) -> None:
    """In words."""
    shown = cards(visit, "li[class*=ProductUnit_productUnit]")
    assert any(offer.sold_out for _, offer in shown)
    assert all(offer.sold_out == ("일시품절" in card.text()) for card, offer in shown)


def test_unit_and_member_prices_stand_beside_the_price(visit: Visitor) -> None:
    """Traps for whoever takes the last number."""
    whole = visit.search("coupang", RICE).text
    assert "(100g당 514원)" in whole
    assert "와우회원가" in whole


def test_old_markup_shows_the_same_offers(visit: Visitor) -> None:
    """`li.search-product`, with a widget that carries the class too."""
    new = {offer.offer_id for _, offer in cards(visit, "li[class*=ProductUnit_productUnit]")}
    visit.market.set_scenario("coupang", "markup_old")
    shown = cards(visit, "#productList > li.search-product:not(.best-seller)")
    assert new == {offer.offer_id for _, offer in shown}
    for card, offer in shown:
        assert (offer.title, f"{offer.price_krw:,}") == (text(card, "div.name"), text(card, "strong.price-value"))
        assert offer.sold_out == bool(card.css(".out-of-stock"))
    assert 1 == len(LexborHTMLParser(visit.search("coupang", RICE).text).css("li.search-product.best-seller"))


def test_overseas_cards_carry_the_badge(visit: Visitor) -> None:
    """A picture's name tells."""
    shown = cards(visit, "li[class*=ProductUnit_productUnit]", "삼성전자 990 PRO M.2 NVMe 2TB MZ-V9P2T0BW")
    assert any(offer.overseas for _, offer in shown)
    for card, offer in shown:
        assert offer.overseas == bool(card.css("[class*=ImageBadge] img[src*=jikgu]"))


@pytest.mark.parametrize(
    "marker", ["검색결과가 없습니다", "다른 검색어를 입력하시거나 철자와 띄어쓰기를 확인해 보세요"]
)
def test_nothing_found_has_its_own_words(visit: Visitor, marker: str) -> None:
    """Both phrases stand on the empty page and on no other."""
    assert marker in visit.search("coupang", "없는상품 ZZZ-9999").text
    assert marker not in visit.search("coupang", RICE).text


def test_links_lead_to_a_page(visit: Visitor) -> None:
    """Relative to the host."""
    for card, offer in cards(visit, "li[class*=ProductUnit_productUnit]")[:3]:
        link = card.css_first("a")
        reply = visit.get((link.attributes["href"] if link else "") or "")
        assert 200 == reply.status
        assert f"{offer.price_krw:,}원" in reply.text
