"""Browsers: what LPS adds to a bare page load, what a browser weighs, whether it stays so, and how fast a page is read.

The sandbox market answers from another process with its heaviest page (self-written, weights of a real one). Bare and
ours alternate in the same browser, so flags, blocking, cache and the machine's noise are the same for both.
"""

from __future__ import annotations

import html.parser
import importlib.util
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import psutil
from selectolax.lexbor import LexborHTMLParser

import config
from crawl import malls
from crawl.browser import BrowserFetcher
from crawl.browser_places import Places
from crawl.mall import Via

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
REAL = ROOT.parent / "shared" / "fixtures" / "gmarket"
MALL = "coupang"
QUERY = "햇반 백미밥 210g"
WARM_GOAL = 1.15
MEMORY_GOAL_MB = 250
GROWTH_GOAL_MB = 100
"""Per 1,000 pages, of our own process: what a worker gains between two restarts."""
PARSE_GOAL = 2.0
BS4_GOAL = 0.05
BROWSERS = 4
FIELDS = (".text__item", ".box__price-seller", ".link__shop", ".box__price-original")


def run(runs: int, pages: int) -> bool:
    """Measure, print, and say whether every goal was met."""
    with market() as url, tempfile.TemporaryDirectory(prefix="lps_bench_") as folder:
        met = [warm(url, runs * 4, Path(folder)), memory(url, Path(folder)), flat(url, pages, Path(folder))]
    return all([*met, parsing(runs)])


