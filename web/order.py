"""The orders in which a table of offers can stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from model import MALLS, Same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Row = dict[str, Any]
_VERDICTS = (Same.SAME, Same.UNSURE, Same.DIFFERENT)


def _price(row: Row) -> tuple[bool, int, int]:
    price = row["effective_price_krw"]
    return price is None, price or row["price_krw"], row["rank"]


def _mall(row: Row) -> int:
    return MALLS.index(row["mall"]) if row["mall"] in MALLS else len(MALLS)


ORDERS: dict[str, Callable[[Row], Any]] = {
    "price": _price,
    "name": lambda row: (row["name"].casefold(), _price(row)),
    "mall": lambda row: (_mall(row), _price(row)),
    "verdict": lambda row: (_VERDICTS.index(row["verdict"]), row["reason"], _price(row)),
}
"""Name → key; "price" is cheapest first, those without an effective price last."""


def chosen(name: str | None) -> str:
    """The order asked for, or by price."""
    return name if name in ORDERS else "price"


def by(rows: Iterable[Row], name: str) -> list[Row]:
    """The rows in one of ORDERS."""
    return sorted(rows, key=ORDERS[name])
