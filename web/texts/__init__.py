"""Every text a person reads on a page or in a problem: Korean, then English. A file a part of the app."""

from __future__ import annotations

from web.texts.access import ACCESS
from web.texts.bulk import BULK
from web.texts.lasting import LASTING
from web.texts.night import NIGHT
from web.texts.ops import OPS
from web.texts.pages import PAGES
from web.texts.problems import PROBLEMS
from web.texts.words import WORDS

LANGUAGES = ("ko", "en")
ALL = BULK | LASTING | NIGHT | OPS | PAGES | WORDS | PROBLEMS | ACCESS


def text(language: str, key: str, **values: object) -> str:
    """One text.

    Raises:
        KeyError: no such text, or a value is missing.
    """
    return ALL[key][LANGUAGES.index(language)].format(**values)


def has(key: str) -> bool:
    """Whether there is such a text."""
    return key in ALL
