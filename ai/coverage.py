"""Which words of a request an offer shows, and which words of the offer nobody asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from ai import kinds
from ai.text import alike, fold, is_hangul

if TYPE_CHECKING:
    from ai.core import Core
    from ai.spec import ProductSpec
    from ai.title import Title, Word

Place = Literal["before", "inside", "after", "tail"]

_PLAIN = kinds.PLAIN
_ENDINGS = frozenset(fold("형용향맛분식제류산"))
_MIXED = re.compile(r"([가-힣]{2,})([a-z]{2,})|([a-z]{2,})([가-힣]{2,})")
_YEAR = re.compile(r"20[12]\d(?:년형?|년식)?|(?:wifi|와이파이)[4-7]e?|기가(?:비트)?")
"""A year of make, and standards of wireless and wire that every box of the kind has."""
_CLEANING = re.compile("(?:청소|세척|세정|전)용$")
_MAKER_STANDS = 3
"""Among so many words at its head a title names its maker."""
_FIRMS = tuple(firm for firm in kinds.FIRM_ENDINGS if len(firm) > 1)
_LONGEST = max(map(len, _PLAIN))


@dataclass(frozen=True, slots=True)
class Extra:
    """A piece of the offer that the request does not explain."""

    text: str
    word: Word
    place: Place
    adjacent: bool
    """Right behind the last word the request asks for."""
    index: int = 0
    """Of its word in the title."""


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
        hits = _hits(core, title)
        for start, end in hits:
            explained[start:end] = b"\x01" * (end - start)
        head = _in_other_letters(core, title) if core.kind == "brand" and not hits else None
        if hits:
            places.append(title.owner[hits[0][0]])
        elif head is not None:
            places.append(head)
        (found if hits or head is not None or _elsewhere(core, title) else missing).append(core)
    branded = not any(core.kind == "brand" for core in missing)
    extras = _extras(title, explained, places, branded=branded, closing=closes_with_type(spec, title))
    names = [core.text for core in found]
    extras = [extra for extra in extras if len(extra.text) < 2 or not any(extra.text in name for name in names)]
    return Coverage(tuple(found), tuple(missing), tuple(extras))


def _hits(core: Core, title: Title) -> list[tuple[int, int]]:
    """Where the word stands: whole, without its ending (캡형, 캡), or in two parts (멸균우유, 멸균 흰우유)."""
    line = title.line
    hits = [match.span() for match in core.pattern.finditer(line)]
    if not hits and (mixed := _MIXED.fullmatch(core.text)):
        spots = [re.search(rf"(?<![a-z0-9]){re.escape(part)}(?![a-z0-9])", line) for part in mixed.groups() if part]
        return [spot.span() for spot in spots if spot] if all(spots) else []
    if hits or core.kind == "brand" or len(core.text) < 2 or not is_hangul(core.text):
        return hits
    if len(core.text) == 2:
        alone = [at for at, word in enumerate(title.words) if word.text == core.text[0] and core.text[1] in _ENDINGS]
        start = title.owner.index(alone[0]) if alone else 0
        return [(start, start + 1)] if alone else []
    parts: list[tuple[str, ...]] = [(core.text[:-1],)] if core.text[-1] in _ENDINGS else []
    parts += [(short,)] if (short := _shortened(core.text)) else []
    parts += [(core.text[:cut], core.text[cut:]) for cut in range(2, len(core.text) - 1)]
    for pieces in parts:
        starts = [line.find(piece) for piece in pieces]
        if min(starts) >= 0:
            return [(start, start + len(piece)) for start, piece in zip(starts, pieces, strict=True)]
    return []


@lru_cache(maxsize=4096)
def _shortened(word: str) -> str:
    """The word as titles cut it: 욕실청소용 as 욕실용, 아기물티슈 as 물티슈; else ""."""
    if _CLEANING.search(word):
        return _CLEANING.sub("용", word)
    for head in (kinds.type_of(word), kinds.head_of(word)):
        if head != word and len(head) > 1 and is_plain(word.removesuffix(head)):
            return head
    return ""


def closes_with_type(spec: ProductSpec, title: Title) -> bool:
    """Whether the offer's last noun is what was asked for, so that what stands before it only describes it."""
    types = [core for core in spec.core if core.kind == "type"]
    return any(core.pattern.search(title.words[-1].text) for core in types) if title.words else False


