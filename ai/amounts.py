"""Whether two titles sell the same amount: sizes, counts, sets, and numbers with units such as 512GB or 27 inches."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from ai import lexicon
from model import Reason

if TYPE_CHECKING:
    from ai.quantity import Quantity
    from ai.title import Title


class Fit(Enum):
    """How the amounts compare when nothing contradicts."""

    EQUAL = "equal"
    """Both say it and it is the same."""
    SILENT = "silent"
    """Neither says it: one piece on both sides."""
    UNSAID = "unsaid"
    """The request says it, the offer does not."""


MEASURED = frozenset(lexicon.words("units", "measured"))
_LINED = frozenset(lexicon.words("units", "lined"))
_ALIAS = {
    "inch": "인치",
    "인치형": "인치",
    "형": "인치",
    "루멘": "lm",
    "평형": "평",
    "와트": "w",
    "볼트": "v",
    "core": "코어",
    "ports": "포트",
    "port": "포트",
    "채널": "ch",
}


def compare(asked: Quantity, offered: Quantity) -> Reason | Fit:
    """The reason why the amounts differ, or how they agree."""
    if "options" in offered.flags or "unknown" in offered.flags:
        return Reason.OPTION if "options" in offered.flags else Fit.UNSAID
    if "bundle" in asked.flags or "bundle" in offered.flags:
        return _bundles(asked, offered)
    if asked.sizes or offered.sizes:
        return _sets(asked, offered)
    if _views(asked) & _views(offered):
        return Fit.EQUAL
    if asked.unit_amount is not None or "total_only" in asked.flags:
        return _sized(asked, offered)
    return _pieces(asked, offered)


def times(quantity: Quantity, orders: int) -> Quantity:
    """What so many orders at once deliver."""
    return replace(
        quantity,
        count=None if quantity.count is None else quantity.count * orders,
        total=None if quantity.total is None else quantity.total * orders,
        packs=None if quantity.packs is None else quantity.packs * orders,
    )


def _views(quantity: Quantity) -> set[tuple[float, float]]:
    """(unit size, count) as the title can be read; with the coarser sizes it says itself."""
    if quantity.unit_amount is None or quantity.total is None or quantity.count is None:
        return set()
    sizes = (quantity.unit_amount, *quantity.outer)
    return {(round(size, 1), round(quantity.total / size, 3)) for size in sizes}


def _bundles(asked: Quantity, offered: Quantity) -> Reason | Fit:
    if "bundle" not in asked.flags:
        return Reason.BUNDLE
    if "bundle" in offered.flags:
        if asked.unit_amount != offered.unit_amount and None not in (asked.unit_amount, offered.unit_amount):
            return Reason.SIZE
        counts = [sorted(count for _, count in quantity.goods) for quantity in (asked, offered)]
        return Fit.EQUAL if counts[0] == counts[1] else Reason.COUNT
    if offered.unit_amount is not None and asked.unit_amount is not None and offered.unit_amount != asked.unit_amount:
        return Reason.SIZE
    return Reason.COMPONENT if offered.explicit else Fit.UNSAID


def _sets(asked: Quantity, offered: Quantity) -> Reason | Fit:
    if asked.sizes and offered.sizes:
        if sorted(asked.sizes) != sorted(offered.sizes):
            return Reason.SIZE
        return Fit.EQUAL if asked.count == offered.count else Reason.COUNT
    if offered.sizes:
        return Reason.BUNDLE if asked.unit_amount in (None, *offered.sizes) else Reason.SIZE
    if offered.unit_amount is None:
        return Fit.UNSAID
    return Reason.COMPONENT if offered.unit_amount in asked.sizes else Reason.SIZE


def _sized(asked: Quantity, offered: Quantity) -> Reason | Fit:
    if offered.unit_amount is None:
        return _unsized(asked, offered)
    if asked.unit_amount is None:
        return Fit.EQUAL if asked.total == offered.total else Reason.SIZE
    if not _close(asked.unit_amount, offered.unit_amount):
        return Reason.SIZE
    return Fit.EQUAL if asked.count == offered.count else Reason.COUNT


def _unsized(asked: Quantity, offered: Quantity) -> Reason | Fit:
    if "total_only" in offered.flags:
        return Fit.EQUAL if _close(asked.total or 0, offered.total or 0) else Reason.SIZE
    if asked.count is not None and offered.explicit and offered.count != asked.count:
        return Reason.COUNT
    return Fit.UNSAID


def _pieces(asked: Quantity, offered: Quantity) -> Reason | Fit:
    if offered.count is None:
        return Fit.SILENT if not asked.explicit else Fit.UNSAID
    if asked.count != offered.count:
        if asked.packs is not None and asked.packs == offered.packs:
            # One of them says what is in a pack as well: "10갑", "10갑 (1000개입)".
            return Fit.EQUAL if asked.packs == asked.count else Fit.UNSAID
        return Reason.COUNT
    return Fit.EQUAL if asked.explicit and offered.explicit else Fit.SILENT


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 0.0005 * max(one, other)


def attributes(title: Title) -> dict[str, set[str]]:
    """Unit → the numbers the title says with it; storage is counted in GB."""
    out: dict[str, set[str]] = {}
    for word in title.words:
        unit = _ALIAS.get(word.unit, word.unit)
        if unit not in MEASURED and unit not in _LINED:
            continue
        number = word.text[: len(word.text) - len(word.unit)].strip().replace(",", "")
        if unit == "tb":
            number, unit = number + "000", "gb"
        out.setdefault(unit, set()).add(number)
    return out


def attribute_conflict(asked: dict[str, set[str]], offered: dict[str, set[str]]) -> Reason | None:
    """SIZE or LINE when the offer says another number with a unit that the request fixes."""
    for unit, numbers in asked.items():
        if unit in offered and not numbers & offered[unit]:
            return Reason.SIZE if unit in MEASURED else Reason.LINE
    return None
