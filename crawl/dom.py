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
from errors import UnknownPage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized

    from selectolax.lexbor import LexborNode

Tree = LexborHTMLParser

MAX_DEPTH = 512
"""Elements inside each other: Chromium itself nests no deeper. A parser's time grows with the square of it."""
HARMLESS_TAGS = 4_000
"""So few are read within a second, however they are nested."""
MAX_TAGS = 1_000_000
"""Tags of one page; the largest page seen has 28,000."""
MOST_CARDS = 2_000
"""Cards of one page; the largest page seen has 120."""
_TAG = re.compile(
    r"<script\b(?![^>]*/>).*?(?:</script|\Z)|<style\b(?![^>]*/>).*?(?:</style|\Z)|<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<(/?)([a-z][^\s/>]*)",
    re.DOTALL | re.IGNORECASE,
)
_FLAT = re.compile(
    r"area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|path"  # never closed
    r"|li|p|td|th|tr|option|dt|dd|thead|tbody|tfoot|colgroup|optgroup|rp|rt"  # closed by the next of their kind
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_FRAME = re.compile(r"suggest|autocomplete|recent|history|\bgnb|layer|popup|modal|filter", re.IGNORECASE)


def tree(page: str) -> Tree:
    """The page as a tree without what no visitor reads; any text gives one.

    Raises:
        UnknownPage: more tags, or tags nested deeper, than any page of a mall: reading it could take minutes.
    """
    if page.count("<") > HARMLESS_TAGS and _too_much(page):
        raise UnknownPage("the page has more tags, or deeper ones, than can be read in time", kind="too_deep")
    whole = LexborHTMLParser(page)
    whole.strip_tags(["script", "style", "noscript", "template"])
    return whole


def _too_much(page: str) -> bool:
    """Whether the tags are too many or too deep, counted by name, so that a stray end tag closes nothing else."""
    if page.count("<") > MAX_TAGS:
        return True
    depth, within = 0, dict[str, int]()
    for end, raw in _TAG.findall(page):
        name = raw.lower()
        if not name or _FLAT.fullmatch(name):
            continue
        inside = within.get(name, 0)
        if end:
            within[name], depth = (inside - 1, depth - 1) if inside else (0, depth)
        else:
            within[name], depth = inside + 1, depth + 1
            if depth > MAX_DEPTH:
                return True
    return False


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


def few_enough(cards: Sized) -> None:
    """Let only so many cards pass as a page of a mall can have.

    Raises:
        UnknownPage: there are more.
    """
    if len(cards) > MOST_CARDS:
        raise UnknownPage(f"the page has {len(cards)} cards, more than any page of a mall", kind="too_large")


def outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """`nodes` once each, without those that lie inside another of them, in page order.

    A list of selectors gives a node once for each selector that it matches.

    Raises:
        UnknownPage: as `few_enough`.
    """
    by_id = {node.mem_id: node for node in nodes}
    few_enough(by_id)
    return [node for node in by_id.values() if not any(parent.mem_id in by_id for parent in ancestors(node))]


def says(node: LexborNode | None, words: re.Pattern[str]) -> bool:
    """Whether a visitor reads `words` in the page's own part of `node`.

    A hidden element does not speak (style sheets are not known), nor does a header, a menu or a layer: its words about
    a search are not about this one.
    """
    waiting = [node] if node is not None and words.search(text(node)) else []
    while waiting:
        one_of_them = waiting.pop()
        if _apart(one_of_them):
            continue
        speaking = [child for child in one_of_them.iter() if words.search(text(child))]
        if not speaking:
            return True
        waiting += speaking
    return False


def _apart(node: LexborNode) -> bool:
    """Whether the element is hidden, or belongs to the frame around the page."""
    names = f"{node.attributes.get('id') or ''} {node.attributes.get('class') or ''}"
    return (
        "hidden" in node.attributes
        or node.tag in ("header", "nav", "footer")
        or bool(_HIDDEN.search(node.attributes.get("style") or "") or _FRAME.search(names))
    )
