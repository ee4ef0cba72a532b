"""Words of an offer that nobody asked for and that make no other product of it all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai import kinds
from ai import words as patterns
from ai.coverage import Extra, is_plain, same_sound
from ai.text import is_hangul, sound
from ai.title import squeeze

if TYPE_CHECKING:
    from ai.spec import ProductSpec
    from ai.title import Title

_WITH = ("포함", "동봉", "내장", "제공")
LEFT_OUT = ("미포함", "불포함", "별도", "제외", "없음", "별매")
"""Words behind a part that is not in the box."""
_TOLD_BESIDE = ("인치", "단계", "겹", "도", "회", "분", "시간", "개월", "w", "v", "cm", "mm", "m")
"""Numbers that describe goods whose amount agrees, where the request is silent about them."""
_FIT_FOR = ("가능", "겸용", "대응", "사용가능", "호환가능")


def meant(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether an extra word fits the request after all: decoration, a packed-in part, another word for the same."""
    return any(excuse(spec, title, extra) for excuse in _EXCUSES)


def _decorates(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    if extra.place == "before" and extra.word.bracket:
        return True
    if extra.text in kinds.ADJECTIVES and extra.text != extra.word.text and kinds.head_of(extra.word.text):
        return True
    if is_scent(extra.text) and not any(is_scent(core.text) for core in spec.core):
        return True
    return extra.text in kinds.PACKS and spec.quantity.unit_amount is not None and bool(title.words)


def _as_asked(spec: ProductSpec, _title: Title, extra: Extra) -> bool:
    """Whether it is the full unit or the refill that was asked for; a blade is a refill anyway."""
    wish = patterns.REFILL if spec.refill else patterns.MAIN_UNIT
    if wish.fullmatch(extra.word.raw):
        return True
    consumable = any(core.text.endswith(patterns.CONSUMABLE) for core in spec.core)
    return consumable and patterns.REFILL.fullmatch(extra.word.raw) is not None


def _number(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether a number, or what is left of one, is the quantity's or the request's own."""
    if (extra.text == extra.word.unit and extra.word.unit in kinds.SILENT_UNITS) or _bare_number(spec, extra):
        return True
    return extra.text.isdigit() and float(extra.text) in (title.quantity.unit_amount, title.quantity.count)


def _bare_number(spec: ProductSpec, extra: Extra) -> bool:
    """Whether it is an asked number without its unit: "0.7" for "0.7mm"."""
    asked = (core.text.removesuffix(core.unit) for core in spec.core if core.unit)
    return any(extra.text == squeeze(number).replace(" ", "") for number in asked)


def _country(spec: ProductSpec, _title: Title, extra: Extra) -> bool:
    """Whether letters behind an asked maker's number only say for which country and finish: "smx630" "nzaakoo"."""
    rest = extra.text.isascii() and extra.text.isalpha() and len(extra.text) >= 4
    return rest and any(extra.word.text.replace("-", "").startswith(model) for model in spec.models)


def _sounds(spec: ProductSpec, _title: Title, extra: Extra) -> bool:
    return any(same_sound(core.text, extra.text) for core in spec.core)


def _said_anyway(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether a word repeats what is settled: the usual edition, a size beside its number, the finish of a colour."""
    word = extra.text
    at = extra.index
    if any(following.raw.startswith(_FIT_FOR) for following in title.words[at + 1 : at + 2]):
        return True
    if extra.word.unit in _TOLD_BESIDE and word.endswith(extra.word.unit):
        equal = title.quantity.explicit and spec.quantity.total == title.quantity.total is not None
        return equal and not any(core.unit == extra.word.unit for core in spec.core)
    if word in kinds.DEFAULTS:
        return not any(core.text in kinds.VARIANT and core.text not in kinds.DEFAULTS for core in spec.core)
    if word in kinds.CONTAINER_FORMS:
        return title.quantity.explicit and spec.quantity.count == title.quantity.count
    if word in kinds.SIZE_WORDS:
        sized = spec.quantity.unit_amount is not None and spec.quantity.unit_amount == title.quantity.unit_amount
        return sized or (len(word) == 1 and any(core.unit for core in spec.core))
    return word in kinds.FINISHES and spec.colour is not None and kinds.colour_of(extra.word.text) == spec.colour


def _maker(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether Latin words beside the maker's Hangul name are that name: "롬앤 rom&nd", "하코 HAKKO"; no edition is."""
    brand = next((core.text for core in spec.core if core.kind == "brand"), "")
    at = extra.index
    if (
        extra.text in kinds.VARIANT
        or at > 3
        or not is_hangul(brand)
        or not (extra.text.isascii() and extra.text.isalpha())
    ):
        return False
    latin = "".join(word.text for word in title.words[:5] if word.text.isascii() and word.text.isalpha())
    heard = [sound(name) for name in (brand, latin, extra.text)]
    if not all(heard):
        return False
    heard = [one.replace("j", "s") for one in heard]
    if len(heard[0]) < 2:
        return heard[0] in heard[1:]
    return any(one.startswith(heard[0]) or (len(one) > 1 and heard[0].startswith(one)) for one in heard[1:])


def included(title: Title, extra: Extra) -> bool:
    """Whether the part is packed in or expressly left out: "어댑터 포함", "충전기 미포함"; an edition is no part."""
    at = extra.index
    if any(word.raw.startswith(LEFT_OUT) for word in title.words[at + 1 : at + 4]):
        return True
    return extra.text not in kinds.VARIANT and any(word.raw.startswith(_WITH) for word in title.words[at + 1 : at + 2])


def excused(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether a noun is packed in, or another noun for the asked kind of thing."""
    types = {core.text for core in spec.core if core.kind == "type"}
    same = any(extra.text in group and types & group for group in kinds.TYPE_GROUPS)
    return same or included(title, extra)


def _category(spec: ProductSpec, title: Title, extra: Extra) -> bool:
    """Whether the word only says what kind of thing it is: "로봇청소기", "무선 청소기".

    A request that names its kind takes compounds of that noun (액체세제 for 세제); one that names none takes any.
    """
    following = title.words[extra.index + 1 :][:1]
    before_asked = any(core.pattern.search(word.text) for core in spec.core for word in following)
    if (extra.text in kinds.INGREDIENTS and extra.place != "tail") or (extra.text in kinds.TASTES and before_asked):
        return False
    head = kinds.type_of(extra.text)
    modifier = extra.text.removesuffix(head)
    if extra.text != extra.word.text or (modifier in kinds.VARIANT and modifier not in kinds.ADJECTIVES):
        return False
    asked = [core.text for core in spec.core if kinds.type_of(core.text)]
    if extra.text in kinds.KINDS_OF_GOODS and any(core.text[-2:] == extra.text[-2:] for core in spec.core):
        return True
    if asked:
        return bool(head) and any(core.endswith(head) for core in asked) and (not modifier or is_plain(modifier))
    if modifier and not (is_plain(modifier) or modifier in kinds.ADJECTIVES or modifier in kinds.KINDS_OF_GOODS):
        return False
    return bool(head) or any(word.text in kinds.TYPES for word in following)


def is_scent(word: str) -> bool:
    """Whether a word names a scent; a request that names none takes any."""
    return word in kinds.SCENTS or (word.endswith("향") and len(word) > 2)


_EXCUSES = (_decorates, _as_asked, _number, _country, _said_anyway, _maker, excused, _category, _sounds)
