"""How well a mall's cards read, and whether they read worse than they used to. Pure.

A tally is field → (cards, of which had the field), of one page or summed over many.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crawl.mall import Parsed
    from model import Offer

Tally = tuple[int, float]
FIELDS = ("name", "price", "url", "item_id")
PRICE = "price_krw"
"""The tally of a known product's median price: (readings, sum of KRW)."""
LEAST_CARDS = 8
"""Fewer cards than this say nothing about a page."""
LEAST_USUAL = 100
"""Nor do fewer than this about what is usual."""
LEAST_READINGS = 12
"""Readings of a known product's price before a new one is held against them."""
FAR = 2.5
"""A known product's median price is this many times dearer or cheaper: it is read from the wrong place."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A field that fewer cards have than used to."""

    sign: str
    """The field."""
    value: float
    usual: float
    """Shares, 0…1; KRW for `price_krw`."""

    @property
    def text(self) -> str:
        """In words."""
        if self.sign == PRICE:
            return f"the known product costs {self.value:,.0f} KRW in the middle, {self.usual:,.0f} KRW before"
        return f"{self.value:.0%} of the cards have {self.sign}, {self.usual:.0%} before"


def tally(parsed: Parsed) -> dict[str, Tally]:
    """What one page's cards have; nothing for a page without cards."""
    return {field: (parsed.cards, float(parsed.having.get(field, 0))) for field in FIELDS if parsed.cards}


def judge(now: Mapping[str, Tally], usual: Mapping[str, Tally], *, drop: float) -> list[Loss]:
    """The fields that fell by `drop` (0…1) or more of what is usual: long before they are gone."""
    losses = []
    for field in FIELDS:
        (cards, having), (all_cards, all_having) = now.get(field, (0, 0)), usual.get(field, (0, 0))
        if cards < LEAST_CARDS or all_cards < LEAST_USUAL:
            continue
        share, before = having / cards, all_having / all_cards
        if share <= before * (1 - drop) and before:
            losses.append(Loss(field, share, before))
    return losses


def known(offers: Sequence[Offer], product: str) -> list[Offer]:
    """The offers that name every word of a known product, whatever the spaces."""
    words = product.casefold().split()
    return [one for one in offers if all(word in "".join(one.name.casefold().split()) for word in words)]


def price_loss(offers: Sequence[Offer], usual: Mapping[str, Tally]) -> Loss | None:
    """A known product's price that cannot be: far from what its offers cost in the week before."""
    readings, total = usual.get(PRICE, (0, 0))
    if not offers or readings < LEAST_READINGS:
        return None
    now, before = middle(offers), total / readings
    return Loss(PRICE, now, before) if not before / FAR <= now <= before * FAR else None


def middle(offers: Sequence[Offer]) -> float:
    """The median price, KRW."""
    return float(median(one.price_krw for one in offers))
