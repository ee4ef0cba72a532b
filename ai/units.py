"""Unit words of Korean titles: what is a measure, what counts pieces, what only looks like a quantity."""

from __future__ import annotations

from ai import lexicon

MEASURES: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("g", "gr", "gram", "그램", "그람"), ("g", 1.0)),
    **dict.fromkeys(("kg", "킬로그램", "키로그램", "킬로", "키로"), ("g", 1000.0)),
    **dict.fromkeys(("톤",), ("g", 1_000_000.0)),
    **dict.fromkeys(("ml", "cc", "밀리리터", "미리리터", "밀리", "미리"), ("ml", 1.0)),
    **dict.fromkeys(("l", "lt", "liter", "litre", "리터"), ("ml", 1000.0)),
    **dict.fromkeys(("cl",), ("ml", 10.0)),
}
"""word → (base unit, how many of it)."""

INNER = frozenset(lexicon.words("units", "inner"))
"""Pieces inside one sales unit."""

CONTAINERS = frozenset(lexicon.words("units", "containers"))
"""Things that stand on a shelf by themselves."""

GENERIC = frozenset(lexicon.words("units", "generic"))
"""Counters that repeat any other counter of the same number."""

COUNTERS = INNER | CONTAINERS | GENERIC

SPACED = frozenset(lexicon.words("units", "spaced"))
"""Counters that may stand apart from their number; the others are nouns there ("77 앰플")."""

DRINK_VESSELS = frozenset(("캔", "병", "팩", "컵"))
NOISE = frozenset(lexicon.words("units", "noise"))
"""Numbers with these are no quantity of the goods."""

_FOLLOW = (
    "씩|짜리|들이|세트|묶음|구성|기획|특가|증정|할인|무료|한정|추가|더|이상|총|외|및|분량|세일|행사|쿠폰|벌크|모음|선물|랜덤|택|골라|"
    "박스|팩|봉|통|대용량|소용량|정품|캔|병|페트|펫|리필|본품|용기|낱개|단품|냉동|냉장|국내|무라벨|묶|단위|번들|입|x|당"
)


_COUNTED = r"x|ea|pcs|p(?![a-z])|t(?![a-z])|can|pack|box|pet|set|cap|tab|sheet|bottle"
"""What may follow the number that follows a size; other letters make it a model number (27GR93U)."""


def _words(words: set[str] | frozenset[str], *, latin: bool) -> str:
    chosen = (word for word in words if word.isalpha() and word.isascii() == latin)
    return "|".join(sorted(chosen, key=len, reverse=True))


def _alternation() -> str:
    counted = set(MEASURES) | COUNTERS
    glued = (
        rf"(?:{_words(counted, latin=True)})(?!까지|급|미만)(?:(?![a-z])|(?=x\s?\d))(?!x?\s?\d++(?!{_COUNTED})[a-z])"
    )
    noise = rf"(?:{_words(NOISE, latin=True)})(?:(?![a-z0-9])|(?=x\s?\d)|(?=\d+(?:롤|매|개|입|팩)))"
    hangul = rf"(?:{_words(counted | NOISE, latin=False)})(?:(?![가-힣])|(?={_FOLLOW}))"
    return rf"fl\.?\s?oz\.?|{glued}|{noise}|%|{hangul}"


UNIT = _alternation()
"""Regular expression of a unit word with its boundary."""

NATIVE = {"한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "열": 10}
"""Korean number words as they stand before a counter."""


_SYNONYMS = {
    **dict.fromkeys(("can", "cans"), "캔"),
    **dict.fromkeys(("box", "boxes", "상자", "박스입"), "박스"),
    **dict.fromkeys(("set", "sets"), "세트"),
    **dict.fromkeys(("pack", "packs", "pk"), "팩"),
    **dict.fromkeys(("bottle", "bottles"), "병"),
    **dict.fromkeys(("페트", "펫", "pet"), "병"),
    **dict.fromkeys(("ea", "each"), "개"),
    **dict.fromkeys(("p", "pc", "pcs", "피스"), "p"),
    "봉지": "봉",
}


def counter(unit: str) -> str:
    """One spelling of a counter."""
    return _SYNONYMS.get(unit, unit)


def level(unit: str) -> int:
    """0 inside a sales unit, 1 generic or by sign, 2 a container."""
    if unit in INNER:
        return 0
    return 2 if unit in CONTAINERS else 1
