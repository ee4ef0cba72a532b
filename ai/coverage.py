"""Which words of a request an offer shows, and which words of the offer nobody asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from ai import kinds
from ai.text import alike, is_hangul

if TYPE_CHECKING:
    from ai.spec import Core, ProductSpec
    from ai.title import Title, Word

Place = Literal["before", "inside", "after", "tail"]

_PLAIN = kinds.PLAIN
_LONGEST = max(map(len, _PLAIN))


@dataclass(frozen=True, slots=True)
class Extra:
    """A piece of the offer that the request does not explain."""

    text: str
    word: Word
    place: Place
    adjacent: bool
    """Right behind the last word the request asks for."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The comparison of the words."""

    found: tuple[Core, ...]
    missing: tuple[Core, ...]
    extras: tuple[Extra, ...]

    @property
    def score(self) -> float:
        """Share of the request's required words that the offer shows."""
        required = [core for core in (*self.found, *self.missing) if core.required]
        return sum(core in self.found for core in required) / len(required) if required else 0.0


def compare(spec: ProductSpec, title: Title) -> Coverage:
    """Search every word of the request in the offer, then look at what is left."""
    explained = bytearray(len(title.line))
    found: list[Core] = []
    missing: list[Core] = []
    places: list[int] = []
    for core in spec.core:
        hits = [match.span() for match in core.pattern.finditer(title.line)]
        for start, end in hits:
            explained[start:end] = b"\x01" * (end - start)
        if hits:
            places.extend(title.owner[start] for start, _ in hits[:1])
        (found if hits or _elsewhere(core, title) else missing).append(core)
    extras = tuple(_extras(title, explained, places))
    return Coverage(tuple(found), tuple(missing), extras)


def _elsewhere(core: Core, title: Title) -> bool:
    """A bare number may stand in the quantity; a brand may be written in the other script."""
    if core.text.isdigit():
        return core.pattern.search(title.text) is not None
    if core.kind != "brand":
        return False
    return any(same_sound(core.text, word.text) for word in title.words)


@lru_cache(maxsize=16384)
def same_sound(one: str, other: str) -> bool:
    """Whether two words are one name in Latin and in Hangul letters."""
    if is_hangul(one) == is_hangul(other) or one.isdigit() or other.isdigit():
        return False
    return alike(one, other) if is_hangul(other) else alike(other, one)


def _extras(title: Title, explained: bytearray, places: list[int]) -> list[Extra]:
    first, last = (min(places), max(places)) if places else (len(title.words), -1)
    behind = next((at for at in range(last + 1, len(title.words)) if not is_plain(title.words[at].text)), -1)
    out = []
    for index, piece in _runs(title, explained):
        word = title.words[index]
        place: Place = "inside"
        if index < first:
            place = "before"
        elif index > last:
            place = "tail" if word.tail else "after"
        if not is_plain(piece):
            out.append(Extra(piece, word, place, index in (behind, last)))
    return out


def _runs(title: Title, explained: bytearray) -> list[tuple[int, str]]:
    """Unexplained pieces with the index of their word."""
    runs: list[tuple[int, str]] = []
    for at, character in enumerate(title.line):
        if explained[at] or character == " ":
            continue
        index = title.owner[at]
        if runs and runs[-1][0] == index and at and not explained[at - 1]:
            runs[-1] = (index, runs[-1][1] + character)
        else:
            runs.append((index, character))
    return runs


@lru_cache(maxsize=16384)
def is_plain(word: str) -> bool:
    """Whether a word, or all its parts, say nothing about which product it is."""
    if word in _PLAIN or word.isdigit():
        return True
    if any(word.endswith(ending) and len(word) > len(ending) for ending in kinds.PLAIN_ENDINGS):
        return True
    if len(word) > 14:
        return False
    reach = [True] + [False] * len(word)
    for end in range(1, len(word) + 1):
        reach[end] = any(reach[start] and word[start:end] in _PLAIN for start in range(max(0, end - _LONGEST), end))
    return reach[-1]
