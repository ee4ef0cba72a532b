"""The verdict by words, when no hard fact speaks: brand, line, variant, colour, options; what is unclear is "ask"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ai import amounts, confidence, goods, kinds, neutral, options
from ai import words as patterns
from ai.amounts import Fit
from ai.naming import is_name
from ai.spec import model_numbers
from ai.text import is_hangul
from model import Reason

if TYPE_CHECKING:
    from ai.core import Core
    from ai.coverage import Coverage, Extra
    from ai.spec import ProductSpec
    from ai.title import Title

Verdict = tuple[Literal["reject", "accept", "ask"], Reason, float]
"""What to do, why, and how often such a verdict was right on labelled pairs."""

_SYSTEM = re.compile(r"win(?:dows)?\d*[a-z]*|freedos|linux")
_CODE = re.compile(r"(?=.*\d)[a-z0-9.\-]+")


def words(spec: ProductSpec, title: Title, coverage: Coverage, amount: Reason | Fit, *, tie: goods.Tie) -> Verdict:
    """The verdict that is left when no hard fact speaks."""
    lacking = [
        core for core in coverage.missing if core.required and not _left_out(spec, title, coverage, core, amount)
    ]
    if _colour_conflict(spec, title, coverage):
        return "reject", Reason.COLOUR, confidence.OTHER_NUMBER
    if tie is goods.Tie.ARTICLE or (tie is goods.Tie.FAMILY and not _told_apart(spec, title, coverage, lacking)):
        return _by_model(spec, title, coverage, lacking, amount)
    doubt = _doubt(spec, title, coverage, amount)
    if doubt is not None:
        return "ask", doubt, confidence.UNDECIDED
    strange = [extra for extra in coverage.extras if extra.place != "tail" and not neutral.meant(spec, title, extra)]
    verdict = _lacking(spec, title, coverage, lacking, strange, amount) if lacking else _complete(spec, strange, amount)
    if verdict[0] == "accept" and (options.trail(spec, title, coverage) or options.other_plus(spec, title)):
        return "ask", Reason.VARIANT, confidence.UNDECIDED
    return verdict


def _left_out(spec: ProductSpec, title: Title, coverage: Coverage, core: Core, amount: Reason | Fit) -> bool:
    """Whether sellers leave such a word out where amount and names agree: what kind of thing it is, its shape."""
    if (
        amount is not Fit.EQUAL
        or core.kind == "brand"
        or len(coverage.found) < 2
        or not any(map(is_name, coverage.found))
    ):
        return False
    if core.text in kinds.SIZE_WORDS:
        return spec.quantity.unit_amount is not None
    if goods.tells_part(spec, core) or _replaced(coverage):
        return False
    shape = core.text in kinds.FORMS
    if not shape and (kinds.head_of(core.text) != core.text or any(one.kind == "type" for one in coverage.found)):
        return False
    listed = kinds.FORMS if shape else kinds.KINDS_OF_GOODS
    return not any(word.text in listed and not _asked(spec, word.text) for word in title.words if not word.tail)


def _replaced(coverage: Coverage) -> bool:
    """Whether an edition, a taste or a colour may stand in the place of a missing word: "흰결 72g" for "커피 72g"."""
    named = (extra.text for extra in coverage.extras if extra.place in ("inside", "after"))
    return any(word in kinds.VARIANT or kinds.colour_of(word) is not None for word in named)


def _asked(spec: ProductSpec, word: str) -> bool:
    return any(core.pattern.fullmatch(word) for core in spec.core)


def _doubt(spec: ProductSpec, title: Title, coverage: Coverage, amount: Reason | Fit) -> Reason | None:
    """What forbids to accept before any word is weighed."""
    if not coverage.found:
        return Reason.UNKNOWN
    if amount is Reason.OPTION or "sizes?" in title.quantity.flags or _bait(spec, title, coverage):
        return Reason.OPTION
    if goods.described_part(spec, title, coverage):
        return Reason.ACCESSORY
    if goods.apart(spec, title, coverage):
        return Reason.BUNDLE
    return Reason.LINE if _contrast(title, coverage.missing) else None


def _contrast(title: Title, lacking: tuple[Core, ...]) -> bool:
    """Whether the offer says the opposite of a missing word: HDD for SSD, 욕실용 for 주방용."""
    offered = {word.text for word in title.words}
    for core in lacking:
        if core.text.endswith("용") and any(word.endswith("용") and len(word) > 2 for word in offered):
            return True
        if any(core.text in group and offered & group for group in kinds.CONTRASTS):
            return True
    return False


def _colour_conflict(spec: ProductSpec, title: Title, coverage: Coverage) -> bool:
    """Whether the offer adds another colour and does not show the asked one; one in a name is no colour ("레드 밤")."""
    if spec.colour is None or any(kinds.colour_of(word.text) == spec.colour for word in title.words):
        return False
    return any(kinds.colour_of(extra.word.text) for extra in coverage.extras)


def _bait(spec: ProductSpec, title: Title, coverage: Coverage) -> bool:
    """Whether the price may belong to another option: "골라담기", "매운맛/순한맛"."""
    text = title.text
    if spec.colour is None and not any(neutral.is_scent(core.text) for core in spec.core):
        # A request that names no colour and no scent takes any.
        text = patterns.COLOUR_CHOICE.sub(" ", text)
    if patterns.BAIT.search(text) and not patterns.BAIT.search(spec.title.text):
        return True
    listed = [extra for extra in coverage.extras if extra.word.choice and extra.text == extra.word.text]
    return any(extra.place in ("inside", "after") for extra in listed)


def _by_model(
    spec: ProductSpec, title: Title, coverage: Coverage, lacking: list[Core], amount: Reason | Fit
) -> Verdict:
    others = {other for other in goods.offered_models(title) if not any(other in model for model in spec.models)}
    if any(other[:3] == model[:3] for other in others for model in spec.models):
        return "ask", Reason.KEYWORDS, confidence.UNDECIDED
    beside = [extra for extra in coverage.extras if not neutral.meant(spec, title, extra)]
    if any(extra.text in kinds.BESIDE_MODEL or _is_switch(extra.text) for extra in coverage.extras):
        return "ask", Reason.VARIANT, confidence.UNDECIDED
    if any(extra.place == "after" and extra.text in kinds.KINDS_OF_GOODS for extra in beside):
        # Goods made for the asked article carry its number too: "… EX685M 세정제 500ml".
        return "ask", Reason.ACCESSORY, confidence.UNDECIDED
    if _configured(spec, title) or any(extra.text in kinds.VARIANT and extra.word.bracket for extra in beside):
        return "ask", Reason.VARIANT, confidence.UNDECIDED
    if amount is Reason.OPTION or any(core.unit in ("gb", "tb") or _CODE.fullmatch(core.text) for core in lacking):
        return "ask", Reason.SIZE, confidence.UNDECIDED
    told_apart = any(core.kind == "variant" or core.bracket for core in lacking)
    return ("ask", Reason.VARIANT, confidence.UNDECIDED) if told_apart else ("accept", Reason.OK, confidence.ARTICLE)


def _configured(spec: ProductSpec, title: Title) -> bool:
    """Whether a request that says its storage meets an offer with more of it, or with a system beside it."""
    asked, offered = (amounts.attributes(one).get("gb", set()) for one in (spec.title, title))
    systems = [{word.text for word in one.words if _SYSTEM.fullmatch(word.text)} for one in (spec.title, title)]
    return bool(asked) and (bool(offered - asked) or bool(systems[1] - systems[0]))


def _told_apart(spec: ProductSpec, title: Title, coverage: Coverage, lacking: list[Core]) -> bool:
    """Whether goods of one number may still be two: a word is missing, an edition or a bracket is added."""
    if any(core.kind not in ("plain", "brand") and not core.unit and not _is_kind(core) for core in lacking):
        return True
    named = (extra for extra in coverage.extras if extra.place != "tail" and not extra.word.unit)
    return any(
        extra.text in kinds.VARIANT
        or (extra.text.isascii() and not model_numbers(extra.word.text))
        or (extra.word.bracket and extra.place != "before")
        for extra in named
        if not neutral.meant(spec, title, extra)
    )


def _is_kind(core: Core) -> bool:
    return core.kind == "type" or kinds.head_of(core.text) == core.text


def _is_switch(word: str) -> bool:
    """Whether a word names the switches of a keyboard, each another article ("적축")."""
    return len(word) >= 2 and word.endswith("축")


def _lacking(
    spec: ProductSpec,
    title: Title,
    coverage: Coverage,
    lacking: list[Core],
    strange: list[Extra],
    amount: Reason | Fit,
) -> Verdict:
    if any(core.kind == "brand" for core in lacking):
        return _no_brand(coverage, lacking, strange, amount)
    if any(core.text.isdigit() for core in lacking) and _foreign_number(spec, title):
        return "reject", Reason.LINE, confidence.OTHER_WORDS
    reason = Reason.VARIANT if any(core.kind == "variant" for core in lacking) else Reason.LINE
    if amount is Fit.EQUAL:
        # Who makes or sells it may stand in front of the asked maker.
        strange = [extra for extra in strange if extra.place != "before"]
    if strange or coverage.score < 0.5:
        return "reject", reason, confidence.OTHER_WORDS
    if any(extra.place == "inside" for extra in coverage.extras) and any(core.kind == "plain" for core in lacking):
        # One word that says nothing stands in the place of another: together they may be a line ("순수", "벚꽃").
        return "ask", reason, confidence.UNDECIDED
    if reason is Reason.LINE and _measured(coverage, amount) and _dispensable(spec, title, coverage, lacking, amount):
        return "accept", Reason.OK, confidence.WORD_LEFT_OUT
    return "ask", reason, confidence.UNDECIDED


def _foreign_number(spec: ProductSpec, title: Title) -> bool:
    numbers = {word.text for word in title.words if word.text.isdigit()}
    return not numbers <= {core.text for core in spec.core}


def _measured(coverage: Coverage, amount: Reason | Fit) -> bool:
    """Whether a number ties the offer to the request: an equal amount, capacity or standard."""
    if amount is Fit.EQUAL:
        return True
    tied = any(core.kind == "attribute" or _CODE.fullmatch(core.text) for core in coverage.found)
    return amount is Fit.SILENT and tied


def _dispensable(
    spec: ProductSpec, title: Title, coverage: Coverage, lacking: list[Core], amount: Reason | Fit
) -> bool:
    """Whether sellers leave such words out: what kind of thing it is, or one name of many."""
    if any(goods.tells_part(spec, core) or _of_use(core) or _other_sort(title, core) for core in lacking):
        return False
    numbered = any(model_numbers(core.text) and len(core.text) >= 6 for core in coverage.found)
    left_out = [core for core in lacking if core.kind not in ("type", "plain")]
    if not left_out or (numbered and all(core.unit and core.unit not in ("gb", "tb") for core in left_out)):
        return True
    one = left_out[0]
    alone = (
        not any(extra.adjacent for extra in coverage.extras)
        and len(lacking) == 1
        and is_hangul(one.text)
        and one.kind == ""
        and not one.bracket
    )
    return alone and amount is Fit.EQUAL and len(coverage.found) >= 4


def _of_use(core: Core) -> bool:
    """Whether a word says for what or where the goods are: "욕실용"."""
    return len(core.text) > 2 and core.text.endswith("용")


def _other_sort(title: Title, core: Core) -> bool:
    """Whether the offer has another compound of a missing noun: 액체세제 for 가루세제."""
    noun = kinds.sort_of(core.text)
    return bool(noun) and any(word.text != core.text and kinds.sort_of(word.text) == noun for word in title.words)


def _no_brand(coverage: Coverage, lacking: list[Core], strange: list[Extra], amount: Reason | Fit) -> Verdict:
    early = [extra for extra in strange if extra.place in ("before", "inside")]
    if len(lacking) > 1 or early:
        return "reject", Reason.BRAND, confidence.OTHER_WORDS
    named = [core.text for core in coverage.found if not kinds.type_of(core.text)]
    telling = len(named) >= 2 or any(len(name) >= 4 for name in named)
    enough = len(coverage.found) >= 3 or (telling and amount is Fit.EQUAL)
    if enough and not strange and amount in (Fit.EQUAL, Fit.SILENT):
        return "accept", Reason.OK, confidence.WORD_LEFT_OUT
    return "ask", Reason.BRAND, confidence.UNDECIDED


def _complete(spec: ProductSpec, strange: list[Extra], amount: Reason | Fit) -> Verdict:
    typed = any(core.kind == "type" for core in spec.core)
    nouns = [extra for extra in strange if extra.text in kinds.TYPES]
    others = [extra for extra in strange if extra.text not in kinds.TYPES or _edition_noun(extra.text)]
    if typed and any(extra.adjacent or extra.place == "inside" for extra in nouns):
        return "reject", Reason.LINE, confidence.WORD_ADDED
    others = [extra for extra in others if not _any_colour(spec, extra)]
    if any(extra.text in kinds.VARIANT or _is_switch(extra.text) for extra in others):
        return "reject", Reason.VARIANT, confidence.WORD_ADDED
    unknown = [extra for extra in others if _unknown(spec, extra, amount)]
    if unknown and not _closing(spec, strange):
        return "ask", Reason.VARIANT, confidence.UNDECIDED
    if amount is Fit.UNSAID:
        return "ask", Reason.SIZE, confidence.UNDECIDED
    return "accept", Reason.OK, confidence.COMPLETE if amount is Fit.EQUAL else confidence.AMOUNT_UNSAID


def _edition_noun(word: str) -> bool:
    return word in kinds.TASTES or word in kinds.INGREDIENTS


def _any_colour(spec: ProductSpec, extra: Extra) -> bool:
    """Whether it is the offer's colour and the request takes any; inside a name it may be a line's ("블랙 쿠션")."""
    return extra.place == "after" and spec.colour is None and extra.text in kinds.COLOURS


def _unknown(spec: ProductSpec, extra: Extra, amount: Reason | Fit) -> bool:
    """Whether an extra word may tell another product: it stands in the name and no list knows it."""
    if extra.place == "before":
        return False
    if extra.text.isdigit():
        return extra.place == "inside" or extra.adjacent
    if kinds.colour_of(extra.text):
        return amount is not Fit.EQUAL and extra.place == "inside"
    if _CODE.fullmatch(extra.text):
        return amount is not Fit.EQUAL and not (model_numbers(extra.word.text) and not spec.models)
    if extra.place == "after" and extra.word.bracket and extra.text == extra.word.text:
        return amount is not Fit.EQUAL
    return extra.place == "inside" or extra.adjacent


def _closing(spec: ProductSpec, strange: list[Extra]) -> bool:
    """Whether one word behind a request of many numbers can only be who sells it: "… X50 12GB OC 상호"."""
    numbered = sum(any(character.isdigit() for character in core.text) for core in spec.core)
    only = strange[0]
    closes = only.place == "after" and only.text == only.word.text and is_hangul(only.text)
    return len(strange) == 1 and closes and numbered >= 2 and len(spec.core) >= 5
