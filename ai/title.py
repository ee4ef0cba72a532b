"""A title taken apart once: its words with their place, its quantity, its attributes. Gifts are already gone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ai.quantity import Quantity, count, tokens_of
from ai.scan import Token, clean
from ai.text import fold, is_hangul

_SEPARATED = re.compile(r"(?<=[0-9])[^0-9a-z가-힣]+(?=[0-9])|(?<=[a-z])[^0-9a-z가-힣]+(?=[a-z])")
_REST = re.compile(r"[^0-9a-z가-힣 ]+|(?<![0-9a-z]) +| +(?![0-9a-z])")


def squeeze(text: str) -> str:
    """Folded letters and digits; one space stays where two numbers or two Latin words would run together."""
    return _REST.sub("", _SEPARATED.sub(" ", text))


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a title."""

    text: str
    """Folded; digits glued to letters stay with them."""
    raw: str
    """As written, lower case: for people, and for patterns that are not folded."""
    at: int
    """Its place among all tokens."""
    bracket: bool = False
    clause: int = 0
    """0 before the first plus sign that joins goods, 1 after it, …"""
    tail: bool = False
    """After the last quantity, where sellers put search words."""
    choice: bool = False
    """Joined to its neighbour by a bare slash, as options are listed."""
    unit: str = ""
    """Set for a number with a unit that is no quantity: "27" "인치"."""


@dataclass(frozen=True, slots=True)
class Title:
    """A title as the gate sees it."""

    text: str
    """NFKC, lower case, not folded: what the fact patterns read."""
    words: tuple[Word, ...]
    quantity: Quantity
    gift: bool
    line: str
    """The words squeezed together, Latin words and numbers one blank apart: what the request's patterns search."""
    owner: tuple[int, ...]
    """For every character of `line`, the index of its word."""


@lru_cache(maxsize=8192)
def read(title: str) -> Title:
    """Take a title apart; never raises."""
    text = clean(title)
    tokens, gift = tokens_of(text)
    flat = list(_flat(tokens, bracket=False))
    kept = _kept_text(text, [token for token, _ in flat]) if gift else text
    words = tuple(_words(flat, text))
    line, owner = _line(words)
    return Title(kept, words, count(tokens, gift=gift), gift, line, owner)


def _line(words: tuple[Word, ...]) -> tuple[str, tuple[int, ...]]:
    line, owner = "", []
    for index, word in enumerate(words):
        piece = squeeze(word.text)
        if line and piece and (line[-1:] + piece[:1]).isascii():
            line += " "
            owner.append(index)
        line += piece
        owner.extend([index] * len(piece))
    return line, tuple(owner)


def _flat(tokens: list[Token] | tuple[Token, ...], *, bracket: bool) -> list[tuple[Token, bool]]:
    out: list[tuple[Token, bool]] = []
    for token in tokens:
        if token.kind == "G":
            out.append((Token("B", unit="("), bracket))
            out.extend(_flat(token.parts, bracket=True))
            out.append((Token("B", unit=")"), bracket))
        else:
            out.append((token, bracket))
    return out


def _kept_text(text: str, tokens: list[Token]) -> str:
    """The text without what `drop_gifts` took away."""
    spans = [text[token.start : token.end] for token in tokens if token.end]
    return " ".join(spans)


def _sums(flat: list[tuple[Token, bool]], at: int) -> bool:
    """Whether a plus sign adds amounts ("100ml+40ml", "1+1") and joins no goods."""
    around = [flat[beside][0].kind for beside in (at - 1, at + 1) if 0 <= beside < len(flat)]
    return len(around) == 2 and all(kind in "SCN" for kind in around)


def _counted(flat: list[tuple[Token, bool]], at: int) -> bool:
    """Whether a bare number belongs to the quantity: behind a sign or an amount, or one of a sum."""
    if at and flat[at - 1][0].kind in "XSC":
        return True
    return any(
        flat[beside][0].kind == "P" and _sums(flat, beside) for beside in (at - 1, at + 1) if 0 <= beside < len(flat)
    )


def _words(flat: list[tuple[Token, bool]], text: str) -> list[Word]:
    quantities = [at for at, (token, _) in enumerate(flat) if token.kind in "SC"]
    last = quantities[-1] if quantities else len(flat)
    words: list[Word] = []
    clause, end = 0, -1
    for at, (token, bracket) in enumerate(flat):
        if token.kind == "P":
            clause += not _sums(flat, at)
        elif token.kind == "N" and _counted(flat, at):
            continue
        elif token.kind in "WN" or (token.kind == "Z" and token.value):
            raw = text[token.start : token.end]
            unit = token.unit if token.kind == "Z" else ""
            if words and end == token.start and not unit and not words[-1].unit and words[-1].clause == clause:
                raw = words.pop().raw + raw
            choice = is_hangul(raw) and "/" in (text[token.start - 1 : token.start], text[token.end : token.end + 1])
            words.append(Word(fold(raw), raw, at, bracket, clause, at > last, choice, unit))
            end = token.end
    return words
