"""The catalogue: enough goods, honest answers, and traps that catch whoever takes the cheapest hit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from model import MALLS, Reason
from sandbox.catalogue import ABSENT, SandboxOffer, SandboxProduct, offers_of, products
from sandbox.catalogue.load import WHYS, BadCatalogue, load
from sandbox.search import Index

INDEXES = {mall: Index(mall, offers_of(mall)) for mall in MALLS}
OFFERS = [offer for product in products() for offer in product.offers]


def hits(query: str) -> list[SandboxOffer]:
    """What all malls find."""
    return [offer for mall in MALLS for offer in INDEXES[mall].search(query)]


def by_code(code: str) -> SandboxProduct:
    """One product."""
    return next(product for product in products() if product.request.code == code)


def test_there_are_enough_goods() -> None:
    """At least 60 products and 600 offers, every mall with its share."""
    assert len(products()) >= 60
    assert len(OFFERS) >= 600
    assert min(Counter(offer.mall for offer in OFFERS).values()) >= 100


def test_ids_and_titles_are_unique() -> None:
    """An offer is found again by its number, and no title means two things in one mall."""
    assert len(OFFERS) == len({offer.offer_id for offer in OFFERS})
    assert len(OFFERS) == len({(offer.mall, offer.title) for offer in OFFERS})


def test_it_is_the_same_in_every_run() -> None:
    """Nothing depends on the hash seed, the clock or the order of calls."""
    code = "from sandbox.catalogue import products; import zlib; print(zlib.crc32(repr(products()).encode()))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert 1 == len(runs)
    assert load() == tuple(products())


@pytest.mark.parametrize("product", products(), ids=lambda one: one.request.code)
def test_the_written_answer_is_the_lowest_right_offer(product: SandboxProduct) -> None:
    """Item + shipping, unknown shipping counted with 3,000 KRW, over the offers marked `same`."""
    right = [
        one.price_krw + (3000 if one.shipping_krw is None else one.shipping_krw) for one in product.offers if one.same
    ]
    assert min(right, default=None) == product.right_price


@pytest.mark.parametrize("product", [p for p in products() if p.right_price], ids=lambda one: one.request.code)
def test_the_winner_is_single_and_a_search_by_name_shows_it(product: SandboxProduct) -> None:
    """The right answer can be reached, and nobody has to guess between two."""
    (winner,) = product.winners
    assert winner in INDEXES[winner.mall].search(product.request.name)
    flags = (winner.sold_out, winner.used, winner.overseas, winner.option_range, winner.rental)
    assert not any(flags)


def test_the_cheapest_hit_is_usually_wrong() -> None:
    """Whoever takes the lowest number on the pages is wrong for at least 80 % of the products."""
    wrong = 0
    for product in products():
        cheapest = min(hits(product.request.name), key=lambda one: one.price_krw)
        wrong += cheapest not in product.winners
    assert wrong >= 0.8 * len(products())


def test_the_cheapest_effective_price_is_usually_wrong_too() -> None:
    """Adding up the shipping is not enough."""
    wrong = 0
    for product in products():
        cheapest = min(hits(product.request.name), key=lambda one: one.effective_krw)
        wrong += cheapest not in product.winners
    assert wrong >= 0.8 * len(products())


def test_some_products_need_the_fallback_malls() -> None:
    """Naver and Coupang have offers for them, all wrong, and another mall has the right one."""
    needing = [product for product in products() if product.needs_fallback]
    assert len(needing) >= 8
    for product in needing:
        first = [one for mall in ("naver", "coupang") for one in INDEXES[mall].search(product.request.name)]
        assert first
        assert [] == [one for one in first if one.same and one.product_code == product.request.code]
        assert product.expected_price == product.right_price


def test_some_products_have_nothing_right_anywhere() -> None:
    """There the right answer is that none is safe."""
    none = [product for product in products() if product.right_price is None]
    assert len(none) >= 3
    assert {"no_safe_match"} == {product.outcome for product in none}
    assert all(hits(product.request.name) for product in none)


def test_the_demonstration_product_is_a_trap() -> None:
    """햇반 백미밥 210g × 24: the winner is not the cheapest 24-pack-looking hit, and every wrong kind is there."""
    product = by_code("FOOD-001")
    assert ("햇반 백미밥 210g", "24개") == (product.request.name, product.request.specification)
    (winner,) = product.winners
    assert "coupang" == winner.mall
    wrong = {one.why for one in product.offers if one.price_krw < winner.price_krw and not one.same}
    assert {"count", "size", "variant", "sold_out", "brand"} <= wrong
    assert product.expected_price == product.right_price


def test_unknown_goods_are_found_nowhere() -> None:
    """The request that every mall answers with its empty page."""
    assert "없는상품 ZZZ-9999" == ABSENT.name
    assert [] == hits(ABSENT.name)


def test_differences_are_named_as_the_matcher_names_them() -> None:
    """`why` is a word of `model.Reason`, and every class of the facts is there."""
    assert {why for why in WHYS if why != "same"} <= {reason.value for reason in Reason}
    assert set(WHYS) == {offer.why for offer in OFFERS}


def test_no_offer_is_right_for_anothers_request() -> None:
    """An offer stands with one product; the same words may not be right for a second one."""
    titles = Counter(title for title, _ in {(one.title, one.product_code) for one in OFFERS})
    assert [] == [title for title, count in titles.items() if count > 1]


def test_naver_never_says_shipping_and_11st_not_for_right_offers() -> None:
    """The truth is what the mall's own answer lets anyone know."""
    assert {None} == {one.shipping_krw for one in OFFERS if one.mall == "naver"}
    assert {None} == {one.shipping_krw for one in OFFERS if one.mall == "st11" and one.same}
    assert not any(one.sold_out for one in OFFERS if one.mall == "naver")


def test_a_conditional_fee_stands_only_below_its_threshold() -> None:
    """A card that shows "free from" always means that this order pays the fee."""
    assert all(one.price_krw < one.free_from_krw for one in OFFERS if one.free_from_krw)


def test_prices_beside_the_price_are_lower() -> None:
    """Member, coupon and card prices tempt, list prices do not."""
    for one in OFFERS:
        beside = [price for price in (one.member_krw, one.coupon_krw, one.card_krw) if price]
        assert all(price < one.price_krw for price in beside)
        assert one.list_price_krw is None or one.list_price_krw > one.price_krw


def test_a_bad_line_is_named(tmp_path: object) -> None:
    """Whoever mistypes a line is told which."""
    from pathlib import Path

    folder = Path(str(tmp_path))
    text = '[[product]]\ncode = "X-1"\nname = "x"\noffers = """\nsame nowhere 100 | a | b\n"""\n'
    (folder / "x.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadCatalogue, match=r"X-1.*nowhere"):
        load(folder)