@contextmanager
def market() -> Iterator[str]:
    """The sandbox market in a process of its own, every page heavy; gives its address."""
    command = [sys.executable, "-m", "sandbox", "--port", "0", "--scenario", f"{MALL}=heavy"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().split()[-1]
        process.terminate()


@contextmanager
def browsers(folder: Path, **settings: object) -> Iterator[BrowserFetcher]:
    """A pool with a display, as by default; keywords are of `[browser]`."""
    env = {f"LPS_BROWSER__{key.upper()}": str(value) for key, value in settings.items()}
    fetcher = BrowserFetcher(config.load(env=env).browser, Places(BROWSERS, folder / "places"))
    try:
        yield fetcher
    finally:
        fetcher.close()


def fetch(fetcher: BrowserFetcher, url: str, via: Via) -> int:
    """One search; how many cards it shows."""
    mall, base = malls.mall(MALL), f"{url}/{MALL}"
    body = fetcher.get(
        mall.page_url(base, QUERY),
        time.monotonic() + 60,
        mall.ready,
        mall=MALL,
        home=base + mall.home_url,
        block_css=True,
        via=via,
    )
    return mall.parse(str(body.content), body.url).cards


def warm(url: str, runs: int, folder: Path) -> bool:
    """A warm search against `driver.get` and `page_source` of the same page in the same browser."""
    address = malls.mall(MALL).page_url(f"{url}/{MALL}", QUERY)
    ours: list[float] = []
    bare: list[float] = []
    with browsers(folder, max_pages=100_000) as fetcher:
        cards = fetch(fetcher, url, Via())
        driver: Any = fetcher._pool._idle[0].driver  # noqa: SLF001 - the very browser that ours reads with

        def load() -> None:
            driver.get(address)
            assert len(driver.page_source) > 100_000

        def search() -> None:
            assert fetch(fetcher, url, Via()) == cards

        for turn in range(runs):
            both = [(ours, search), (bare, load)]
            for times, work in both if turn % 2 else both[::-1]:
                # After one of its own kind: ours stops what is still loading when it has read a page, bare does not.
                work()
                times.append(timed(work))
    ratio = statistics.median(ours) / statistics.median(bare)
    print(
        f"warm search, {cards} cards, {runs} runs: ours {statistics.median(ours) * 1000:.0f} ms (read and parsed), "
        f"bare get + page_source {statistics.median(bare) * 1000:.0f} ms, ratio {ratio:.2f} (goal ≤ {WARM_GOAL})"
    )
    return bool(ratio <= WARM_GOAL)


def memory(url: str, folder: Path) -> bool:
    """Proportional memory of one to four browsers with a page each, drivers and guards included."""
    weights = []
    with browsers(folder) as fetcher:
        for number in range(BROWSERS):
            fetch(fetcher, url, Via(profile=f"p{number}"))
            threading.Event().wait(1)
            weights.append(weight_mb())
    more = [after - before for before, after in itertools.pairwise(weights)]
    print(
        f"memory (PSS, display included): first browser {weights[0]} MB, each further one "
        f"{', '.join(map(str, more))} MB (goal ≤ {MEMORY_GOAL_MB})"
    )
    return statistics.median(more) <= MEMORY_GOAL_MB


def flat(url: str, pages: int, folder: Path) -> bool:
    """Memory over many pages: one browser that is never replaced, and pools as configured."""
    table = {}
    for name, settings in {"never replaced": {"max_pages": 10**6, "max_memory_mb": 10**5}, "as configured": {}}.items():
        points: list[tuple[int, int, int]] = []
        with browsers(folder, **settings) as fetcher:
            for number in range(pages):
                fetch(fetcher, url, Via())
                if number % max(1, pages // 40) == 0 and number >= pages // 10:
                    points.append((number, weight_mb(), psutil.Process().memory_info().rss >> 20))
        table[name] = points
        browser, own = (slope([(n, row[k]) for n, *row in points]) for k in (0, 1))
        print(
            f"{pages} pages, {name}: browser {points[0][1]} → {points[-1][1]} MB PSS (most "
            f"{max(row[1] for row in points)}), slope {browser:+.0f} MB per 1,000 pages; "
            f"this process {points[0][2]} → {points[-1][2]} MB, slope {own:+.1f}"
        )
    print(json.dumps(table))
    replaced = slope([(n, browser) for n, browser, _ in table["as configured"]])
    print(f"goal: as configured within ±{GROWTH_GOAL_MB} MB per 1,000 pages")
    return abs(replaced) <= GROWTH_GOAL_MB


def parsing(runs: int) -> bool:
    """The real Gmarket page: our parser against others that take five fields of every card."""
    files = sorted(REAL.glob("*.html"))
    if not files:
        print(f"parsing: skipped, no real page in {REAL}")
        return True
    page = files[0].read_text("utf-8")
    others: dict[str, Callable[[str], int]] = {"orjson on __NEXT_DATA__": by_json, "selectolax": by_selectors}
    if importlib.util.find_spec("bs4"):
        others["BeautifulSoup"] = by_soup
    others["html.parser, tags only"] = by_stdlib
    times: dict[str, list[float]] = {name: [] for name in ("ours", *others)}
    mall = malls.mall("gmarket")
    for _ in range(runs):
        times["ours"].append(timed(lambda: mall.parse(page, "")))
        for name, work in others.items():
            times[name].append(timed(lambda work=work: work(page)))  # type: ignore[misc]  # mypy and default arguments
    ms = {name: statistics.median(row) * 1000 for name, row in times.items()}
    fastest = min(ms[name] for name in others)
    slow = "BeautifulSoup" if "BeautifulSoup" in others else "html.parser, tags only"
    print(f"parsing the real page ({len(page) / 1e6:.2f} MB, {mall.parse(page, '').cards} cards, all fields):")
    print("  " + ", ".join(f"{name} {value:.1f} ms" for name, value in ms.items()))
    print(f"  ours / fastest {ms['ours'] / fastest:.2f} (goal ≤ {PARSE_GOAL:.0f})")
    print(f"  ours / {slow} {ms['ours'] / ms[slow]:.3f}")
    if slow == "BeautifulSoup":
        return ms["ours"] <= PARSE_GOAL * fastest and ms["ours"] < BS4_GOAL * ms[slow]
    print("  BeautifulSoup is not installed here; html.parser is what it would stand on, without its tree")
    return ms["ours"] <= PARSE_GOAL * fastest


def by_json(page: str) -> int:
    """The least there is to do: find the data, load them, take five fields by their known path."""
    start = page.index(">", page.index('id="__NEXT_DATA__"')) + 1
    node = orjson.loads(page[start : page.index("</script>", start)])
    for key in ("props", "pageProps", "initialStates", "curatorData", "regionsData", "content", "modules"):
        node = node[key]
    return len(list(items(node)))


def items(node: Any) -> Iterator[tuple[Any, ...]]:
    """Five fields of every card below."""
    if isinstance(node, list):
        for child in node:
            yield from items(child)
    elif isinstance(node, dict):
        common = node.get("commonItemInfo")
        if common and "itemNo" in node:
            item, price = common["item"], common.get("price") or {}
            yield node["itemNo"], item.get("text"), item.get("link"), price.get("binPrice"), node.get("seller")
        else:
            for child in node.values():
                yield from items(child)


def by_selectors(page: str) -> int:
    """Five fields of every card's markup."""
    found = []
    for card in LexborHTMLParser(page).css(".box__item-container"):
        parts = [card.css_first(one) for one in FIELDS]
        link = card.css_first("a[href]")
        found.append((link and link.attributes.get("href"), *(part and part.text() for part in parts)))
    return len(found)


def by_stdlib(page: str) -> int:
    """Only count tags."""
    counter = Counting()
    counter.feed(page)
    return counter.tags


class Counting(html.parser.HTMLParser):
    """The parser that BeautifulSoup uses when it has no other."""

    tags = 0

    def handle_starttag(self, _tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        """Count it."""
        self.tags += 1


def by_soup(page: str) -> int:
    """Five fields of every card, where BeautifulSoup is installed."""
    soup = importlib.import_module("bs4").BeautifulSoup(page, "html.parser")
    return len([[card.select_one(".text__item"), card.get_text()] for card in soup.select(".box__item-container")])


def timed(work: Callable[[], object]) -> float:
    """Seconds it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def weight_mb() -> int:
    """Proportional memory of everything that this process started for browsers: Chromium, drivers, guards, display."""
    total = 0
    for process in psutil.Process().children(recursive=True):
        try:
            if "sandbox" not in process.cmdline():
                total += process.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return int(total >> 20)


def slope(points: list[tuple[int, int]]) -> float:
    """Least squares, MB per 1,000 pages; 0 of fewer than two points."""
    if len(points) < 2:
        return 0.0
    return 1000 * statistics.linear_regression([n for n, _ in points], [mb for _, mb in points]).slope
