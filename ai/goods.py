"""Hard facts that only the comparison with the request shows: another model, other goods beside it, a part of it."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING

from ai import kinds
from ai import words as patterns
from ai.coverage import Coverage, Extra, closes_with_type, is_plain, same_sound
from ai.spec import ProductSpec, model_numbers
from model import Reason

if TYPE_CHECKING:
    from ai.title import Title


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
    return Reason.MODEL if offered else Tie.NONE


def _tie(model: str) -> Tie:
    digits = sum(character.isdigit() for character in model)
    if len(model) >= 9 and digits >= 3:
        return Tie.ARTICLE
    return Tie.FAMILY if len(model) >= 6 and digits >= 2 else Tie.NONE


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


def accessory(spec: ProductSpec, title: Title, coverage: Coverage) -> Reason | None:
    """A part or extra at the head of the offer, or something made "for" the product."""
    if closes_with_type(spec, title):
        return None
    for extra in coverage.extras:
        described = extra.place == "tail" and spec.quantity.unit_amount is not None
        if (
            not described
            and (is_part(extra.text) or _made_for(spec, title, extra))
            and not _excused(spec, title, extra)
        ):
            return Reason.ACCESSORY
    return None


def described_part(spec: ProductSpec, title: Title, coverage: Coverage) -> bool:
    """Whether a part is named among the search words: the product with it, or the part alone."""
    if closes_with_type(spec, title):
        return False
    return any(
        extra.place == "tail" and is_part(extra.text) and not _included(title, extra) for extra in coverage.extras
    )


def is_part(word: str) -> bool:
    """Whether a noun names a part or an extra."""
    return word in patterns.ACCESSORY or word.endswith(patterns.ACCESSORY_ENDINGS)


def _made_for(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether the piece is what "전용" announces: "새빛 K5 전용 덮개"."""
    at = title.words.index(extra.word)
    behind = at > 0 and extra.place == "after" and title.words[at - 1].raw.endswith("전용")
    return behind and spec.quantity.unit_amount is None


def _included(title: Title, extra: Extra) -> bool:
    """Whether the part is packed in: "어댑터 포함"."""
    following = title.words[title.words.index(extra.word) + 1 :][:1]
    return any(word.raw.startswith(("포함", "동봉", "내장", "제공")) for word in following)


def meant(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether an extra word fits the request after all: decoration, a packed-in part, another word for the same."""
    if extra.place == "before" and extra.word.bracket:
        return True
    wish = patterns.REFILL if spec.refill else patterns.MAIN_UNIT
    if wish.fullmatch(extra.word.raw) or (extra.text in kinds.PACKS and spec.quantity.unit_amount is not None):
        return True
    if extra.text.isdigit() and float(extra.text) in (title.quantity.unit_amount, title.quantity.count):
        return True
    if extra.text in kinds.ADJECTIVES and extra.text != extra.word.text and kinds.type_of(extra.word.text):
        return True
    if is_scent(extra.text) and not any(is_scent(core.text) for core in spec.core):
        return True
    return (
        _excused(spec, title, extra)
        or _category(spec, title, extra)
        or any(same_sound(core.text, extra.text) for core in spec.core)
    )


def _excused(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether a noun is packed in, or another noun for the asked kind of thing."""
    types = {core.text for core in spec.core if core.kind == "type"}
    same = any(extra.text in group and types & group for group in kinds.TYPE_GROUPS)
    return same or _included(title, extra)


def _category(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether the word only says what kind of thing it is: "로봇청소기", "무선 청소기".

    A request that names its kind takes compounds of that noun (액체세제 for 세제); one that names none takes any.
    """
    head = kinds.type_of(extra.text)
    modifier = extra.text.removesuffix(head)
    if extra.text != extra.word.text or (modifier in kinds.VARIANT and modifier not in kinds.ADJECTIVES):
        return False
    asked = [core.text for core in spec.core if kinds.type_of(core.text)]
    if asked:
        return bool(head) and any(core.endswith(head) for core in asked) and (not modifier or is_plain(modifier))
    following = title.words[title.words.index(extra.word) + 1 :][:1]
    return bool(head) or any(word.text in kinds.TYPES for word in following)


def is_scent(word: str) -> bool:
    """Whether a word names a scent; a request that names none takes any."""
    return word in kinds.SCENTS or (word.endswith("향") and len(word) > 2)
