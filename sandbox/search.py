"""Each mall's search: which offers a query finds, and in what order.

Upper and lower case, spaces and signs do not matter. Words count by how rare they are among the mall's titles; sizes
and counts ("210g", "24개") count half. 11st wants every word of the query, the others rank by the covered share, each
with its own least share, so that related goods come too.
"""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.catalogue import SandboxOffer

MAX_HITS = 40
_SPLIT = re.compile(r"[\s,/()\[\]{}+·|&★]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[^0-9a-z가-힣.]+(?=\d)")
_SIGN = re.compile(r"[^0-9a-z가-힣. ]|(?<!\d) | (?!\d)")
_QUANTITY = re.compile(r"\d[\d.]*(?:[a-z]{1,4}|[가-힣]{1,2})?")


@dataclass(frozen=True, slots=True)
class Policy:
    """How strict a mall's search is."""

    share: float = 1.0
    """Least covered weight."""
    all_main: bool = False
    """Every word that is no quantity has to be there."""
    stray_ads: int = 0
    """Ads that share only one word with the query and are mixed in."""


POLICIES = {
    "naver": Policy(share=0.4),
    "coupang": Policy(share=0.36, stray_ads=2),
    "gmarket": Policy(share=0.33, stray_ads=3),
    "auction": Policy(share=0.5),
    "st11": Policy(share=1.0, all_main=True),
}


def squash(text: str) -> str:
    """Text without case, spaces and signs; a space stays where two numbers would run together ("DS224+ 2베이")."""
    plain = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return _SIGN.sub("", _BETWEEN_DIGITS.sub(" ", plain))


def words(query: str) -> list[str]:
    """The query's words, squashed, without repeats."""
    parts = (squash(part) for part in _SPLIT.split(unicodedata.normalize("NFKC", query)))
    return list(dict.fromkeys(part for part in parts if part))


def contains(text: str, word: str) -> bool:
    """Whether the squashed text has the word; a number does not match the tail of a longer one."""
    at = text.find(word)
    while at > 0 and word[0].isdigit() and text[at - 1].isdigit():
        at = text.find(word, at + 1)
    return at >= 0


class Index:
    """The searchable offers of one mall."""

    def __init__(self, mall: str, offers: Sequence[SandboxOffer]) -> None:
        self._policy = POLICIES[mall]
        self._rows = [(squash(one.title), zlib.crc32(str(one.offer_id).encode()), one) for one in offers]

    def search(self, query: str) -> list[SandboxOffer]:
        """At most 40 offers, best first; none for unknown words."""
        asked = words(query)
        weights = {word: self._weight(word) for word in asked}
        main = [word for word in asked if not _QUANTITY.fullmatch(word)] or asked
        if not asked:
            return []
        total = sum(weights.values())
        found: list[tuple[float, int, SandboxOffer]] = []
        stray: list[tuple[float, int, SandboxOffer]] = []
        for text, draw, offer in self._rows:
            hit = [word for word in asked if contains(text, word)]
            mains = sum(word in hit for word in main)
            share = sum(weights[word] for word in hit) / total
            if not mains:
                continue
            enough = share >= self._policy.share - 1e-9 and (mains == len(main) or not self._policy.all_main)
            (found if enough else stray).append((-round(share, 3), draw, offer))
        return self._mixed(sorted(found, key=_order), sorted((s for s in stray if s[2].ad), key=_order))

    def _weight(self, word: str) -> float:
        seen = sum(contains(text, word) for text, _, _ in self._rows)
        rare = math.log(1 + (len(self._rows) + 1) / (seen + 1))
        return rare * (0.5 if _QUANTITY.fullmatch(word) else 1.0)

    def _mixed(
        self, found: list[tuple[float, int, SandboxOffer]], stray: list[tuple[float, int, SandboxOffer]]
    ) -> list[SandboxOffer]:
        hits = [row[2] for row in found]
        if hits:
            for place, row in enumerate(stray[: self._policy.stray_ads]):
                hits.insert(min(len(hits), 2 + 5 * place), row[2])
        return hits[:MAX_HITS]


def _order(row: tuple[float, int, SandboxOffer]) -> tuple[float, int]:
    return row[0], row[1]
