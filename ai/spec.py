"""What the buyer wants, read from a product name and its specification.

Reading is cached, because one search judges many offers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from ai import kinds, words
from ai.core import Core
from ai.naming import Naming, naming
from ai.quantity import Quantity, parse
from ai.text import clippings, is_hangul, near, spelled
from ai.title import Title, Word, squeeze
from ai.title import read as read_title

_MODEL = re.compile(r"(?=[a-z0-9\-]*[a-z])(?=[a-z0-9\-]*\d)[a-z0-9][a-z0-9\-]{3,}[a-z0-9]")
_MIXED = re.compile("([가-힣]+)([a-z]{2,4})")
_TRANSITION = re.compile(r"(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)")
_SERIES = re.compile(
    r"(?:win|windows)\d[\w-]*|(?:rtx|gtx|gt|rx|arc|radeon|geforce|core|[iur][3579]|ultra[3579]?|ryzen[3579]?)-?[a-z]?\d[\w-]*"
    r"|(?:ddr|usb|hdmi|wifi|spf|pa|kf|ph|sse|pcie|cl|gen|m)\d[\d.\-]*|\d+(?:gb|tb|mb|ml|mg|hz|ghz|mm|cm|x|w|k|p)"
)
"""Names of systems, parts and standards: they tell a variant, not a maker's article."""


@dataclass(frozen=True, slots=True)
class ProductSpec:
    """The request as the gate compares it."""

    name: str
    specification: str
    brand: str | None
    models: tuple[str, ...]
    core: tuple[Core, ...]
    quantity: Quantity
    colour: str | None
    title: Title
    used: bool = False
    """Used, refurbished or returned goods are asked for."""
    overseas: bool = False
    refill: bool = False
    preorder: bool = False
    rental: bool = False
    naming: Naming = Naming.FULL
    """Whether the request tells a product at all."""
    missing: tuple[str, ...] = ()
    """Of "brand", "quantity", "model": what the request does not say."""

    def allowing(self, *, used: bool = False, overseas: bool = False) -> ProductSpec:
        """The same request with wider wishes."""
        return replace(self, used=self.used or used, overseas=self.overseas or overseas)


@lru_cache(maxsize=2048)
def read(name: str, specification: str = "") -> ProductSpec:
    """Read a request; never raises."""
    both = f"{name}, {specification}" if specification else name
    title = read_title(both)
    split = len(read_title(name).words)
    core = tuple(_cores(title.words, split))
    models = _models(title.words[:split]) or _models(title.words[split:])
    quantity = parse(both)
    brand = next((one.text for one in core if one.kind == "brand"), None)
    gaps = (("brand", brand is None), ("quantity", not quantity.explicit), ("model", not models))
    return ProductSpec(
        name,
        specification,
        brand,
        models,
        core,
        quantity,
        _colour(title.words),
        title,
        used=words.USED.search(title.text) is not None,
        overseas=words.OVERSEAS.search(title.text) is not None,
        refill=words.REFILL.search(title.text) is not None,
        preorder=words.PREORDER.search(title.text) is not None,
        rental=words.RENTAL.search(title.text) is not None,
        naming=naming(core, models, quantity),
        missing=tuple(gap for gap, absent in gaps if absent),
    )


def model_numbers(word: str) -> list[str]:
    """Manufacturer's numbers in a word, hyphens removed: letters and digits, five or more, no standard's name."""
    if not _MODEL.fullmatch(word) or _SERIES.fullmatch(word):
        return []
    bare = word.replace("-", "")
    return [bare] if len(bare) >= 5 else []


def _models(found: tuple[Word, ...]) -> tuple[str, ...]:
    """The maker's numbers; beside a long one the short ones are names of parts."""
    models = [model for word in found for model in model_numbers(word.text)]
    long = [model for model in models if len(model) >= 7]
    return tuple(long or models)


def _colour(found: tuple[Word, ...]) -> str | None:
    return next((colour for word in found if (colour := kinds.colour_of(word.text))), None)


def _cores(found: tuple[Word, ...], split: int) -> list[Core]:
    out: list[Core] = []
    typed = any(kinds.head_of(word.text) for word in found[:split])
    for at, word in enumerate(found):
        if word.raw.startswith("미포함"):
            continue
        wish = words.WISHES.fullmatch(word.raw) or words.REFILL.fullmatch(word.raw.removesuffix("만"))
        if wish or word.text in kinds.DECORATION:
            continue
        kind = "brand" if at == 0 and not word.unit else _kind(word)
        # Where the name has its noun already, a noun of the specification is an option's name ("텀블러", "크림").
        option = kind == "type" and at >= split and typed
        kind = "" if option else kind
        pattern = _pattern(_maker(word.text) if kind == "brand" else word.text)
        without = any(after.raw.startswith("미포함") for after in found[at + 1 : at + 2])
        required = (at < split or kind not in ("type", "plain")) and not without
        out.append(Core(word.text, word.raw, pattern, kind, word.unit, word.bracket or option, required))
    return out


def _maker(brand: str) -> str:
    """A maker's name without what firms carry behind it (삼성전자, 삼성): the short form is part of the long one."""
    ending = next((firm for firm in kinds.FIRM_ENDINGS if brand.endswith(firm) and len(brand) >= len(firm) + 2), "")
    return brand.removesuffix(ending)


def _kind(word: Word) -> str:
    if word.unit:
        return "attribute"
    if word.text in kinds.TYPES:
        return "type"
    if word.text in kinds.VARIANT or kinds.colour_of(word.text):
        return "variant"
    return "plain" if word.text in kinds.PLAIN else ""


def _pattern(text: str) -> re.Pattern[str]:
    group = {word for group in kinds.SPELLINGS if text in group for word in group} | {text, spelled(text)} - {""}
    group |= clippings(text)
    if mixed := _MIXED.fullmatch(text):
        group |= {mixed[1] + reading for reading in [spelled(mixed[2])] if reading}
    return re.compile("|".join(_bounded(squeeze(word)) for word in sorted(group, key=len, reverse=True)))


def _bounded(word: str) -> str:
    close = near(word)
    if close is not None:
        return f"{word}|{close.pattern}"
    if is_hangul(word):
        return word
    loose = _TRANSITION.sub(" ?", word.replace(" ", " ?"))
    return f"{_edge(word[:1], behind=True)}{loose}{_edge(word[-1:], behind=False)}"


def _edge(character: str, *, behind: bool) -> str:
    """What may not touch a word there: more of the same number or Latin word; a code may not go on as a longer code."""
    sign = "?<!" if behind else "?!"
    if character.isdigit():
        return rf"({sign}\d)" if behind else r"(?!\d|[a-z]{1,3}\d)"
    return rf"({sign}[a-z])" if character.isascii() and character else ""
