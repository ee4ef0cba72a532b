"""Bare pairs: makers' numbers decide, words only where a title has none."""

from __future__ import annotations

import pytest

from ai.pairs import label, numbers
from bench import match as measured
from model import Same


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("acme black radio rx520bk", "acme rx-520 radio", True),
        ("acme sx10is digital camera", "acme sx10 is digital camera 2665b001", True),
        ("acme radio rx520n", "acme radio rx520r", False),
        ("acme radio rx520", "acme radio rx530", False),
        ("acme radio", "acme radio rx530", None),
    ],
)
def test_numbers_agree_apart_and_without_their_finish(left: str, right: str, expected: bool | None) -> None:
    """Hyphens and blanks do not matter, a finish letter may be missing, two finishes disagree."""
    assert expected is numbers(left, right)


def test_words_decide_where_there_is_no_number() -> None:
    """Rare words weigh more than common ones."""
    given = [("acme kitchen timer", "acme kitchen timer white"), ("acme kitchen timer", "zenith wall clock")]
    assert [Same.SAME, Same.DIFFERENT] == [found.verdict for found in label(given)]


def test_two_colours_are_two_products() -> None:
    """Even under one number."""
    assert Same.DIFFERENT is label([("acme phone kx900 blue", "acme phone kx900 red")])[0].verdict


def test_korean_pairs_go_through_the_gate() -> None:
    """The left title is the request."""
    given = [("들샘 생수 2L 12개", "들샘 생수 2L x 12병"), ("들샘 생수 2L 12개", "들샘 생수 2L x 6병")]
    assert [Same.SAME, Same.DIFFERENT] == [found.verdict for found in label(given)]


def test_no_pairs_give_no_labels() -> None:
    """An empty file is an answer."""
    assert [] == label([])


@pytest.mark.usefixtures("cases")
def test_it_keeps_its_level_on_the_english_pairs() -> None:
    """Nothing was trained on them."""
    assert measured.english("abt-buy").f1 >= 0.86
