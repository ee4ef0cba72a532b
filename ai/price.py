"""What an offer really costs: item and shipping for one order, and the unit price of Korean shelves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ai.quantity import Quantity
    from model import Offer

_SMALL_UNIT = re.compile(
    r"치약|세럼|앰플|에센스|크림|로션|스킨|토너|향수|립|커피|고춧가루|후추|참기름|들기름|조미료|와사비|홍삼|꿀|김(?![가-힣])"
)
"""Goods whose unit price is told per 10 g or 10 ml (price labelling notice); the others per 100."""


def effective(offer: Offer, shipping: Callable[[Offer], int]) -> tuple[int, bool]:
    """(KRW for one order with shipping, whether the shipping is known).

    A free-shipping threshold counts only when this order alone reaches it. `shipping` gives the assumed KRW where the
    mall says nothing.
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
    base = 10 if _SMALL_UNIT.search(name) else 100
    return f"{base}{quantity.unit}당 {_rounded(price_krw * base / total)}원"


def _rounded(value: float) -> str:
    return f"{int(value + 0.5):,}" if value >= 10 else f"{value:.1f}"
