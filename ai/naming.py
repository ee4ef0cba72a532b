"""Whether a request names a product at all, or only a kind of thing: "노트북", "무선 마우스", "b", "삼성".

A kind of thing has no lowest price: whatever wins would be a guess.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ai import amounts, kinds
from ai import words as patterns
from ai.coverage import is_plain
from ai.text import is_hangul

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ai.core import Core
    from ai.quantity import Quantity


_FIRMS = tuple(kinds.FIRM_ENDINGS)


class Naming(Enum):
    """How surely a request names one product."""

    KIND = "kind"
    """Only a kind of thing: no offer is surely the product."""
    ONCE = "once"
    """One name: it may still be a kind of thing that no list knows, which offers of several makers give away."""
    FULL = "full"


def naming(core: Sequence[Core], models: Sequence[str], quantity: Quantity) -> Naming:
    """FULL with a maker's number or two names; ONCE for one name beside an amount or an edition, or a long one alone.

    Alone, it takes a unit size.
    """
    if any(len(model) >= 5 for model in models):
        return Naming.FULL
    cores = [one for one in core if one.required]
    names = {one.text for one in cores if is_name(one)}
    numbers = {one.text for one in cores if one.text.isdigit() and len(one.text) >= 3}
    if len(names) + len(numbers) > 1 and (names or len(cores) > 2):
        return Naming.FULL
    return Naming.ONCE if (names or numbers) and _fixed(cores, names | numbers, quantity) else Naming.KIND


def _fixed(cores: Sequence[Core], names: set[str], quantity: Quantity) -> bool:
    """Whether a single name has enough beside it to be a product's."""
    beside = [one for one in cores if one.text not in names and not one.unit and len(one.text) > 1]
    beside = [one for one in beside if not kinds.colour_of(one.text)]
    measured = sum(one.text.isdigit() for one in cores) > 1
    sized = measured or quantity.unit_amount is not None or any(one.unit in amounts.MEASURED for one in cores)
    if beside and (sized or quantity.explicit):
        return True
    editions = [one for one in beside if one.text in kinds.VARIANT and one.text not in kinds.ADJECTIVES]
    return (len(beside) > 1 and bool(editions)) or (sized and all(map(_long, names)))


def is_name(core: Core) -> bool:
    """Whether a word is a name of its own: no kind of thing, colour, edition, size, number, or search word."""
    word = core.text
    if core.unit or word.isdigit() or len(word) < 2 or kinds.colour_of(word):
        return False
    if is_plain(word) and not word.endswith(_FIRMS):
        return False
    if any(word in known for known in (kinds.VARIANT, kinds.KINDS_OF_GOODS, patterns.ACCESSORY, kinds.SCENTS)):
        return False
    head = kinds.head_of(word)
    return not head or not _describes(word.removesuffix(head))


def _describes(modifier: str) -> bool:
    """Whether what stands before the noun in a compound only describes it (무선+청소기), and is no name (신+라면)."""
    described = modifier in kinds.ADJECTIVES or modifier in kinds.VARIANT or modifier in kinds.KINDS_OF_GOODS
    return not modifier or described or is_plain(modifier)


def _long(name: str) -> bool:
    """Whether one word alone can be a name: a short one is anything ("b", "가람")."""
    return len(name) >= (3 if is_hangul(name) else 4)
