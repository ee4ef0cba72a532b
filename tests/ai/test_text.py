"""Spellings of one word, and one word in two scripts."""

from __future__ import annotations

import pytest

from ai import lexicon
from ai.text import alike, fold, near, sound


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("쥬스", "주스"),
        ("후레쉬", "프레시"),
        ("까스", "가스"),
        ("셰이크", "쉐이크"),
        ("후라이팬", "프라이팬"),
        ("팩트", "펙트"),
    ],
)
def test_spellings_of_one_sound_fold_into_one(one: str, other: str) -> None:
    """Loan words are written as they are heard."""
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other", "same"), [("소세지", "소시지", True), ("오리지날", "오리지널", True), ("두유", "두부", False)]
)
def test_one_vowel_may_differ_in_a_longer_word(one: str, other: str, same: bool) -> None:
    """Words of two syllables are too short for that."""
    pattern = near(fold(one))
    assert same is bool(pattern and pattern.search(fold(other)))


@pytest.mark.parametrize(
    ("latin", "hangul", "same"),
    [
        ("logitech", "로지텍", True),
        ("canon", "캐논", True),
        ("apple", "애플", True),
        ("sony", "필립스", False),
        ("lg", "소니", False),
    ],
)
def test_a_name_is_known_in_the_other_script(latin: str, hangul: str, same: bool) -> None:
    """By its consonants; two consonants need the same number of syllables."""
    assert same is alike(latin, hangul, consonants=2)


def test_vowels_and_doubled_letters_make_no_sound() -> None:
    """Only the skeleton is compared."""
    assert sound("philips") == sound("필립스")


def test_every_word_list_can_be_read() -> None:
    """A list without words would silently accept everything."""
    for file, names in {
        "units": ("inner", "containers", "generic", "spaced", "noise", "measured", "lined"),
        "facts": ("used", "overseas", "accessory", "bait", "refill", "compatible"),
        "kinds": ("variants", "types", "plain", "decoration", "scents", "colours", "adjectives"),
    }.items():
        assert all(lexicon.words(file, name) for name in names)
    with pytest.raises(KeyError):
        lexicon.words("kinds", "no such list")
