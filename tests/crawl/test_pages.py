"""Every self-written page reads as its expected file says; every mall has the kinds of page that matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import crawl
from model import MALLS, Offer

PAGES = Path(__file__).parent.parent / "pages"
SAVED = sorted(page for page in PAGES.glob("*/*") if not page.name.endswith(".expected.json"))
BLANK = Offer(mall="", rank=0, name="", price_krw=0, url="").to_json()


def shown(offer: Offer) -> dict[str, object]:
    """What the offer says beyond what an empty one would."""
    return {key: value for key, value in offer.to_json().items() if key != "mall" and value != BLANK[key]}


@pytest.mark.parametrize("page", SAVED, ids=lambda page: f"{page.parent.name}-{page.name}")
def test_it_reads_a_page_as_expected(page: Path) -> None:
    """A page gives exactly the offers, the drops and the outcome written beside it."""
    expected = json.loads(page.with_name(page.name + ".expected.json").read_text(encoding="utf-8"))
    given = expected.pop("given")
    reading = crawl.parse_file(page.parent.name, page.read_bytes(), **given)
    assert expected == {
        "outcome": reading.outcome,
        "kind": reading.kind,
        "cards": reading.parsed.cards,
        "dropped": reading.parsed.dropped,
        "offers": [shown(offer) for offer in reading.parsed.offers],
    }


@pytest.mark.parametrize("mall", MALLS)
@pytest.mark.parametrize("kind", ["result", "no_result", "blocked", "drift"])
def test_every_mall_has_a_page_of_each_kind(mall: str, kind: str) -> None:
    """A mall without a saved page of a kind is a mall whose parser nobody tests on it."""
    found = list((PAGES / mall).glob(f"{kind}*")) or list((PAGES / mall).glob("banned*"))
    assert found


@pytest.mark.parametrize("page", SAVED, ids=lambda page: f"{page.parent.name}-{page.name}")
def test_a_page_says_that_it_is_self_written(page: Path) -> None:
    """Nobody may take an invented page for evidence of what a mall really sends."""
    assert b"Self-written for LPS" in page.read_bytes()[:400]


@pytest.mark.parametrize("page", [page for page in SAVED if "result" in page.name], ids=lambda page: page.name)
def test_another_charset_reads_alike(page: Path) -> None:
    """CP949 bytes under a UTF-8 label, or under none, give the same offers."""
    mall, body = page.parent.name, page.read_bytes()
    if page.suffix == ".xml":
        pytest.skip("its charset is part of what it tests")
    korean = body.decode().encode("cp949")
    for charset in (None, "utf-8", "euc-kr"):
        assert crawl.parse_file(mall, korean, charset=charset).parsed == crawl.parse_file(mall, body).parsed


NEVER_SAID = {
    "naver": {
        *("list_price_krw", "shipping_krw", "free_shipping_from_krw", "unit_price", "coupon_price_krw"),
        *("card_price_krw", "member_price_krw", "min_order", "ad", "option_range"),
    },
    "coupang": {"seller", "catalogue"},
    "gmarket": {"catalogue"},
    "auction": {"catalogue"},
    "st11": set[str](),
}
"""What a mall's result page or API does not tell, as far as is publicly known."""


@pytest.mark.parametrize("mall", MALLS)
def test_every_field_of_an_offer_is_read_somewhere(mall: str) -> None:
    """A field that no page of a mall has is a field whose parser nobody tests, unless the mall never says it."""
    read: set[str] = set()
    for page in (PAGES / mall).glob("*.expected.json"):
        for offer in json.loads(page.read_text(encoding="utf-8"))["offers"]:
            read |= set(offer)
    assert NEVER_SAID[mall] == set(BLANK) - {"mall"} - read
