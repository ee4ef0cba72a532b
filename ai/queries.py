"""What to ask a mall for: the narrow query first, wider ones only while nothing survives the gate."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ai import kinds
from ai.scan import clean, scan
from ai.spec import model_numbers
from ai.text import fold

if TYPE_CHECKING:
    from model import Product

_DECORATION = re.compile(r"[\[({【][^\])}】]*[\])}】]|(?:\d[\d,]*\s?원)|무료배송|정품|증정|공식|새상품|미개봉")
_SPACES = re.compile(r"\s+")


def ladder(product: Product, rungs: int) -> tuple[str, ...]:
    """At most `rungs` different queries: name + unit size · name · brand and model, or four core words."""
    name, size = _without_amounts(product.name), _unit_size(f"{product.name}, {product.specification}")
    words = name.split()
    models = [word for word in words if model_numbers(clean(word))]
    short = [*words[:1], *(word for word in models if word != words[0])] if models else _core_words(words)[:4]
    candidates = (f"{name} {size}" if size else name, name, " ".join(short))
    unique = dict.fromkeys(query for query in candidates if query)
    return tuple(unique)[:rungs] or (_SPACES.sub(" ", product.name).strip(),)


def _without_amounts(name: str) -> str:
    text = _DECORATION.sub(" ", name)
    lowered = clean(text)
    if len(lowered) != len(text):
        text = lowered
    spans = [(token.start, token.end) for token in scan(lowered) if token.kind in "SC" or token.kind == "X"]
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    return _SPACES.sub(" ", re.sub(r"(?:^|\s)[,+*/()\[\]]+(?=\s|$)|[,;]+", " ", text)).strip()


def _unit_size(text: str) -> str:
    sizes = [token for token in scan(clean(text)) if token.kind == "S"]
    if not sizes:
        return ""
    value, base = min((token.value, token.unit) for token in sizes)
    if value >= 1000:
        return f"{value / 1000:g}{'kg' if base == 'g' else 'L'}"
    return f"{value:g}{base}"


def _core_words(words: list[str]) -> list[str]:
    return [word for word in words if fold(clean(word)) not in kinds.PLAIN] or words
