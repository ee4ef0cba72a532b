"""Offers and the labelled cases, for the tests of the match stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bench import scores
from model import Offer

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def offer() -> Callable[..., Offer]:
    """Makes an offer of a title; every other field by keyword."""

    def make(title: str, price_krw: int = 10_000, **fields: Any) -> Offer:
        given = {"mall": "naver", "rank": 1, "url": f"{title}|{price_krw}", **fields}
        return Offer(name=title, price_krw=price_krw, **given)

    return make


@pytest.fixture
def cases() -> None:
    """Skip where the labelled cases are not beside the repository."""
    if not scores.CASES.is_dir():
        pytest.skip(f"the labelled cases are not at {scores.CASES}")
