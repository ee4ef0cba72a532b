"""How long reading a page takes, beside what else could read it.

    make bench-parse

The real Gmarket page of 3.5 MB beside the project where it is, else a sandbox page of that size, marked as such. Every
reader sees the same text in turn, so that the machine's noise meets all; ratios are of medians. "bare" finds the
embedded data and decodes them with orjson, without reading a single field: nothing can be faster. BeautifulSoup is
measured where it is installed; LPS itself does not need it.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import psutil
from selectolax.lexbor import LexborHTMLParser

import crawl
from crawl.http import HttpFetcher
from crawl.text import decode
from sandbox import server

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 15
MEMORY_ROUNDS = 200
REAL = Path(__file__).parents[2] / "shared" / "fixtures" / "gmarket" / "gmarket_srp_2025-09.html"
_MARK = '<script id="__NEXT_DATA__"'


def page() -> tuple[str, str]:
    """The page's text, and what it is."""
    if REAL.exists():
        return REAL.read_text(encoding="utf-8"), "the real Gmarket page"
    with server.serve() as market:
        market.set_scenario("gmarket", "huge", "3.5")
        body = HttpFetcher().get(f"{market.base_urls()['gmarket']}/n/search?keyword=햇반", time.monotonic() + 20)
    return decode(body.content) if isinstance(body.content, bytes) else body.content, "a sandbox page"


def bare(text: str) -> object:
    """The embedded data, decoded and not looked at."""
    start = text.index(">", text.index(_MARK)) + 1
    return orjson.loads(text[start : text.index("</script>", start)])


def readers() -> dict[str, Callable[[str], object]]:
    """Name → reader."""
    found: dict[str, Callable[[str], object]] = {
        "bare orjson": bare,
        "lps": lambda text: crawl.parse_file("gmarket", text),
        "lps, markup only": lambda text: crawl.parse_file("gmarket", text.replace("__NEXT_DATA__", "__GONE__")),
        "selectolax, tree only": lambda text: LexborHTMLParser(text).css(".box__item-container"),
        "html.parser, no tree": lambda text: HTMLParser().feed(text),
    }
    try:
        soup = importlib.import_module("bs4").BeautifulSoup
    except ImportError:
        print("BeautifulSoup is not installed here, so not measured", file=sys.stderr)
    else:
        found["BeautifulSoup(html.parser)"] = lambda text: soup(text, "html.parser").select(".box__item-title")
    return found


def main() -> int:
    """Measure and print."""
    text, what = page()
    found = readers()
    took: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(ROUNDS):
        for name, read in found.items():
            started = time.perf_counter()
            read(text)
            took[name].append(time.perf_counter() - started)
    median = {name: statistics.median(times) for name, times in took.items()}
    print(f"{what}, {len(text):,} characters, {len(crawl.parse_file('gmarket', text).parsed.offers)} offers")
    for name, seconds in median.items():
        print(f"  {name:<28} {seconds * 1000:8.1f} ms   lps is {median['lps'] / seconds:6.3f} of it")
    process, held = psutil.Process(), []
    for _ in range(2):
        for _ in range(MEMORY_ROUNDS // 2):
            crawl.parse_file("gmarket", text)
        held.append(process.memory_info().rss)
    grown = (held[1] - held[0]) / (MEMORY_ROUNDS // 2)
    print(f"  {MEMORY_ROUNDS} pages: {held[1] / 1e6:.0f} MB, {grown / 1e3:+.1f} kB a page over the second half")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
