"""Flat XML records (Naver's .xml, 11st's open API) and JSON in all its wrappings. Pure.

The two XML answers are flat lists, so reading them needs no XML parser and none of its dangers (entities, bombs).
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from crawl.text import plain

_FIELD = re.compile(r"<(\w+)>\s*(?:<!\[CDATA\[(.*?)\]\]>|([^<]*))\s*</\1>", re.DOTALL)
LONGEST = 20_000
"""Characters of one record, and of the head before the first."""
_PRE = re.compile(r"<pre[^>]*>(.*?)(?:</pre>|\Z)", re.DOTALL | re.IGNORECASE)


def json_of(page: str) -> Any | None:
    """The JSON that the page is, or that a browser shows in `<pre>`, or None."""
    bare = page.lstrip("\ufeff \t\r\n")
    if bare.startswith("<"):
        shown = _PRE.search(bare[: 1 << 24]) if "<pre" in bare[:2000].lower() else None
        bare = _unescape(shown[1]) if shown else ""
    if not bare.startswith(("{", "[")):
        return None
    try:
        return orjson.loads(bare.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return None


def cut_short(page: str) -> bool:
    """Whether the text begins like JSON and ends before it is whole."""
    bare = page.strip("\ufeff \t\r\n")
    return bare.startswith(("{", "[")) and not bare.endswith(("}", "]"))


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


def xml_records(page: str, element: str) -> list[dict[str, str]]:
    """Each `<element>` as {tag: text}; nested elements are flattened, the first of a name wins."""
    found: list[dict[str, str]] = []
    if f"</{element}>" not in page:
        return found
    opening = re.compile(rf"<{element}(?:\s[^<>]*)?>")
    for piece in page.split(f"</{element}>")[:-1]:
        start = opening.search(piece)
        block = piece[start.end() :][:LONGEST] if start else ""
        record: dict[str, str] = {}
        for tag, cdata, text in _FIELD.findall(block):
            record.setdefault(tag, plain(cdata or text))
        if start:
            found.append(record)
    return found


def xml_field(page: str, element: str) -> str:
    """The text of the first such element near the beginning, or ""."""
    return next((plain(cdata or text) for tag, cdata, text in _FIELD.findall(page[:LONGEST]) if tag == element), "")
