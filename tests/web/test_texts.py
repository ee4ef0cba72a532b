"""Every word that can be stored has a text in both languages."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from model import MALLS, JobStatus, Outcome, Reason, Same, SourceOutcome
from web import texts
from web.texts import access, bulk, lasting, night, ops, pages, problems, words

WEB = Path(texts.__file__).parent.parent
WORDS = {
    "mall": MALLS,
    "state": [status.name.lower() for status in JobStatus],
    "outcome": list(Outcome),
    "source": [*SourceOutcome, "reading", "unfinished", "maybe", "not_asked"],
    "verdict": list(Same),
    "reason": list(Reason),
    "attempt": ["done", "retry", "dead", "lost", "released", "skipped"],
}
ALL = texts.ALL
FILES = (bulk.BULK, lasting.LASTING, night.NIGHT, ops.OPS, pages.PAGES, words.WORDS, problems.PROBLEMS, access.ACCESS)


@pytest.mark.parametrize("kind", WORDS)
def test_no_word_is_without_a_text(kind: str) -> None:
    """The words of model.py and the texts are the same set."""
    assert {f"{kind}.{word}" for word in WORDS[kind]} == {key for key in ALL if key.startswith(f"{kind}.")}


def test_both_languages_need_the_same_values() -> None:
    """A placeholder in one language stands in the other."""
    for key, pair in ALL.items():
        korean, english = ({field for _, field, _, _ in Formatter().parse(text) if field} for text in pair)
        assert korean == english, key


def test_no_text_is_said_twice() -> None:
    """Two files with one key would hide one another."""
    assert len(ALL) == sum(map(len, FILES))


def test_every_text_is_used() -> None:
    """No text that no template and no module names."""
    sources = [*WEB.rglob("*.py"), *(WEB / "templates").rglob("*.html")]
    used = "".join(path.read_text(encoding="utf-8") for path in sources if path.parent.name != "texts")
    built = (*WORDS, "mark", "problem", "field", "stage", "bulk")
    for key in ALL:
        kind, word = key.split(".", 1)
        assert key in used or kind in built or re.search(rf"'{kind}\.' ~ ", used), f"{key} ({word})"
