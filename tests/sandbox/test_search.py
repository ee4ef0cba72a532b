"""Each mall's search: what a query finds and what it does not."""

from __future__ import annotations

import pytest

from model import MALLS
from sandbox.catalogue import offers_of, products
from sandbox.search import MAX_HITS, Index, contains, squash, words

INDEXES = {mall: Index(mall, offers_of(mall)) for mall in MALLS}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CJ 햇반 210G", "cj햇반210g"),
        ("２１０ｇ×２４개", "210g24개"),
        ("MZ-V9P2T0BW", "mzv9p2t0bw"),
        ("2,000ml 12병", "2000ml12병"),
        ("DS224+ 2베이", "ds224 2베이"),
    ],
)
def test_case_spaces_and_signs_do_not_matter(text: str, expected: str) -> None:
    """Only letters and digits count, and two numbers never run together."""
    assert expected == squash(text)


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [("햇반210g", "210g", True), ("햇반1210g", "210g", False), ("12개", "2개", False), ("2개12개", "12개", True)],
)
def test_a_number_does_not_match_the_tail_of_a_longer_one(text: str, word: str, expected: bool) -> None:
    """210g is not in 1210g."""
    assert expected is contains(text, word)


def test_words_are_split_and_counted_once() -> None:
    """Brackets and commas part words like spaces."""
    assert ["햇반", "210g", "24개"] == words("[햇반] 210g, 24개 햇반")


@pytest.mark.parametrize("mall", MALLS)
def test_spelling_does_not_change_what_is_found(mall: str) -> None:
    """Upper case and other spaces find the same."""
    assert INDEXES[mall].search("ipTIME AX3000M") == INDEXES[mall].search("  IPTIME   ax3000m ")


@pytest.mark.parametrize("mall", MALLS)
def test_unknown_words_find_nothing(mall: str) -> None:
    """Also not by accident of a half-known query."""
    assert [] == INDEXES[mall].search("없는상품 ZZZ-9999")
    assert [] == INDEXES[mall].search("")
    assert [] == INDEXES[mall].search("  ,/ ")


def test_11st_wants_every_word_and_others_do_not() -> None:
    """The malls differ, so that a query ladder has something to climb."""
    assert [] == INDEXES["st11"].search("햇반 백미밥 210g 24개 존재하지않는단어")
    assert INDEXES["gmarket"].search("햇반 백미밥 210g 24개 존재하지않는단어")


@pytest.mark.parametrize("mall", MALLS)
def test_no_search_shows_more_than_one_page(mall: str) -> None:
    """At most 40 hits, each once."""
    for product in products():
        hits = INDEXES[mall].search(product.request.name)
        assert len(hits) <= MAX_HITS
        assert len(hits) == len({hit.offer_id for hit in hits})


def test_related_goods_come_too() -> None:
    """A search for one variant shows the others."""
    whys = {hit.why for mall in MALLS for hit in INDEXES[mall].search("햇반 백미밥 210g")}
    assert {"same", "count", "size", "variant", "brand"} <= whys
