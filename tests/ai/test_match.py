"""The decision: what an offer costs, who wins, and when nobody does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ai.match import decide
from model import Match, Offer, Outcome, Product, Reason, Same

if TYPE_CHECKING:
    from collections.abc import Callable

WATER = Product(code="W1", name="들샘 생수 2L", specification="12개")
TITLE = "들샘 생수 2L, 12개"


def _match(*offers: Offer, product: Product = WATER, **allowed: Any) -> Match:
    return decide(product, offers, shipping=lambda _offer: 3000, **allowed)


def test_it_counts_shipping_into_the_price(offer: Callable[..., Offer]) -> None:
    """9,900 and 3,000 shipping is dearer than 12,500 free."""
    match = _match(offer(TITLE, 9_900, shipping_krw=3000), offer(TITLE, 12_500, shipping_krw=0))
    assert match.winner is not None
    assert (12_500, Outcome.FOUND, "rules") == (match.winner.effective_price_krw, match.outcome, match.mode)


def test_it_assumes_a_shipping_nobody_told_and_says_so(offer: Callable[..., Offer]) -> None:
    """An unknown shipping is ranked with the caller's assumption; the best known one stands beside it."""
    match = _match(offer(TITLE, 9_000), offer(TITLE, 12_500, shipping_krw=0))
    assert match.winner is not None
    assert match.confirmed is not None
    assert (12_000, False) == (match.winner.effective_price_krw, match.winner.shipping_known)
    assert (12_500, True) == (match.confirmed.effective_price_krw, match.confirmed.shipping_known)


@pytest.mark.parametrize(("price", "effective"), [(19_800, 19_800), (19_700, 22_200)])
def test_it_ships_free_only_from_the_threshold(price: int, effective: int, offer: Callable[..., Offer]) -> None:
    """This one order must reach the amount by itself."""
    match = _match(offer(TITLE, price, shipping_krw=2500, free_shipping_from_krw=19_800))
    assert match.winner is not None
    assert effective == match.winner.effective_price_krw


def test_another_pack_count_never_wins_but_has_its_unit_price(offer: Callable[..., Offer]) -> None:
    """Half the bottles for less are no lower price."""
    match = _match(offer("들샘 생수 2L, 6개", 4_000, shipping_krw=0), offer(TITLE, 9_600, shipping_krw=0))
    half = match.decisions[0]
    assert (Same.DIFFERENT, Reason.COUNT, "100ml당 33원") == (half.verdict, half.reason, half.unit_price)
    assert match.winner is match.decisions[1]


def test_a_unit_price_is_told_per_ten_for_small_goods_and_per_piece_for_counted(offer: Callable[..., Offer]) -> None:
    """As Korean shelves do; without a quantity there is none."""
    titles = ("온결 치약 100g 2개", "하늘 물티슈 100매 10팩", "새빛 X7 청소기")
    match = _match(*(offer(title, 10_000) for title in titles), product=Product(code="", name="아무것"))
    assert ["10g당 500원", "1개당 10원", None] == [decision.unit_price for decision in match.decisions]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"option_range": True}, Reason.OPTION), ({"min_order": 2}, Reason.COUNT)],
)
def test_a_price_that_may_be_anothers_is_unsure(
    fields: dict[str, Any], reason: Reason, offer: Callable[..., Offer]
) -> None:
    """The title is right, the price need not be."""
    match = _match(offer(TITLE, 5_000, **fields))
    assert (Same.UNSURE, reason) == (match.decisions[0].verdict, match.decisions[0].reason)
    assert (None, Outcome.NO_SAFE_MATCH) == (match.winner, match.outcome)


def test_a_price_too_good_to_be_true_does_not_win_silently(offer: Callable[..., Offer]) -> None:
    """Below 0.4 of the median of three or more it is unsure, with reason price."""
    prices = (1_000, 10_000, 10_500, 11_000)
    match = _match(*(offer(TITLE, price, shipping_krw=0) for price in prices))
    assert (Same.UNSURE, Reason.PRICE) == (match.decisions[0].verdict, match.decisions[0].reason)
    assert match.winner is not None
    assert 10_000 == match.winner.effective_price_krw


def test_two_offers_make_no_outlier(offer: Callable[..., Offer]) -> None:
    """A median of fewer than three means nothing."""
    match = _match(*(offer(TITLE, price, shipping_krw=0) for price in (1_000, 10_000)))
    assert match.winner is not None
    assert 1_000 == match.winner.effective_price_krw


def test_a_least_order_that_is_the_asked_amount_wins_at_its_whole_price(offer: Callable[..., Offer]) -> None:
    """Two boxes of six that must be bought together are the twelve asked for, at twice the price."""
    match = _match(offer("들샘 생수 2L, 6개", 4_000, shipping_krw=0, min_order=2))
    assert match.winner is not None
    assert (8_000, "100ml당 33원") == (match.winner.effective_price_krw, match.winner.unit_price)


def test_ties_go_to_known_shipping_then_mall_then_rank(offer: Callable[..., Offer]) -> None:
    """The order of the path, never chance."""
    assumed = offer(TITLE, 9_000, rank=1)
    coupang = offer(TITLE, 12_000, shipping_krw=0, mall="coupang", rank=1)
    second = offer(TITLE, 12_000, shipping_krw=0, rank=5, url="b")
    first = offer(TITLE, 12_000, shipping_krw=0, rank=2, url="a")
    match = _match(assumed, coupang, second, first)
    assert match.winner is not None
    assert first is match.winner.offer


def test_an_offer_reached_twice_counts_once(offer: Callable[..., Offer]) -> None:
    """Two rungs of the ladder bring the same card."""
    card = offer(TITLE, 9_000, mall_item_id="77")
    again = offer(TITLE, 9_000, mall_item_id="77", rank=9)
    assert [card] == [decision.offer for decision in _match(card, again).decisions]


def test_no_offers_and_no_safe_offer_are_two_answers(offer: Callable[..., Offer]) -> None:
    """Nothing there is not the same as nothing certain."""
    assert Outcome.NOT_FOUND is _match().outcome
    assert Outcome.NO_SAFE_MATCH is _match(offer("들샘 생수 500ml, 12개")).outcome


def test_used_and_overseas_win_only_where_allowed(offer: Callable[..., Offer]) -> None:
    """Both are out unless the caller lets them in."""
    product = Product(code="", name="새빛전자 QX900K-AB12C")
    card = offer("새빛전자 QX900K-AB12C", 9_000, used=True, overseas=True)
    assert _match(card, product=product).winner is None
    assert _match(card, product=product, allow_used=True, allow_overseas=True).winner is not None


def test_an_offer_without_a_price_never_wins(offer: Callable[..., Offer]) -> None:
    """The verdict on its title stands; the price cannot be said."""
    match = _match(offer(TITLE, 0))
    assert (Same.SAME, None) == (match.decisions[0].verdict, match.decisions[0].effective_price_krw)
    assert match.winner is None
