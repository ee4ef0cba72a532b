"""What an offer really costs: item and shipping for one order, and the unit price of Korean shelves."""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING

from ai import lexicon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ai.quantity import Quantity
    from model import Offer


def _any(name: str) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(word) for word in lexicon.words("prices", name)))


_PER_TEN = {"g": _any("per 10 g"), "ml": _any("per 10 ml")}
"""Goods whose unit price is told per 10 (price labelling notice; cosmetics as comparison sites do); others per 100."""
_PER_HUNDRED = _any("per 100 all the same")
OUTLIER_SHARE = 0.4
"""A price below this share of the ordinary price is too good to be reported silently."""
OUTLIER_OFFERS = 3
"""How many accepted offers it takes before an ordinary price means anything."""
_CLUSTER_STEP = 2.0
"""A price so many times its next lower one begins another cluster."""


def effective(offer: Offer, shipping: Callable[[Offer], int]) -> tuple[int, bool]:
    """(KRW for one order with shipping, whether the shipping is known).

    The order is the least one the seller takes (`min_order`). A free-shipping threshold counts only when this order
    alone reaches it. `shipping` gives the assumed KRW where the mall says nothing. Coupon, card and membership prices
    are never in it.
    """
    item = offer.price_krw * max(1, offer.min_order or 1)
    if offer.free_shipping_from_krw is not None and item >= offer.free_shipping_from_krw:
        return item, True
    if offer.shipping_krw is not None:
        return item + offer.shipping_krw, True
    return item + shipping(offer), False


def unit_price(name: str, price_krw: int, quantity: Quantity) -> str | None:
    """Say "100g당 412원", "10ml당 95원", "1개당 940원"; None when the title does not say how much it sells."""
    total = quantity.total
    if not total or price_krw <= 0 or not quantity.explicit:
        return None
    if quantity.unit == "개":
        return f"1개당 {_rounded(price_krw / total)}원"
    base = base_of(name, quantity.unit)
    return f"{base}{quantity.unit}당 {_rounded(price_krw * base / total)}원"


def base_of(name: str, unit: str) -> int:
    """How many g or ml a unit price is told for: 10 or 100."""
    return 10 if _PER_TEN[unit].search(_PER_HUNDRED.sub(" ", name)) else 100


def ordinary(prices: Sequence[int]) -> float:
    """The median of the largest cluster of prices (KRW), of equally large ones the dearer; `prices` is not empty."""
    clusters: list[list[int]] = []
    for price in sorted(prices):
        if clusters and price <= clusters[-1][-1] * _CLUSTER_STEP:
            clusters[-1].append(price)
        else:
            clusters.append([price])
    largest: list[int] = max(reversed(clusters), key=len)
    return float(median(largest))


def outlier_floor(prices: Sequence[int]) -> float:
    """The KRW below which an accepted price is an outlier; 0 where too few prices tell."""
    return OUTLIER_SHARE * ordinary(prices) if len(prices) >= OUTLIER_OFFERS else 0.0


def _rounded(value: float) -> str:
    return f"{int(value + 0.5):,}" if value >= 10 else f"{value:.1f}"
