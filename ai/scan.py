"""Titles to quantity tokens: one pass, one regular expression, linear in the length of the title."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, NamedTuple

from ai.units import COUNTERS, MEASURES, NATIVE, SPACED, UNIT, counter

MAX_CHARS = 500
"""No mall shows a longer title; what follows is never read."""

_INVISIBLE = dict.fromkeys((0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF))
_RAISED = dict.fromkeys(map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"))
"""Footnotes and squares ("50ml²"): NFKC would make digits of them."""
_RINGED = dict.fromkeys(
    (*range(0x2460, 0x249C), *range(0x24EB, 0x2500), *range(0x2776, 0x2794), *range(0x2150, 0x215F), 0xBC, 0xBD, 0xBE),
    " ",
)
"""List marks and fractions ("①100매", "½"): they belong to no number beside them."""
_HANJA = dict(zip(map(ord, "情辛眞大小中新特無正品生米茶"), "정신진대소중신특무정품생미차", strict=True))
"""Chinese characters that makers and sellers put for Korean syllables."""
_MARKS = _RAISED | _RINGED | _HANJA
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,30}(?:\.\d{1,4})?"
_MOST = 10_000_000
"""From so many pieces, g or ml on a number is no amount that anyone sells."""
_WON = rf"(?:{NUMBER})(?:\s?만(?:\s?(?:{NUMBER}))?)?\s?(?:원|krw)(?![가-힣]*(?:권|짜리))"
_DOSE = (
    rf"(?:1일|하루(?:에)?|1회|매일|일일|1day)\s?(?:에\s?)?(?:총\s?)?"
    rf"(?:{NUMBER})\s?(?:정|포|캡슐|알|개|회|스푼|티백|ml|mg|g)(?:씩)?"
)
_CHOICE = (
    rf"(?:{NUMBER})\s?종\s?(?:중\s?)?택\s?(?:{NUMBER})|"
    rf"(?:{NUMBER})\s?(?:개|종)?\s?(?:중\s?)?(?:택|선택)\s?(?:{NUMBER})(?!\d)|택\s?\d"
)
_MASTER = re.compile(
    rf"(?P<won>{_WON})|(?P<dose>{_DOSE})|(?P<choice>{_CHOICE})"
    rf"|(?P<per>(?:{NUMBER})\s?(?:g|kg|ml|l|개|매)당)"
    rf"|(?P<num>(?>{NUMBER}))(?:(?P<gap>\s?)(?P<unit>{UNIT})|(?![\d]*[a-wyz]|x(?!\d))(?!\.\d))"
    r"|(?P<x>[x×✕✖*])(?=\s?\d)"
    r"|(?P<native>(?<![가-힣])(?:한|두|세|네|다섯|여섯|열))\s?(?P<nunit>켤레|개|병|박스|팩|봉지?|장|통|세트|캔|벌|자루|상자)(?![가-힣])"
    r"|(?P<spf>spf\s?\d+\+*|pa\s?\++|\d+\+(?=\s*pa))"
    r"|(?P<word>[a-z]&[a-z](?![a-z0-9])|[a-z][a-z0-9.\-_']*\+?(?![a-z0-9])|\d[\da-z.\-_]*|[가-힣]+|[a-z]+)"
    r"|(?P<plus>\+)|(?P<open>[(\[{【〔<「])|(?P<close>[)\]}】〕>」])|(?P<sep>[,/|·:;&])"
)

_CODE = re.compile(r"x\d[a-z0-9.\-]*")


class Token(NamedTuple):
    """One piece of a title."""

    kind: str
    """S size · C count · U an amount that cannot be ("0개")
    N bare number · X sign · P plus · L ( · R ) · B separator · W word · Z counts nothing;
    later also V set of sizes · M "1+1" · G group in brackets."""
    value: float = 0.0
    unit: str = ""
    """Base unit of a size, the counter of a count, the text of a word or separator."""
    start: int = 0
    end: int = 0
    parts: tuple[Any, ...] = ()
    """The tokens of a group (kind G), the sizes of a set (kind V)."""


def clean(title: str) -> str:
    """NFKC, lower case, without invisible characters and raised digits, cut at MAX_CHARS."""
    return unicodedata.normalize("NFKC", title[:MAX_CHARS].translate(_MARKS)).lower().translate(_INVISIBLE)[:MAX_CHARS]


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _measured(found: re.Match[str], start: int, end: int) -> list[Token]:
    value, unit = _number(found["num"]), found["unit"]
    if unit is None:
        return [Token("N", value, "", start, end)]
    if unit in MEASURES:
        return [_size(value, unit, start, end)]
    if unit not in COUNTERS or value != int(value):
        return [Token("Z", value, unit, start, end)]
    return _count(value, unit, found)


def _size(value: float, unit: str, start: int, end: int) -> Token:
    """A size; nothing of it ("당류 0g") counts nothing, and no goods are that large."""
    base, factor = MEASURES[unit]
    if value * factor >= _MOST:
        return Token("U", 0, base, start, end)
    return Token("S", round(value * factor, 4), base, start, end) if value else Token("Z", 0, unit, start, end)


def _count(value: float, unit: str, found: re.Match[str]) -> list[Token]:
    gap, (start, end) = found["gap"], found.span()
    model_like = unit in ("t", "p")
    if not model_like and not 0 < value < _MOST:
        return [Token("U", 0, counter(unit), start, end)]
    if gap and (unit not in SPACED or value > 999):
        cut = found.start("unit")
        return [Token("N", value, "", start, cut - len(gap)), Token("W", 0, unit, cut, end)]
    kind = "Z" if model_like and (gap or value > 999) else "C"
    return [Token(kind, value, unit if kind == "Z" else counter(unit), start, end)]


def scan(text: str) -> list[Token]:
    """The tokens of an already cleaned title, in order."""
    tokens: list[Token] = []
    at = 0
    while found := _MASTER.search(text, at):
        if found["x"] and not (tokens and tokens[-1].kind in "SCNZR"):
            # No amount stands before it: the name of something ("X2"), not a sign.
            found = _CODE.match(text, found.start()) or found
        at = found.end()
        tokens.extend(_tokens(found))
    return tokens


def _tokens(found: re.Match[str]) -> list[Token]:
    kind, (start, end) = found.lastgroup, found.span()
    if found.re is _CODE:
        return [Token("W", 0, found[0], start, end)]
    if found["num"] is not None:
        return _measured(found, start, end)
    if kind == "nunit":
        return [Token("C", NATIVE[found["native"]], counter(found["nunit"]), start, end)]
    if kind in _SIMPLE:
        return [Token(_SIMPLE[kind], 0, found[0], start, end)]
    return [Token("Z", 0, "택" if kind == "choice" else kind or "", start, end)]


_SIMPLE = {"x": "X", "word": "W", "plus": "P", "open": "L", "close": "R", "sep": "B"}
