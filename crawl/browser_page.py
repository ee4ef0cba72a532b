"""One page read in a browser: go there, wait until it is complete, take the document."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from selenium.common.exceptions import WebDriverException
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
SLACK_S = 3.0
"""How much longer than the browser itself its driver is waited for."""
RULES = {
    "lookMs": 25,  # between two looks; the list must be the same on both
    "full": 20,  # from so many cards on a list counts as a full page
    "shortMs": 600,  # so long must one that grew, or a shorter one with scripts, stand still
    "quietMs": 3000,  # a loaded page without cards and without the mall's own word is waited for this long
}
WATCH = """
const [ready, rules, turnMs, last, finish] = arguments;
const began = performance.now();
const seen = document.__seen || {cards: -1, since: began};
Object.defineProperty(document, '__seen', {value: seen, configurable: true});
const nav = performance.getEntriesByType('navigation')[0] || {};
const status = nav.responseStatus || 0;
const complete = () => {
  const now = performance.now();
  const cards = document.querySelectorAll(ready.cards).length;
  const same = cards === seen.cards;
  if (!same) { seen.grown = seen.cards >= 0; seen.cards = cards; seen.since = now; }
  if (document.readyState === 'loading') { seen.cards = -1; return false; }
  if (document.URL.startsWith('chrome-error:')) return true;
  const still = now - seen.since;
  const whole = !seen.grown && (cards >= rules.full || !document.scripts.length);
  if (cards) return same && (whole || still >= rules.shortMs);
  if (ready.settled && document.querySelector(ready.settled)) return true;
  if (document.readyState !== 'complete') return false;
  // A challenge clears by itself or not at all; nobody clicks here.
  if (document.querySelector('script[src*="/challenge-platform/"], #challenge-form, #challenge-running')) return false;
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
"""
_REFUSED = ("INVALID_AUTH_CREDENTIALS", "PROXY_AUTH_REQUESTED", "PROXY_AUTH_UNSUPPORTED")


def load(browser: Chromium, url: str, limit_s: float) -> None:
    """Go to `url`; back once its document is parsed: neither pictures nor frames are waited for.

    Raises:
        TimeoutException: not within `limit_s` seconds.
        WebDriverException: whatever else the driver reports.
    """
    driver, limit_s = browser.driver, max(limit_s, 0.1)
    driver.command_executor.client_config.timeout = limit_s + SLACK_S
    driver.timeouts = Timeouts(page_load=limit_s, script=TURN_S + SLACK_S)
    driver.get(url)


def read(browser: Chromium, deadline: float, ready: Ready, mall: str) -> Body:
    """The page the browser is on, once it is complete; at the deadline, as it stands.

    Cards that came with the document and are a full page need two equal looks. A list that grew, or a short one with
    scripts beside it, must stand still for a while, because scripts write lists piece by piece.

    Raises:
        UpstreamDown, UpstreamTimeout, ProxyAuth, ProxyDead: the browser shows its own error page, by its code.
        NotRendered: there is no document.
    """
    page = _await_complete(browser, deadline, ready)
    html = page["html"]
    if page["url"].startswith("chrome-error:"):
        raise unreachable(re.sub(r"<[^>]*>", " ", html))
    if page["origin"] == browser.origin:
        raise NotRendered(f"{mall}: the answer was no page, but nothing or a download", kind="no_document")
    browser.origin = page["origin"]
    if not html:
        raise NotRendered(f"{mall}: the browser shows an empty page")
    return Body(
        content=html,
        url=page["url"],
        status=int(page["status"]) or None,
        size_bytes=int(page["bytes"]),
        ip_request_no=browser.pages_by_mall.get(mall),
    )


def _await_complete(browser: Chromium, deadline: float, ready: Ready) -> dict[str, Any]:
    wanted = {"cards": ready.cards, "settled": ready.settled}
    while True:
        left = deadline - READ_S - time.monotonic()
        turn_ms = 1000 * max(0.0, min(left, TURN_S))
        try:
            page: dict[str, Any] = browser.driver.execute_async_script(WATCH, wanted, RULES, turn_ms, left <= 0)
        except WebDriverException as error:
            # A challenge that clears puts another document under the running script.
            if "unloaded" not in (error.msg or "") or left <= 0:
                raise
            continue
        if page["html"] is not None:
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
