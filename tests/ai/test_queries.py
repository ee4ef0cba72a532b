"""The query ladder: narrow first, never twice the same, never empty."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.queries import ladder
from model import Product


@pytest.mark.parametrize(
    ("name", "spec", "expected"),
    [
        ("들샘 생수 2000ml", "12개", ("들샘 생수 2L", "들샘 생수")),
        (
            "[무료배송] 온결 딥 리페어 수분 크림 (정품)",
            "50ml 2개",
            ("온결 딥 리페어 수분 크림 50ml", "온결 딥 리페어 수분 크림", "온결 딥 리페어 크림"),
        ),
        ("새빛전자 프로북 QX900K-AB12C", "", ("새빛전자 프로북 QX900K-AB12C", "새빛전자 QX900K-AB12C")),
        ("새빛 청소기", "", ("새빛 청소기",)),
    ],
)
def test_it_climbs_from_name_and_size_to_few_words(name: str, spec: str, expected: tuple[str, ...]) -> None:
    """Size without count; name; brand and model or four core words."""
    assert expected == ladder(Product(code="", name=name, specification=spec), 3)


def test_it_gives_no_more_rungs_than_asked_for() -> None:
    """A browser mall climbs fewer."""
    product = Product(code="", name="온결 딥 리페어 수분 크림", specification="50ml")
    assert 1 == len(ladder(product, 1))


@given(st.text(min_size=1, max_size=60), st.text(max_size=40), st.integers(1, 4))
def test_it_never_fails_and_never_repeats_itself(name: str, spec: str, rungs: int) -> None:
    """Whatever is typed, there is at least one query and all differ."""
    queries = ladder(Product(code="", name=name, specification=spec), rungs)
    assert 1 <= len(queries) <= max(rungs, 1)
    assert len(set(queries)) == len(queries)
