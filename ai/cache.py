"""The names under which a verdict on a pair is remembered: pure, the same everywhere."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai.gate import GATE_VERSION
from ai.prompt import PROMPT_VERSION

if TYPE_CHECKING:
    from model import Product


@dataclass(frozen=True, slots=True)
class Pair:
    """A request and a title. Prices, malls and sellers are no part of it: a title means the same everywhere."""

    name: str
    specification: str
    """The wishes that widen the request ("used allowed") stand in it."""
    title: str
    id: str
    """Of name, specification and title alone: what a person's correction is kept under."""
    key: str
    """Of these and all versions: what a model's verdict is kept under."""
    version: str


def version(model: str = "") -> str:
    """Everything that could change a verdict."""
    return f"gate {GATE_VERSION}" + (f" prompt {PROMPT_VERSION} {model}" if model else "")


def pair(product: Product, title: str, *, used: bool = False, overseas: bool = False, model: str = "") -> Pair:
    """The pair of a product and a title.

    Args:
        product: its code is no part of the pair.
        title: as the mall shows it.
        used: used goods are welcome too.
        overseas: goods from abroad are welcome too.
        model: who would be asked.
    """
    wishes = (["중고 허용"] if used else []) + (["해외 허용"] if overseas else [])
    specification = " ".join([product.specification, *wishes]).strip()
    said = version(model)
    name_of = _digest(product.name, specification, title)
    return Pair(product.name, specification, title, name_of, _digest(name_of, said), said)


def _digest(*texts: str) -> str:
    folded = (" ".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in texts)
    return hashlib.sha256("\x00".join(folded).encode("utf-8", "replace")).hexdigest()
