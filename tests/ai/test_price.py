"""Prices: what counts as ordinary, and for how much a unit price is told."""

from __future__ import annotations

import pytest

from ai.price import base_of, ordinary, outlier_floor


@pytest.mark.parametrize(
    ("prices", "expected"),
    [
        ((1_000, 10_000, 10_500), 10_250),
        ((1_000, 1_100, 9_800, 10_000, 10_200), 10_000),
        ((1_000, 1_000, 10_000, 10_000), 10_000),
        ((900, 1_000, 1_100, 10_000), 1_000),
        ((7_000,), 7_000),
    ],
)
def test_the_ordinary_price_is_the_median_of_the_largest_cluster(prices: tuple[int, ...], expected: float) -> None:
    """Cheap and dear strays count for nothing; of two clusters alike the dearer is taken, so that doubt is told."""
    assert expected == ordinary(prices)


def test_fewer_than_three_prices_have_no_floor() -> None:
    """Two offers tell nothing about what is ordinary."""
    assert (0.0, 4_000.0) == (outlier_floor((1_000, 10_000)), outlier_floor((10_000, 10_000, 10_000)))


@pytest.mark.parametrize(
    ("name", "unit", "base"),
    [
        ("온결 치약", "g", 10),
        ("모아 커피믹스", "g", 10),
        ("모아 커피음료", "ml", 100),
        ("모아 아이스크림", "ml", 100),
        ("온결 수분 크림", "ml", 10),
        ("온결 바디로션", "ml", 100),
        ("가람 참기름", "ml", 10),
        ("가람 간장", "ml", 100),
        ("가람 감자 과자", "g", 10),
        ("가람 소시지", "g", 100),
        ("들샘 생수", "ml", 100),
        ("하늘 세탁세제", "g", 100),
    ],
)
def test_small_goods_tell_their_price_per_ten(name: str, unit: str, base: int) -> None:
    """Sweets, coffee, toothpaste, sesame oil and cosmetics per 10; drinks, sauces, meat and detergents per 100."""
    assert base == base_of(name, unit)
