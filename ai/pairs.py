"""Bare pairs of titles, no request and no prices: the same product or not. English and Korean.

A maker's number that both titles carry decides, one that contradicts decides against; only where a title has none do
the words decide, weighted by how rare they are among these titles. Korean pairs go through the gate, left as request.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai import kinds
from ai import spec as product_spec
from ai.gate import judge
from ai.scan import clean
from model import Offer, Reason, Same

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[a-z0-9가-힣]+(?:[-/.][a-z0-9]+)*")
_MODEL = re.compile(r"(?=.*\d)(?:(?=.*[a-z])[a-z0-9]{5,}|\d{6,})")
_MEASURE = re.compile(
    r"\d+(?:gb|mb|tb|ghz|mhz|hz|mm|cm|inch|watts?|w|v|mah|p|x|th|st|nd|rd|pin|ft|lb|oz|mp|megapixels?|channel|port)"
)
_STOCK = re.compile(r"\d{4}b\d{3}[a-z]*")
"""A dealer's stock number: two of them say nothing about each other."""
_FINISH = re.compile(r"(?<=\d)[a-z]{1,4}$")
_JOIN = re.compile(r"[^a-z0-9]+")
_HANGUL = re.compile(r"[가-힣]")
SAME_WORDS = 0.55
"""Cosine of the words from which a pair without any maker's number is the same product."""
SOME_WORDS = 0.1
"""Cosine below which even an equal number is chance."""


ASK_FROM, ASK_TO = 0.25, 0.6
"""Cosine between which a pair without any maker's number is worth a question: below it is another product, above the
same one, nearly always."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """What the rules say of one pair."""

    verdict: Same
    reason: Reason
    score: float
    """Cosine of the words, or the share of the request's words, 0…1."""
    confidence: float
    ask: bool = False
    """Whether a model is worth asking; without one the verdict stands."""


def label(pairs: Sequence[tuple[str, str]]) -> list[Labelled]:
    """One label a pair, in order; the rarity of words is taken from these pairs alone."""
    bags = [(_bag(left), _bag(right)) for left, right in pairs]
    seen = Counter(word for bag in {frozenset(bag) for both in bags for bag in both} for word in bag)
    rarity = {word: math.log((1 + len(bags)) / count) + 1 for word, count in seen.items()}
    return [_label(*pair, cosine(*bag, rarity)) for pair, bag in zip(pairs, bags, strict=True)]


def _label(left: str, right: str, words: float) -> Labelled:
    if _HANGUL.search(left + right):
        return _korean(left, right)
    ours, theirs = _colours(left), _colours(right)
    if ours and theirs and not ours & theirs:
        return Labelled(Same.DIFFERENT, Reason.COLOUR, words, 0.9)
    relation = numbers(left, right)
    if relation is not None:
        if relation and words >= SOME_WORDS:
            return Labelled(Same.SAME, Reason.OK, words, 0.93)
        return Labelled(Same.DIFFERENT, Reason.MODEL, words, 0.97)
    ask = ASK_FROM <= words < ASK_TO
    if words >= SAME_WORDS:
        return Labelled(Same.SAME, Reason.OK, words, 0.7, ask)
    return Labelled(Same.DIFFERENT, Reason.UNKNOWN, words, 0.9, ask)


def _korean(left: str, right: str) -> Labelled:
    offer = Offer(mall="", rank=1, name=right, price_krw=0, url="")
    judged = judge(product_spec.read(left), offer)
    verdict = {"accept": Same.SAME, "reject": Same.DIFFERENT, "ask": Same.UNSURE}[judged.verdict]
    return Labelled(verdict, judged.reason, judged.score, judged.confidence, judged.verdict == "ask")


def numbers(left: str, right: str) -> bool | None:
    """True when the titles share a maker's number, False when both have one and none agrees, None otherwise.

    A number may stand apart in the other title ("sx10 is") or lack the letters of its finish or country there; two
    different finishes of one number disagree.
    """
    ones, others = _models(left), _models(right)
    if any(one in _line(right) for one in ones) or any(other in _line(left) for other in others):
        return True
    stems, other_stems = ({_FINISH.sub("", model): model for model in models} for models in (ones, others))
    if any(stems[stem] != stem != other_stems[stem] for stem in stems.keys() & other_stems.keys()):
        return False
    if any(len(stem) >= 4 and stem in _line(right) for stem in stems):
        return True
    if any(len(stem) >= 4 and stem in _line(left) for stem in other_stems):
        return True
    return False if _comparable(ones, others) else None


def _comparable(ones: set[str], others: set[str]) -> bool:
    """Whether both have a number of the same nature: letters and digits, or digits alone."""
    natures = [
        {model.isdigit() for model in models if model.isdigit() or not _STOCK.fullmatch(model)}
        for models in (ones, others)
    ]
    return bool(natures[0] & natures[1])


def _models(title: str) -> set[str]:
    bare = (re.sub(r"[-/.]", "", word) for word in _WORD.findall(clean(title)))
    return {word for word in bare if _MODEL.fullmatch(word) and not _MEASURE.fullmatch(word)}


def _line(title: str) -> str:
    return _JOIN.sub("", clean(title))


def _colours(title: str) -> set[str]:
    return {kinds.COLOURS[word] for word in _WORD.findall(clean(title)) if word in kinds.COLOURS}


def _bag(title: str) -> frozenset[str]:
    return frozenset(re.sub(r"[-/.]", "", word) for word in _WORD.findall(clean(title)))


def cosine(left: Iterable[str], right: Iterable[str], rarity: dict[str, float]) -> float:
    """Cosine of two sets of words under their rarity, 0…1."""
    one, other = frozenset(left), frozenset(right)
    shared = sum(rarity[word] ** 2 for word in one & other)
    norm = math.sqrt(sum(rarity[word] ** 2 for word in one) * sum(rarity[word] ** 2 for word in other))
    return shared / norm if norm else 0.0
