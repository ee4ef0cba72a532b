"""A page as a tree (selectolax/lexbor), and the few questions parsers ask of it. Pure.

Class names of the malls end in a build hash that rotates, so they are matched by their stable prefix:
`[class*=ProductUnit_productName]`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from crawl.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

Tree = LexborHTMLParser

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_FRAME = re.compile(r"suggest|autocomplete|recent|history|\bgnb|layer|popup|modal|filter", re.IGNORECASE)


def tree(page: str) -> Tree:
    """The page as a tree without what no visitor reads; any text at all gives one."""
    whole = LexborHTMLParser(page)
    whole.strip_tags(["script", "style", "noscript", "template"])
    return whole


def text(node: LexborNode | None, *, gap: str = " ") -> str:
    """The node's readable text, its parts joined by `gap`; "" for None."""
    return clean(node.text(separator=gap)) if node is not None else ""


def pieces(node: LexborNode) -> list[str]:
    """The node's text, one entry for each stretch of it between two tags."""
    return [piece for raw in node.text(separator="\n").split("\n") if (piece := clean(raw))]


def one(node: LexborNode | Tree, *selectors: str) -> LexborNode | None:
    """The first match of the first selector that matches anything."""
    for selector in selectors:
        found = node.css_first(selector)
        if found is not None:
            return found
    return None


def attribute(node: LexborNode | None, name: str) -> str:
    """The attribute's cleaned text, or ""."""
    value = node.attributes.get(name) if node is not None else None
    return clean(value) if value else ""


def href(node: LexborNode, *selectors: str) -> str:
    """The first usable link address inside `node`, "" if there is none."""
    for selector in selectors:
        for link in node.css(selector):
            address = attribute(link, "href")
            if address and not address.startswith(("#", "javascript:")):
                return address
    return ""


def absolute(base: str, address: str) -> str:
    """The address as a whole http(s) one, or "" when it cannot be one."""
    try:
        whole = urljoin(base, address) if address else ""
    except ValueError:  # e.g. an unfinished IPv6 host
        return ""
    return whole if whole.startswith(("http://", "https://")) else ""


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """The node's parent elements, nearest first."""
    parent = node.parent
    while parent is not None and not (parent.tag or "-").startswith("-"):
        yield parent
        parent = parent.parent


def outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """`nodes` once each, without those that lie inside another of them, in page order.

    A list of selectors gives a node once for each selector that it matches.
    """
    by_id = {node.mem_id: node for node in nodes}
    return [node for node in by_id.values() if not any(parent.mem_id in by_id for parent in ancestors(node))]


def says(node: LexborNode | None, words: re.Pattern[str]) -> bool:
    """Whether a visitor reads `words` in the page's own part of `node`.

    A hidden element does not speak (style sheets are not known), nor does a header, a menu or a layer: its words about
    a search are not about this one.
    """
    if node is None or not words.search(text(node)) or _apart(node):
        return False
    speaking = [child for child in node.iter() if words.search(text(child))]
    return not speaking or any(says(child, words) for child in speaking)


def _apart(node: LexborNode) -> bool:
    """Whether the element is hidden, or belongs to the frame around the page."""
    names = f"{node.attributes.get('id') or ''} {node.attributes.get('class') or ''}"
    return (
        "hidden" in node.attributes
        or node.tag in ("header", "nav", "footer")
        or bool(_HIDDEN.search(node.attributes.get("style") or "") or _FRAME.search(names))
    )
