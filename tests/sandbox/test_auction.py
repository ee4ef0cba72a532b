"""Auction in the sandbox: both generations of its cards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from sandbox.catalogue import SandboxOffer, offers_of

if TYPE_CHECKING:
    from tests.sandbox.conftest import Visitor

SSD = "삼성전자 990 PRO M.2 NVMe 2TB MZ-V9P2T0BW"
BY_ID = {f"B{offer.offer_id}": offer for offer in offers_of("auction")}
NEW = (".box__item-container", "span.text__item", ".box__price-seller strong.text__value")
OLD = (".component--item_card", ".text--title", ".text--price_seller")


def cards(visit: Visitor, selector: str) -> list[tuple[LexborNode, SandboxOffer, str]]:
    """Every card with the offer it shows and its link."""
    found = []
    for card in LexborHTMLParser(visit.search("auction", SSD).text).css(selector):
        link = card.css_first("a")
        href = (link.attributes["href"] if link else "") or ""
        number = re.search(r"itemno=(B\d+)", href)
        assert number
        found.append((card, BY_ID[number[1]], href))
    return found


@pytest.mark.parametrize(("scenario", "selectors"), [("ok", NEW), ("markup_old", OLD)])
def test_both_generations_show_the_same_offers(visit: Visitor, scenario: str, selectors: tuple[str, str, str]) -> None:
    """Name, price and shipping tags."""
    expected = {offer.offer_id for _, offer, _ in cards(visit, NEW[0])}
    visit.market.set_scenario("auction", scenario)
    card_selector, name_selector, price_selector = selectors
    shown = cards(visit, card_selector)
    assert expected == {offer.offer_id for _, offer, _ in shown}
    assert len(shown) > 4
    for card, offer, _ in shown:
        name, price = card.css_first(name_selector), card.css_first(price_selector)
        assert (offer.title, f"{offer.price_krw:,}") == (name and name.text(), price and price.text())
        assert (offer.shipping_krw == 0) == ("무료배송" in card.text())


def test_ads_are_told_by_their_link_or_their_box(visit: Visitor) -> None:
    """New cards by buyboxtype, old ones by the prime section."""
    assert all(offer.ad == ("buyboxtype=ad" in href) for _, offer, href in cards(visit, NEW[0]))
    visit.market.set_scenario("auction", "markup_old")
    inside = {offer.offer_id for _, offer, _ in cards(visit, ".section--advertisement .component--item_card")}
    assert {offer.offer_id for _, offer, _ in cards(visit, OLD[0]) if offer.ad} == inside


def test_nothing_found_has_its_own_words(visit: Visitor) -> None:
    """And no card."""
    page = visit.search("auction", "없는상품 ZZZ-9999").text
    assert "검색결과가 없습니다" in page
    assert not LexborHTMLParser(page).css(NEW[0])
    assert "검색결과가 없습니다" not in visit.search("auction", SSD).text


def test_links_lead_to_a_page(visit: Visitor) -> None:
    """With the price on it."""
    _, offer, href = cards(visit, NEW[0])[0]
    reply = visit.get(href)
    assert 200 == reply.status
    assert f"{offer.price_krw:,}원" in reply.text
