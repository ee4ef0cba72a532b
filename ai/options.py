"""Options that malls and sellers hang behind the amount, and the plus sign behind a model's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ai import kinds, neutral
from ai import words as patterns
from ai.text import is_hangul

if TYPE_CHECKING:
    from ai.coverage import Coverage, Extra
    from ai.spec import ProductSpec
    from ai.title import Title

_PLUS = re.compile(r"(?<![a-z0-9가-힣])([a-z0-9\-]*[a-z][a-z0-9\-]*)\+(?![a-z0-9가-힣+])")
_SPELLED = re.compile(r"(?<![a-z])plus(?![a-z])|플러스")
_DESCRIBES = ("용", "분", "형", "개월", "향")
_FACTS = (
    patterns.USED, patterns.NEAR_EXPIRY, patterns.OVERSEAS, patterns.DOMESTIC, patterns.PREORDER, patterns.RENTAL,
    patterns.REFILL, patterns.MAIN_UNIT, patterns.WISHES,
)  # fmt: skip
_FEW = 2
"""Two words in a row may be an option; more of them are search words."""


def other_plus(spec: ProductSpec, title: Title) -> bool:
    """Whether one of the two says "S24+" and the other "S24": two models of one family."""
    asked, offered = (set(_PLUS.findall(one.text)) for one in (spec.title, title))
    if asked == offered or _SPELLED.search(spec.title.text) or _SPELLED.search(title.text):
        return False
    return bool(asked - offered) or any(word.text in offered for word in spec.title.words)


def trail(spec: ProductSpec, title: Title, coverage: Coverage) -> bool:
    """Whether a word behind the amount may be the option that is sold, and is not the one asked for.

    Search words stand there too, mostly in long rows: those say nothing.
    """
    behind = [extra for extra in coverage.extras if extra.place == "tail" and not _judged(extra.word.raw)]
    tail = [extra for extra in behind if extra.text not in kinds.TYPES and not neutral.meant(spec, title, extra)]
    tail = [extra for extra in tail if not _any_colour(spec, extra)]
    tail += [extra for extra in behind if extra.text in kinds.TASTES]
    listed = _listed(title)
    if any(extra.word.raw in listed for extra in tail) or _last(title, behind):
        return True
    return len(tail) <= _FEW and any(extra.text in kinds.VARIANT or extra.text in kinds.TASTES for extra in tail)


def _judged(word: str) -> bool:
    """Whether it states a condition, an origin or a refill, which the hard facts have weighed already."""
    return any(fact.search(word) for fact in _FACTS)


def _last(title: Title, tail: list[Extra]) -> bool:
    """Whether one word no list knows closes the title right behind the amount: "… 140g 40개 까르보"."""
    if len(tail) != 1 or tail[0].index != len(title.words) - 1 or not title.words[-2:-1] or title.words[-2].tail:
        return False
    word = tail[0].text
    return is_hangul(word) and not kinds.colour_of(word) and not kinds.head_of(word) and not word.endswith(_DESCRIBES)


def _any_colour(spec: ProductSpec, extra: Extra) -> bool:
    return spec.colour is None and kinds.colour_of(extra.text) is not None


def _listed(title: Title) -> set[str]:
    """Words that stand between commas, alone or in twos."""
    parts = [part.split() for part in title.text.split(",")[1:]]
    return {word for part in parts if len(part) <= _FEW for word in part}
