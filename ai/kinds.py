"""Words that tell products of one brand apart, and words that tell nothing; the lists are in lexicon/kinds.txt.

Every list is folded (ai/text.fold), so one spelling a word is enough.
"""

from __future__ import annotations

from functools import lru_cache

from ai import lexicon
from ai.text import fold


def _set(name: str) -> frozenset[str]:
    return frozenset(fold(word) for word in lexicon.words("kinds", name))


def _groups(name: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(fold(word) for word in line) for line in lexicon.groups("kinds", name))


VARIANT_GROUPS = _groups("variant groups")
"""Spellings of one edition word, in either script."""
VARIANT = _set("variants") | frozenset(word for group in VARIANT_GROUPS for word in group)
TYPES = _set("types")
_TYPE_ENDINGS = tuple(sorted((word for word in TYPES if len(word) > 1), key=len, reverse=True))
TASTES = _set("tastes")
"""Nouns of food that are a taste of what they stand before ("치즈 라면"), and no name of its kind."""
INGREDIENTS = _set("ingredients")
"""Nouns that make an edition wherever they stand in a name ("… 휩 콜라겐 120g")."""
ADJECTIVES = _set("adjectives")
"""Words that stand before such a noun and tell no variant there."""
KINDS_OF_GOODS = TYPES | ADJECTIVES | _set("kinds of goods")
"""Nouns that name a kind of thing, never one product of it."""
_HEADS = tuple(sorted((word for word in KINDS_OF_GOODS if len(word) > 1), key=len, reverse=True))
TYPE_GROUPS = _groups("type groups")
BESIDE_MODEL = _set("beside model")
"""What makes another article of goods with the same maker's number."""
SCENTS = _set("scents")
"""A request that names none takes any."""
DEFAULTS = _set("default editions")
"""The edition meant where a request names none."""
SIZE_WORDS = _set("size words")
"""Words for a size that is told in numbers as well."""
FINISHES = _set("finishes")
FORMS = _set("forms")
"""Shapes of goods, which titles leave out."""
CONTAINER_FORMS = _set("container forms")
"""How the container opens: of an equal amount it says nothing."""
SILENT_UNITS = frozenset(lexicon.words("units", "silent"))
"""Units that a title may leave out ("0.7" for "0.7mm")."""
CONTRASTS = _groups("contrasts")
"""Words of which one excludes the others."""
PACKS = _set("packs")
"""Outer packings: of measured goods they say nothing, of a device they are another article."""
DECORATION = _set("decoration")
"""What sellers hang on any title."""
PLAIN = _set("plain") | DECORATION
PLAIN_ENDINGS = tuple(_set("plain endings"))
_COLOUR_GROUPS = _groups("colours")
SPELLINGS = VARIANT_GROUPS + _COLOUR_GROUPS + _groups("synonyms")
"""All groups of words that mean the same in a name."""
FIRM_ENDINGS = tuple(_set("firm endings"))
"""What a maker's or seller's name may carry behind it."""
COLOURS = {fold(word): line[0] for line in lexicon.groups("kinds", "colours") for word in line}
"""Colour word → one name for the colour."""


_COLOURED = fold("색")
_NO_COLOURS = _set("no colours")


@lru_cache(maxsize=16384)
def colour_of(word: str) -> str | None:
    """The colour a word names, alone or at its end (스페이스그레이), or of itself (황토색); None for other words."""
    if word in COLOURS:
        return COLOURS[word]
    known = next((name for ending, name in COLOURS.items() if len(ending) > 1 and word.endswith(ending)), None)
    if known is None and word.endswith(_COLOURED) and word not in _NO_COLOURS and len(word) > 1:
        return word
    return known


@lru_cache(maxsize=16384)
def type_of(word: str) -> str:
    """The noun that says what a thing is, alone or at the end of a compound (로봇청소기: 청소기); else ""."""
    if word in TYPES:
        return word
    if not word.endswith(_TYPE_ENDINGS):
        return ""
    return next((ending for ending in _TYPE_ENDINGS if word.endswith(ending)), "")


@lru_cache(maxsize=16384)
def head_of(word: str) -> str:
    """Like `type_of`, over all kinds of goods."""
    if word in KINDS_OF_GOODS:
        return word
    return next((ending for ending in _HEADS if word.endswith(ending)), "") if word.endswith(_HEADS) else ""


@lru_cache(maxsize=16384)
def sort_of(word: str) -> str:
    """The noun that a compound is a sort of (가루세제: 세제); "" for simple words."""
    return next((noun for noun in _TYPE_ENDINGS if word.endswith(noun) and word != noun), "")
