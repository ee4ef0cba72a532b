"""A page that reads worse than it used to is noticed long before nothing reads."""

from __future__ import annotations

import pytest

import crawl
from crawl import health
from model import Offer
from tests.conftest import ROOT

WELL = dict.fromkeys(health.FIELDS, (1000, 1000.0))


def offer(name: str, price: int) -> Offer:
    """An offer."""
    return Offer(mall="naver", rank=1, name=name, price_krw=price, url="https://x.example/")


def test_a_pages_cards_are_counted_by_field() -> None:
    """Cards that are dropped count too: it is their loss that is looked for."""
    page = (ROOT / "tests/pages/coupang/drift_prices.html").read_bytes()
    reading = crawl.parse_file("coupang", page)
    tally = health.tally(reading.parsed)
    cards = reading.parsed.cards
    assert ("drift", (cards, float(cards))) == (reading.outcome, tally["name"])
    assert tally["price"][1] < cards / 2
    assert {} == health.tally(crawl.parse_file("coupang", b"<html></html>").parsed)


@pytest.mark.parametrize(
    ("now", "usual", "signs"),
    [
        ((40, 40), (1000, 1000), []),
        ((40, 33), (1000, 1000), []),
        ((40, 32), (1000, 1000), ["price"]),
        ((40, 0), (1000, 1000), ["price"]),
        ((40, 12), (1000, 350), []),
        ((40, 0), (1000, 0), []),
        ((7, 0), (1000, 1000), []),
        ((40, 0), (99, 99), []),
    ],
)
def test_a_fall_by_a_fifth_is_a_loss(now: tuple[int, int], usual: tuple[int, int], signs: list[str]) -> None:
    """Measured against what is usual for this mall; few cards say nothing, neither now nor before."""
    losses = health.judge({**WELL, "price": now}, {**WELL, "price": usual}, drop=0.2)
    assert signs == [loss.sign for loss in losses]
    assert all("before" in loss.text for loss in losses)


def test_without_a_week_before_nothing_is_a_loss() -> None:
    """A new installation does not ring."""
    assert [] == health.judge({"price": (40, 0)}, {}, drop=0.2)


def test_a_known_product_is_found_whatever_the_spaces() -> None:
    """Every word of it, in any order."""
    names = ["CJ 햇반 백미밥210g x 24개", "백미밥 210 g 햇반", "햇반 흑미밥 210g"]
    assert names[:2] == [one.name for one in health.known([offer(n, 1) for n in names], "햇반 백미밥 210g")]


@pytest.mark.parametrize(("price", "far"), [(21_900, False), (9_000, False), (8_000, True), (51_000, True)])
def test_a_known_products_price_cannot_jump(price: int, far: bool) -> None:
    """Two and a half times dearer or cheaper than its week is read from the wrong place."""
    usual = {health.PRICE: (24, 24 * 20_250.0)}
    loss = health.price_loss([offer("햇반", price)], usual)
    assert far == (loss is not None)
    assert health.price_loss([offer("햇반", price)], {health.PRICE: (3, 3.0)}) is None
