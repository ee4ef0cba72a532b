"""From a card to an offer: what is missing stays missing, and is counted."""

from __future__ import annotations

from typing import Any

import pytest

from crawl.card import Card, first_shipping, gather
from crawl.text import Amount, Shipping

BASE = "https://www.example.com/search"


def card(**more: Any) -> Card:
    """A card that has what an offer needs."""
    return Card(**{"name": "전복죽", "price": Amount(9900), "url": "/products/1", **more})


def test_a_card_without_what_an_offer_needs_is_dropped_and_counted() -> None:
    """Name, price and link are needed; the rank counts every card all the same."""
    cards = [card(name=""), card(price=None), card(url=""), card(url="javascript:go()"), card()]
    parsed = gather("coupang", BASE, cards)
    assert {"name": 1, "price": 1, "url": 2} == parsed.dropped
    assert [(5, "https://www.example.com/products/1")] == [(offer.rank, offer.url) for offer in parsed.offers]
    assert not parsed.healthy


def test_a_sold_out_card_without_a_price_is_no_sign_of_drift() -> None:
    """Malls take the price off what is gone."""
    parsed = gather("coupang", BASE, [card(price=None, labels=["일시품절"]), card()])
    assert {"sold_out": 1} == parsed.dropped


def test_a_list_price_is_above_the_price_or_none() -> None:
    """A "before" price that is not higher says nothing."""
    offers = gather("coupang", BASE, [card(list_price_krw=9900), card(list_price_krw=12000)]).offers
    assert [None, 12000] == [offer.list_price_krw for offer in offers]


def test_prices_that_need_something_are_kept_apart() -> None:
    """Coupon, card and membership prices never replace what anyone pays."""
    labels = ["쿠폰할인가 9,000원", "카드할인가 8,800원", "와우회원가 8,500원", "최대 500원 적립"]
    offer = gather("coupang", BASE, [card(labels=labels)]).offers[0]
    assert (9900, 9000, 8800, 8500) == (
        offer.price_krw,
        offer.coupon_price_krw,
        offer.card_price_krw,
        offer.member_price_krw,
    )


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["무료배송"], Shipping(0)),
        (["배송비 2,500원", "조건부 무료배송 (30,000원 이상)"], Shipping(2500, 30000)),
        (["무료배송", "30,000원 이상"], Shipping(None, 30000)),
        (["30,000원 이상 무료배송", "무료배송"], Shipping(None, 30000)),
        (["내일 도착", "9,900원"], Shipping()),
        ([], Shipping()),
    ],
)
def test_shipping_is_read_from_all_of_a_cards_labels(labels: list[str], expected: Shipping) -> None:
    """A threshold beside "free" makes it conditional, wherever the two stand."""
    assert expected == first_shipping(labels)
