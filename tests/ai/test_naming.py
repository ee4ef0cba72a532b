"""Whether a request names a product: a kind of thing alone never has a winner."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ai import spec as product_spec
from ai.match import decide
from ai.naming import Naming
from model import Outcome, Product, Reason, Same

if TYPE_CHECKING:
    from collections.abc import Callable

    from model import Offer

KINDS = [
    "노트북",
    "a",
    "b",
    "1",
    "12",
    "mouse",
    "A4",
    "물티슈",
    "생수",
    "장갑",
    "커피",
    "블랙",
    "정품",
    "선물세트",
    "무선청소기",
    "고무장갑",
    "usb",
]
KINDS += ["무선 마우스", "고양이 사료", "게이밍 키보드", "니트릴 장갑", "a b", "1 2", "초코 우유", "스테인리스 텀블러"]


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_of_thing_names_no_product(name: str) -> None:
    """Nouns of goods, editions, materials, colours and single letters, however many, and whatever the amount."""
    assert {Naming.KIND} == {product_spec.read(name, spec).naming for spec in ("", "블랙", "2개")}


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("새빛전자 QX900K-AB12C", ""),
        ("가람 쌕쌕 오렌지", "238ml 12개"),
        ("해오름삼수 2L", "12병"),
        ("다온 백미밥 210g", "24개"),
        ("새빛 홈카메라 PRO", ""),
        ("3090 고불소 주니어 치약 80g", "3개"),
    ],
)
def test_a_maker_with_a_line_an_amount_or_an_edition_names_one(name: str, spec: str) -> None:
    """A model, two names, or one name with what fixes it."""
    assert product_spec.read(name, spec).naming is not Naming.KIND


@pytest.mark.parametrize("name", ["노트북", "메모리", "b", "16GB"])
def test_nobody_wins_a_search_for_a_kind_of_thing(name: str, offer: Callable[..., Offer]) -> None:
    """The cheapest offer that has the word is a guess, and a wrong winner is worse than none."""
    titles = ("새빛 노트북 메모리 16GB", "새빛 노트북", "노트북", "메모리", "b", "16GB 메모리")
    match = decide(Product(code="", name=name), [offer(title) for title in titles], shipping=lambda _offer: 0)
    assert (None, Outcome.NO_SAFE_MATCH) == (match.winner, match.outcome)


def test_one_name_that_several_makers_carry_is_a_kind_of_thing(offer: Callable[..., Offer]) -> None:
    """A noun no list knows shows in its offers: different makers stand before it."""
    product = Product(code="", name="꾸덕말랭이 500g")
    titles = ("다온 꾸덕말랭이 500g", "가람 꾸덕말랭이 500g")
    match = decide(product, [offer(title) for title in titles], shipping=lambda _offer: 0)
    assert {(Same.UNSURE, Reason.UNKNOWN)} == {(one.verdict, one.reason) for one in match.decisions}
    alone = decide(product, [offer(titles[0])], shipping=lambda _offer: 0)
    assert Outcome.FOUND is alone.outcome
