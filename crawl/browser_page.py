"""One page read in a browser: go there, wait until it is complete, take the document."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.timeouts import Timeouts

from crawl.mall import Body
from errors import NotRendered, ProxyAuth, ProxyDead, SourceFailure, UpstreamDown, UpstreamTimeout

if TYPE_CHECKING:
    from crawl.browser_chromium import Chromium
    from crawl.mall import Ready

TURN_S = 1.0
"""Longest one call into the page lasts, so that a browser that died meanwhile is noticed."""
READ_S = 0.15
"""Kept back before the deadline for taking what is there."""
NEAR_S = 0.3
"""A limit so near to the last one is not set again: that is a call to the driver."""
SLACK_S = 3.0
"""How much longer than the browser itself its driver is waited for."""
RULES = {
    "lookMs": 25,  # between two looks
    "full": 20,  # from so many cards on a list counts as a full page
    "shortMs": 600,  # so long must one that grew, or a shorter one with scripts, stand still
    "quietMs": 3000,  # a loaded page without cards and without the mall's own word is waited for this long
}
CHALLENGED = """
// It clears by itself or not at all; nobody clicks here. A script that only watches who was let through is none.
const challenged = () => Boolean(window._cf_chl_opt || document.querySelector(
  'script[src*="/orchestrate/"], #challenge-form, #challenge-running, #challenge-error-text, #sec-if-cpt-container'));
