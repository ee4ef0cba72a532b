"""What the words of an offer say against a request: model, bundle, accessory, brand, line, variant, colour."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ai import kinds
from ai import words as facts_words
from ai.amounts import Fit
from ai.coverage import Coverage, Extra, is_plain, same_sound
from ai.spec import Core, ProductSpec, model_numbers
from model import Reason

if TYPE_CHECKING:
    from ai.title import Title

Verdict = tuple[Literal["reject", "accept", "ask"], Reason, float]


def models(spec: ProductSpec, title: Title) -> Reason | bool:
    """MODEL when another number of the maker stands there; else whether the asked one does."""
    if not spec.models:
        return False
    offered = {model for word in title.words for model in model_numbers(word.text)}
    if all(model in offered for model in spec.models):
        return True
    bare = title.line.replace(" ", "")
    if all(re.search(rf"(?<![a-z0-9]){re.escape(model)}(?![a-z0-9])", bare) for model in spec.models):
        return True
    return Reason.MODEL if offered else False


def bundle(spec: ProductSpec, title: Title, coverage: Coverage) -> Reason | None:
    """Other goods behind a plus sign, or "3종 세트", that the request does not name."""
    joined = {word.clause for word in title.words}
    if len(joined) > 1 and any(extra.word.clause > 0 and not is_plain(extra.text) for extra in coverage.extras):
        return Reason.BUNDLE
    asked = spec.title.text
    if facts_words.NUMBERED_SET.search(title.text) and not facts_words.NUMBERED_SET.search(asked):
        return Reason.BUNDLE
    return None


def accessory(spec: ProductSpec, title: Title, coverage: Coverage) -> Reason | None:
    """A part or extra at the head of the offer, or something made "for" the product."""
    for extra in coverage.extras:
        if extra.place == "tail" and spec.quantity.unit_amount is not None:
            continue
        if extra.text in facts_words.ACCESSORY and not _type_is_last(spec, title):
            return Reason.ACCESSORY
    return None


def _type_is_last(spec: ProductSpec, title: Title) -> bool:
    """Whether the offer's last noun is what was asked for, so that a part named before it is only described."""
    types = [core for core in spec.core if core.kind == "type"]
    return any(core.pattern.search(title.words[-1].text) for core in types) if title.words else False


def words(spec: ProductSpec, title: Title, coverage: Coverage, amount: Reason | Fit, *, model_equal: bool) -> Verdict:
    """The verdict that is left when no hard fact speaks."""
    lacking = [core for core in coverage.missing if core.required]
    if _colour_conflict(spec, title):
        return "reject", Reason.COLOUR, 0.95
    if model_equal:
        return _by_model(lacking, amount)
    if lacking:
        return _lacking(coverage, lacking, amount)
    return _complete(spec, coverage, amount)


def _colour_conflict(spec: ProductSpec, title: Title) -> bool:
    offered = {kinds.COLOURS[word.text] for word in title.words if word.text in kinds.COLOURS}
    return spec.colour is not None and bool(offered) and spec.colour not in offered


def _by_model(lacking: list[Core], amount: Reason | Fit) -> Verdict:
    if amount is Reason.OPTION or any(core.kind == "attribute" for core in lacking):
        return "ask", Reason.SIZE, 0.6
    return "accept", Reason.OK, 0.97


def _lacking(coverage: Coverage, lacking: list[Core], amount: Reason | Fit) -> Verdict:
    strange = [extra for extra in coverage.extras if extra.place != "tail"]
    if any(core.kind == "brand" for core in lacking):
        return _no_brand(coverage, lacking, strange, amount)
    if coverage.score < 0.5:
        return "reject", Reason.LINE, 0.95
    if any(core.kind == "variant" for core in lacking):
        return ("reject" if strange else "ask"), Reason.VARIANT, 0.85
    if all(core.kind == "type" for core in lacking) and not strange and amount is Fit.EQUAL:
        return "accept", Reason.OK, 0.85
    if strange:
        return "reject", Reason.LINE, 0.9
    return "ask", Reason.LINE, 0.5


def _no_brand(coverage: Coverage, lacking: list[Core], strange: list[Extra], amount: Reason | Fit) -> Verdict:
    early = [extra for extra in strange if extra.place in ("before", "inside")]
    if len(lacking) > 1 or early:
        return "reject", Reason.BRAND, 0.93
    if len(coverage.found) >= 3 and not strange and amount in (Fit.EQUAL, Fit.SILENT):
        return "accept", Reason.OK, 0.85
    return "ask", Reason.BRAND, 0.5


def _complete(spec: ProductSpec, coverage: Coverage, amount: Reason | Fit) -> Verdict:
    types = {core.text for core in spec.core if core.kind == "type"}
    for extra in coverage.extras:
        if extra.place == "tail":
            continue
        if extra.text in kinds.TYPES and not _synonym(extra.text, types):
            if extra.adjacent or extra.place == "inside":
                return "reject", Reason.LINE, 0.85
        elif extra.text in kinds.VARIANT and not _synonym(extra.text, types):
            return "reject", Reason.VARIANT, 0.85
        elif _unknown(spec, extra):
            return "ask", Reason.VARIANT, 0.5
    if amount is Fit.UNSAID or amount is Reason.OPTION:
        return "ask", Reason.SIZE if amount is Fit.UNSAID else Reason.OPTION, 0.5
    return "accept", Reason.OK, 0.93 if amount is Fit.EQUAL else 0.9


def _synonym(word: str, types: set[str]) -> bool:
    return any(word in group and types & group for group in kinds.TYPE_GROUPS)


def _unknown(spec: ProductSpec, extra: Extra) -> bool:
    if extra.place == "before" or (spec.brand and same_sound(spec.brand, extra.text)) or extra.text in kinds.COLOURS:
        return False
    return extra.place == "inside" or extra.adjacent
