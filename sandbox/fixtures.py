"""Saved bodies of real malls, served in the malls' place: `--fixtures DIR`.

`DIR/gmarket/*.html` is what Gmarket answers to 노트북, byte for byte. The items of `DIR/naver/*.json` (lists of items,
or whole answers) whose title has every word of the query are what Naver answers. Everything else is each mall's own
empty page. Only the header says sandbox on a verbatim body.
"""

from __future__ import annotations

import html as entities
import json
import re
from typing import TYPE_CHECKING, Any

from sandbox import search as finder
from sandbox.answer import PLAIN, Answer, Ask
from sandbox.malls import MALLS, naver

if TYPE_CHECKING:
    from pathlib import Path

LAPTOP = "노트북"
_TAG = re.compile(r"</?b>")


class NoFixtures(ValueError):
    """The folder does not hold what is to be served."""


class Fixtures:
    """The saved bodies of one folder."""

    def __init__(self, folder: Path) -> None:
        pages = sorted((folder / "gmarket").glob("*.html"))
        files = sorted((folder / "naver").glob("*.json"))
        if not pages or not files:
            raise NoFixtures(f"{folder}: wants gmarket/*.html and naver/*.json")
        self._page = pages[0].read_bytes()
        self._items = [item for file in files for item in _items(json.loads(file.read_bytes()))]

    def search(self, ask: Ask) -> Answer:
        """The saved answer to this search, or the mall's empty one."""
        pages = MALLS[ask.mall]
        if ask.mall == "naver":
            asked = finder.words(naver.keyword(ask))
            hits = [
                item
                for item in self._items
                if all(finder.contains(finder.squash(item["title"]), word) for word in asked)
            ]
            return naver.answer(ask, hits)
        if ask.mall == "gmarket" and pages.keyword(ask).strip() == LAPTOP:
            return Answer(body=self._page)
        return pages.search(ask, (), PLAIN)


def _items(saved: Any) -> list[dict[str, str]]:
    rows = saved["items"] if isinstance(saved, dict) else saved
    return [{**row, "title": entities.unescape(_TAG.sub("", row["title"]))} for row in rows]