"""
WATCH = """
const [turnMs, ready, rules, before, last, finish] = arguments;
const began = performance.now();
const seen = document.__seen || {cards: -1, since: began};
Object.defineProperty(document, '__seen', {value: seen, configurable: true});
const nav = performance.getEntriesByType('navigation')[0] || {};
const status = nav.responseStatus || 0;
CHALLENGED
const complete = () => {
  const now = performance.now();
  const cards = document.querySelectorAll(ready.cards).length;
  const same = cards === seen.cards;
  if (!same) { seen.grown = seen.cards >= 0; seen.cards = cards; seen.since = now; }
  if (document.readyState === 'loading') { seen.cards = -1; return false; }
  if (document.URL.startsWith('chrome-error:') || performance.timeOrigin === before) return true;
  const still = now - seen.since;
  const carried = ready.whole && document.querySelector(ready.whole);
  const whole = !seen.grown && (cards >= rules.full || carried || !document.scripts.length);
  if (cards) return whole || (same && still >= rules.shortMs);
  if (ready.settled && document.querySelector(ready.settled)) return true;
  if (document.readyState !== 'complete') return false;
  if (challenged()) return false;
  return status >= 400 || still >= rules.quietMs;
};
const look = () => {
  const done = complete() || last;
  if (!done && performance.now() - began < turnMs) return setTimeout(look, rules.lookMs);
  const all = done ? [nav].concat(performance.getEntriesByType('resource')) : [];
  const root = document.documentElement;
  finish({
    url: document.URL, origin: performance.timeOrigin, status,
    bytes: all.reduce((sum, one) => sum + (one.transferSize || 0), 0),
    html: done ? (root ? root.outerHTML : '') : null,
  });
  if (done) window.stop();
};
look();
""".replace("CHALLENGED", CHALLENGED)
PASS = """
const [turnMs, finish] = arguments;
const began = performance.now();
CHALLENGED
let met = false;
const look = () => {
  met = met || challenged();
  const held = document.readyState === 'loading' || challenged();
  if (held && performance.now() - began < turnMs) return setTimeout(look, 50);
  const nav = performance.getEntriesByType('navigation')[0] || {};
  // One that cleared before the first look has loaded the page again.
  met = met || nav.type === 'reload';
  finish({held, challenged: met, origin: performance.timeOrigin, status: nav.responseStatus || 0});
};
look();
""".replace("CHALLENGED", CHALLENGED)
_REFUSED = ("INVALID_AUTH_CREDENTIALS", "PROXY_AUTH_REQUESTED", "PROXY_AUTH_UNSUPPORTED")


def load(browser: Chromium, url: str, limit_s: float) -> None:
    """Go to `url`; back once its document is parsed: neither pictures nor frames are waited for.

    Raises:
        TimeoutException: not within `limit_s` seconds.
        WebDriverException: whatever else the driver reports.
    """
    driver, limit_s = browser.driver, max(limit_s, 0.1)
    driver.command_executor.client_config.timeout = limit_s + SLACK_S
    if not limit_s - NEAR_S < browser.load_limit_s <= limit_s + NEAR_S:
        driver.timeouts = Timeouts(page_load=limit_s, script=TURN_S + SLACK_S)
        browser.load_limit_s = limit_s
    if browser.origin is None:
        browser.origin = driver.execute_script("return performance.timeOrigin")
    browser.pages += 1
    driver.get(url)


@dataclass(frozen=True, slots=True)
class Door:
    """How a front page received us."""

    challenged: bool
    passed: bool
    """There is no challenge, or no longer."""
    status: int
    """HTTP; 0 where it is not known."""


def passes(browser: Chromium, deadline: float) -> Door:
    """Wait until the page the browser is on challenges it no longer, or until the deadline."""
    challenged = False
    while True:
        left = deadline - READ_S - time.monotonic()
        page = _turn(browser, PASS, left)
        challenged = challenged or page is None or bool(page["challenged"])
        if page and (not page["held"] or left <= 0):
            browser.origin = page["origin"]
            return Door(challenged, not page["held"], int(page["status"]))


def read(browser: Chromium, deadline: float, ready: Ready, mall: str) -> Body:
    """The page the browser is on, once it is complete; at the deadline, as it stands.

    Cards that came with the parsed document and are a full page, or are carried whole by it, are taken at once. A list
    that grew, or a short one with scripts beside it, must stand still, because scripts write lists piece by piece.

    Raises:
        UpstreamDown, UpstreamTimeout, ProxyAuth, ProxyDead: the browser shows its own error page, by its code.
        UpstreamDown: the answer broke off before its first byte (`truncated`).
        NotRendered: there is no document.
    """
    before, browser.origin = browser.origin, None
    page = _await_complete(browser, deadline, ready, before)
    html = page["html"]
    if page["origin"] == before:
        raise NotRendered(f"{mall}: the answer was no page, but nothing or a download", kind="no_document")
    if page["url"].startswith("chrome-error:"):
        raise unreachable(re.sub(r"<[^>]*>", " ", html))
    browser.origin = page["origin"]
    if not html:
        raise UpstreamDown(f"{mall}: the answer broke off before its first byte", kind="truncated")
    return Body(content=html, url=page["url"], status=int(page["status"]) or None, size_bytes=int(page["bytes"]))


def _await_complete(browser: Chromium, deadline: float, ready: Ready, before: float | None) -> dict[str, Any]:
    wanted = {"cards": ready.cards, "settled": ready.settled, "whole": ready.whole}
    while True:
        left = deadline - READ_S - time.monotonic()
        page = _turn(browser, WATCH, left, wanted, RULES, before, left <= 0)
        if page and page["html"] is not None:
            return page


def _turn(browser: Chromium, script: str, left_s: float, *more: object) -> dict[str, Any] | None:
    """One call into the page; None if another document took the place of this one, as when a challenge clears."""
    turn_s, began = max(0.0, min(left_s, TURN_S)), time.monotonic()
    try:
        page: dict[str, Any] = browser.driver.execute_async_script(script, 1000 * turn_s, *more)
    except WebDriverException as error:
        # The driver then says either word, "script timeout" long before it is one.
        early = time.monotonic() - began < turn_s + SLACK_S / 2
        gone = isinstance(error, TimeoutException) or "unloaded" in (error.msg or "")
        if gone and early and left_s > 0:
            return None
        raise
    return page


def unreachable(text: str) -> SourceFailure:
    """What Chromium's error code in `text` means: its own error page's, or the driver's message."""
    found = re.search(r"ERR_(\w+)", text)
    code = found[1] if found else "UNKNOWN"
    kind = f"ERR_{code}"
    if code in _REFUSED:
        return ProxyAuth(kind=kind)
    if "PROXY" in code or "TUNNEL" in code:
        return ProxyDead(kind=kind)
    if code.endswith("TIMED_OUT"):
        return UpstreamTimeout(kind=kind)
    return UpstreamDown(f"the browser cannot reach the address: {kind}", kind=kind)
