"""The real pages that were saved from the malls, read where they are: they are not part of this repository."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import crawl

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures"


def real(name: str) -> bytes:
    """A saved real body, or a skip."""
    file = FIXTURES / name
    if not file.exists():
        pytest.skip(f"the real page {name} is not on this machine")
    return file.read_bytes()


@pytest.mark.parametrize(
    ("mall", "name", "expected"),
    [
        ("coupang", "blocked/coupang_akamai.html", ("blocked", "akamai")),
        ("gmarket", "blocked/gmarket_cloudflare.html", ("blocked", "cloudflare")),
        ("st11", "blocked/st11_not_rendered.html", ("not_rendered", "")),
    ],
)
def test_a_real_refusal_is_told_from_nothing_found(mall: str, name: str, expected: tuple[str, str]) -> None:
    """What the malls really answered to a robot is never an empty result, with or without its status."""
    body = real(name)
    for status in (None, 200):
        reading = crawl.parse_file(mall, body, status=status)
        assert expected == (reading.outcome, reading.kind)


def test_the_real_gmarket_page_is_read_whole() -> None:
    """115 cards and 5 power items, 51 of the former paid for, all of the latter; 4 tagged as used, 3 by title."""
    reading = crawl.parse_file("gmarket", real("gmarket/gmarket_srp_2025-09.html"))
    offers = reading.parsed.offers
    assert ("ok", 120, 120) == (reading.outcome, reading.parsed.cards, len(offers))
    assert (5, 51) == (sum(offer.ad for offer in offers[:5]), sum(offer.ad for offer in offers[5:]))
    assert 7 == sum(offer.used for offer in offers)
    assert (113, 7) == (sum(offer.shipping_krw == 0 for offer in offers), sum(bool(o.shipping_krw) for o in offers))


def test_the_real_gmarket_page_reads_alike_from_its_markup() -> None:
    """When the embedded data are gone, the cards as drawn give the same offers, field by field."""
    body = real("gmarket/gmarket_srp_2025-09.html")
    markup = body.replace(b"__NEXT_DATA__", b"__GONE__")
    assert crawl.parse_file("gmarket", markup).parsed.offers == crawl.parse_file("gmarket", body).parsed.offers


def test_a_real_page_that_breaks_off_never_shows_a_wrong_price() -> None:
    """Wherever the page is cut, each offer that is left is one of the whole page's offers."""
    body = real("gmarket/gmarket_srp_2025-09.html")
    whole = {offer.mall_item_id: offer.price_krw for offer in crawl.parse_file("gmarket", body).parsed.offers}
    for cut in range(40_000, len(body), 171_717):
        reading = crawl.parse_file("gmarket", body[:cut])
        assert reading.outcome != "empty"
        assert all(whole.get(offer.mall_item_id) == offer.price_krw for offer in reading.parsed.offers)


def test_the_real_gmarket_page_is_read_fast() -> None:
    """Parsing is noise beside the network: the best of five stays far below what a tree builder needs (250 ms)."""
    text = real("gmarket/gmarket_srp_2025-09.html").decode()
    took = []
    for _ in range(5):
        started = time.perf_counter()
        crawl.parse_file("gmarket", text)
        took.append(time.perf_counter() - started)
    assert min(took) < 0.1


@pytest.mark.parametrize(
    ("name", "items", "catalogues"), [("naver/items_340.json", 340, 98), ("naver/response_tshirt.json", 20, 9)]
)
def test_real_naver_items_are_read_whole(name: str, items: int, catalogues: int) -> None:
    """Every real item becomes an offer; catalogue rows name no seller; highlighting is gone from the titles."""
    offers = crawl.parse_file("naver", real(name)).parsed.offers
    assert (items, catalogues) == (len(offers), sum(offer.catalogue for offer in offers))
    assert not any("<b>" in offer.name or "&quot;" in offer.name for offer in offers)
    assert all((offer.seller is None) == offer.catalogue for offer in offers)
