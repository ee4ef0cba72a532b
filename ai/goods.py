"""Hard facts that only the comparison with the request shows: another model, other goods beside it, a part of it."""

from __future__ import annotations

import re
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from ai import kinds
from ai import words as patterns
from ai.coverage import Coverage, Extra, closes_with_type, is_plain
from ai.neutral import LEFT_OUT, excused, included
from ai.spec import ProductSpec, model_numbers
from model import Reason

if TYPE_CHECKING:
    from ai.core import Core
    from ai.title import Title


WITH = "포함"
"""Behind the name of a part: it is in the box."""


class Tie(IntEnum):
    """How firmly a maker's number ties an offer to the request."""

    NONE = 0
    FAMILY = 1
    """The asked number, but one that colours and editions may share."""
    ARTICLE = 2
    """The asked number, long enough to name one configuration."""


def models(spec: ProductSpec, title: Title) -> Reason | Tie:
    """MODEL when another number of the maker stands there; else how firmly the asked one ties.

    A short number proves nothing by itself: parts and copies carry it too.
    """
    if not spec.models:
        return Tie.NONE
    offered = offered_models(title)
    bare = title.line.replace(" ", "")
    if all(model in offered or _stands(model, bare) for model in spec.models):
        return max(map(_tie, spec.models))
    if any(_cut_short(model, other) for model in spec.models for other in offered):
        return Tie.NONE
    return Reason.MODEL if offered else Tie.NONE


def _tie(model: str) -> Tie:
    digits = sum(character.isdigit() for character in model)
    if len(model) >= 9 and digits >= 3:
        return Tie.ARTICLE
    return Tie.FAMILY if len(model) >= 6 and digits >= 2 else Tie.NONE


def _cut_short(model: str, other: str) -> bool:
    """Whether one number is the other without its country or finish ("sthx33989", "sthx339898")."""
    short, long = sorted((model, other), key=len)
    return long.startswith(short) and len(short) >= 6 and sum(character.isdigit() for character in short) >= 3


def _stands(model: str, line: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(model)}(?![a-z0-9])", line) is not None


def offered_models(title: Title) -> set[str]:
    """All maker's numbers of a title."""
    return {model for word in title.words for model in model_numbers(word.text)}


def bundle(spec: ProductSpec, title: Title, coverage: Coverage) -> Reason | None:
    """Other goods behind a plus sign, or "3종 세트", that the request does not name."""
    if any(extra.word.clause > 0 and not is_plain(extra.text) for extra in coverage.extras):
        return Reason.BUNDLE
    if patterns.NUMBERED_SET.search(title.text) and not patterns.NUMBERED_SET.search(spec.title.text):
        return Reason.BUNDLE
    return None


def apart(spec: ProductSpec, title: Title, coverage: Coverage) -> bool:
    """Whether nouns that the request joins to one stand on two sides of a plus sign: "샤워기 + 필터"."""
    if "+" in spec.title.text or not any(word.clause for word in title.words):
        return False
    nouns = [core for core in coverage.found if _is_noun(core.text)]
    clauses = [{word.clause for word in title.words if core.pattern.fullmatch(word.text)} for core in nouns]
    return any(one and other and not one & other for one, other in pairwise(clauses))


def tells_part(spec: ProductSpec, core: Core) -> bool:
    """Whether an asked noun says of what the part right behind it is: "샤워기 필터"."""
    at = spec.core.index(core)
    return _is_noun(core.text) and any(is_part(after.text) for after in spec.core[at + 1 : at + 2])


def _is_noun(word: str) -> bool:
    return kinds.head_of(word) == word or is_part(word)


def accessory(spec: ProductSpec, title: Title, coverage: Coverage) -> Reason | None:
    """A part or extra at the head of the offer, or something made "for" the product."""
    if closes_with_type(spec, title):
        return None
    for extra in coverage.extras:
        described = extra.place == "tail" and spec.quantity.unit_amount is not None
        part = is_part(extra.text) or _made_for(spec, title, extra)
        if part and not described and not (excused(spec, title, extra) or _describes(spec, title, extra)):
            return Reason.ACCESSORY
    return None


def _describes(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether it stands right before the asked noun and only describes it: "스탠드 선풍기"."""
    after = title.words[extra.index + 1 : extra.index + 2]
    asked = [core for core in spec.core if core.kind == "type"]
    return any(core.pattern.fullmatch(word.text) for core in asked for word in after)


def without(spec: ProductSpec, title: Title) -> Reason | None:
    """COMPONENT where the offer expressly leaves out what was asked for: "독 (본체 미포함)"."""
    asked = [core for core in spec.core if core.required and core.kind != "brand" and not core.unit]
    packed = {core.text.removesuffix(WITH) for core in spec.core if core.text.endswith(WITH)}
    for word, after in pairwise(title.words):
        wanted = word.text in packed or any(core.pattern.fullmatch(word.text) for core in asked)
        if wanted and after.raw.startswith(LEFT_OUT):
            return Reason.COMPONENT
    return None


def described_part(spec: ProductSpec, title: Title, coverage: Coverage) -> bool:
    """Whether a part is named among the search words: the product with it, or the part alone."""
    if closes_with_type(spec, title):
        return False
    return any(
        extra.place == "tail" and is_part(extra.text) and not included(title, extra) for extra in coverage.extras
    )


def is_part(word: str) -> bool:
    """Whether a noun names a part or an extra."""
    return word in patterns.ACCESSORY or word.endswith(patterns.ACCESSORY_ENDINGS)


def _made_for(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether the piece is what "전용" announces: "새빛 K5 전용 덮개"."""
    at = extra.index
    behind = at > 0 and extra.place == "after" and title.words[at - 1].raw.endswith("전용")
    return behind and spec.quantity.unit_amount is None