def _elsewhere(core: Core, title: Title) -> bool:
    """A bare number may stand in the quantity; a brand may be written in the other script."""
    if core.text.isdigit():
        return core.pattern.search(title.text) is not None
    if core.unit in kinds.SILENT_UNITS:
        # A seller may leave the unit out: "153 볼펜 0.7".
        return any(word.text == core.text.removesuffix(core.unit) for word in title.words)
    return False


def _in_other_letters(core: Core, title: Title) -> int | None:
    """Which of a title's first words is the asked maker, in the other script or one letter off."""
    heads = [word.text for word in title.words[:_MAKER_STANDS]]
    return next(
        (at for at, word in enumerate(heads) if same_sound(core.text, word, 2) or one_off(core.text, word)), None
    )


@lru_cache(maxsize=4096)
def one_off(one: str, other: str) -> bool:
    """Whether two Hangul names of four syllables and more differ by one left out (조르지루, 조지루), or by an s."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) != 1 or not is_hangul(one + other):
        return False
    if len(short) < 4:
        return len(short) > 1 and long in (short + "스", short + "즈")
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


@lru_cache(maxsize=16384)
def same_sound(one: str, other: str, consonants: int = 3) -> bool:
    """Whether two words are one name in Latin and in Hangul letters."""
    if is_hangul(one) == is_hangul(other) or one.isdigit() or other.isdigit():
        return False
    latin, hangul = (one, other) if is_hangul(other) else (other, one)
    return is_hangul(hangul) and latin.isascii() and latin.isalpha() and alike(latin, hangul, consonants=consonants)


def _extras(title: Title, explained: bytearray, places: list[int], *, branded: bool, closing: bool) -> list[Extra]:
    early = [at for at in places if not title.words[at].tail]
    # A title that ends with the asked noun once more only describes it in between.
    repeated = bool(places) and closing and len(title.words) - 1 > max(places)
    trailing = 2 * len(early) > len(places)
    inner = early if trailing else places
    first, last = (min(inner), max(inner)) if inner else (len(title.words), -1)
    behind = next((at for at in range(last + 1, len(title.words)) if not is_plain(title.words[at].text)), -1)
    out = []
    for index, piece, start in _runs(title, explained):
        word = title.words[index]
        place: Place = "inside"
        if index < first or (index == first and 1 not in explained[:start]):
            place = "before"
        elif trailing and word.tail:
            place = "tail"
        elif index > last:
            place = "tail" if repeated else "after"
        # One syllable says nothing at the end of a word (딸기맛), but makes another noun in front of one (맛김치).
        front = len(piece) == 1 and any(explained[start + 1 : start + 2]) and title.owner[start + 1] == index
        if (front or not is_plain(piece)) and not (piece in kinds.FIRM_ENDINGS and branded):
            out.append(Extra(piece, word, place, index in (behind, last), index))
    return out


def _runs(title: Title, explained: bytearray) -> list[tuple[int, str, int]]:
    """Unexplained pieces with the index of their word and their place in the line."""
    runs: list[tuple[int, str, int]] = []
    for at, character in enumerate(title.line):
        if explained[at] or character == " ":
            continue
        index = title.owner[at]
        if runs and runs[-1][0] == index and at and not explained[at - 1]:
            runs[-1] = (index, runs[-1][1] + character, runs[-1][2])
        else:
            runs.append((index, character, at))
    return runs


@lru_cache(maxsize=16384)
def is_plain(word: str) -> bool:
    """Whether a word, or all its parts, say nothing about which product it is."""
    if word in _PLAIN or _YEAR.fullmatch(word):
        return True
    if word.endswith(kinds.PLAIN_ENDINGS):
        return True
    if word.endswith(_FIRMS) and any(word.endswith(firm) and len(word) >= len(firm) + 2 for firm in _FIRMS):
        return True
    if len(word) > 14:
        return False
    reach = [True] + [False] * len(word)
    for end in range(1, len(word) + 1):
        reach[end] = any(reach[start] and word[start:end] in _PLAIN for start in range(max(0, end - _LONGEST), end))
    return reach[-1]
