"""Bytes of one search through the forwarder, beside what the page itself weighs and what an unblocked load takes.

    make bench-crawl, or .venv/bin/python -m bench.crawl --only bytes

Self-written page with the measured weights of a real one (sandbox scenario `heavy`), real Chromium, sandbox gate, plain
HTTP. "needed" is what the market sends for the document and its script, heads included, when it is asked directly. All
counts are bytes both ways on the forwarder's sockets to the proxy; the gate's own count must be the same.
"""

from __future__ import annotations

import http.client
import statistics
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import config
from crawl import malls
from crawl.browser import BrowserFetcher
from crawl.browser_chromium import Chromium
from crawl.forwarder import Forwarder, Line, Meter, Rules, Upstream
from crawl.mall import Via
from sandbox.gate import PASSWORD, USER, Gate
from sandbox.server import Market, serve

if TYPE_CHECKING:
    from config import Settings

BASE = "http://www.coupang.com"
EVERYTHING = ("com", "net", "org", "kr")
ENOUGH_S = 30.0
GOAL = 1.15


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """One line through the gate."""

    line: Line
    meter: Meter


def way(forwarder: Forwarder, gate: Gate, hosts: tuple[str, ...], session: str) -> Way:
    """A line with a session of its own."""
    login = f"user-{USER}-session-{session}"
    line = forwarder.open()
    upstream = Upstream(host="127.0.0.1", port=gate.ports[0], user=login, password=PASSWORD)
    return Way(line=line, meter=line.switch(upstream, Rules(hosts=hosts, connect_s=5)))


def needed(market: Market, path: str) -> int:
    """Bytes the market sends for one address, head included, to a browser that takes compression."""
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(market.url).port or 0, timeout=10)
    try:
        connection.request("GET", path, headers={"Host": "www.coupang.com", "Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        head = sum(len(name) + len(value) + 4 for name, value in answer.getheaders())
        return len(f"HTTP/1.1 {answer.status} {answer.reason}\r\n\r\n") + head + len(answer.read())
    finally:
        connection.close()


def unblocked(settings: Settings, at: Way, url: str) -> int:
    """Bytes of one whole load, nothing left out, until nothing more comes."""
    browser = Chromium(settings.browser, None, Via(proxy=at.line.address))
    pause = threading.Event()
    try:
        browser.start(None)
        browser.driver.get(url)
        until, seen = time.monotonic() + ENOUGH_S, -1
        while seen != at.meter.total and time.monotonic() < until:
            seen = at.meter.total
            pause.wait(1.5)
    finally:
        browser.close()
    return at.meter.total


def searches(settings: Settings, at: Way, runs: int) -> list[int]:
    """Bytes of each search of one warm browser; the first has an empty cache."""
    fetcher, mall = BrowserFetcher(settings.browser), malls.mall("coupang")
    counts = []
    try:
        for n in range(runs + 1):
            before = at.meter.total
            body = fetcher.get(
                mall.page_url(BASE, f"햇반 {n}"),
                time.monotonic() + 60,
                mall.ready,
                mall="coupang",
                home="",
                block_css=settings.coupang.block_css,
                via=Via(proxy=at.line.address, generation=1),
            )
            if not mall.parse(str(body.content), body.url).search_page:
                raise SystemExit("the page was not read")
            counts.append(at.meter.total - before)
    finally:
        fetcher.close()
    return counts


def run(runs: int, pages: int) -> bool:
    """Measure and print; whether every goal was met."""
    del pages
    settings = config.load(env={"LPS_BROWSER__HEADLESS": "true", "LPS_SANDBOX__ON": "true"})
    forwarder = Forwarder()
    with serve() as market, Gate(int(market.url.rpartition(":")[2]), ports=1) as gate:
        market.set_scenario("coupang", "heavy")
        url = malls.mall("coupang").page_url(BASE, "햇반 0")
        document = needed(market, url.removeprefix(BASE))
        script = needed(market, "/static/heavy.js") + needed(market, "/static/site.js")
        whole = way(forwarder, gate, EVERYTHING, "whole")
        all_of_it = unblocked(settings, whole, url)
        ours = way(forwarder, gate, (*settings.coupang.hosts, *settings.coupang.own_hosts), "ours")
        first, *later = searches(settings, ours, runs)
        sizes = (first, statistics.median(later))
        met = report((document, script), all_of_it, sizes)
        refused = sum(ours.meter.refused.values())
        print(f"  hosts refused by the forwarder: {refused} requests to {len(ours.meter.refused)} hosts, 0 bytes")
        counted, seen = whole.meter.total + ours.meter.total, gate.total_bytes()
        how = "equal" if counted == seen else "NOT EQUAL"
        print(f"  forwarder {counted:,} bytes, the gate's own sockets {seen:,}: {how}")
        forwarder.close()
    return met and counted == seen


def report(parts: tuple[int, int], all_of_it: int, sizes: tuple[float, float]) -> bool:
    """The numbers, their ratios, and whether both searches are within the goal."""
    document, script = parts
    rows = [
        ("unblocked load", all_of_it, document + script),
        ("first search of a browser", sizes[0], document + script),
        ("next searches (median)", sizes[1], document),
    ]
    print("one search at a mall, self-written page of a real one's weight; bytes both ways through the forwarder")
    print(f"  needed: document {document:,} + scripts {script:,} bytes; goal: at most {GOAL} x")
    for name, size, floor in rows:
        print(f"  {name:27} {size:12,.0f} bytes   {size / floor:6.2f} x needed   {size / all_of_it:7.2%} of unblocked")
    return all(size <= GOAL * floor for _, size, floor in rows[1:])
