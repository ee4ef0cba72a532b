"""Fetches pages in real browsers, each page within its deadline.

A watchdog kills a browser's whole process tree two seconds after the deadline, even when the renderer is stopped or the
driver hangs. `browser_pool.py` keeps the browsers.
"""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from typing import TYPE_CHECKING

from selenium.common.exceptions import TimeoutException, WebDriverException
from urllib3.exceptions import HTTPError

from crawl.browser_page import load, passes, read, unreachable
from crawl.browser_pool import Pool
from crawl.mall import DIRECT
from errors import DeadlineExceeded, SourceFailure, UpstreamDown

if TYPE_CHECKING:
    from config import BrowserConfig
    from crawl.browser_chromium import Chromium
    from crawl.browser_places import Places
    from crawl.mall import Body, Ready, Via

OVERTIME_S = 2.0
"""How long after its deadline a fetch is killed, if nothing else ended it."""
WARM_SHARE = 0.4
"""How much of the remaining time a front page may take to load."""
REFUSALS = (401, 403, 407, 418, 429)
"""Statuses of a front page after which no search is asked for."""

log = logging.getLogger("lps.browser")


class BrowserFetcher:
    """Reads pages in the browsers of one process; safe to use from several threads.

    Args:
        config: see `[browser]` in config.toml.
        places: how many browsers the machine may run; by default as configured.
    """

    def __init__(self, config: BrowserConfig, places: Places | None = None) -> None:
        self._pool = Pool(config, places)

    def get(
        self, url: str, deadline: float, ready: Ready, *, mall: str, home: str, block_css: bool, via: Via = DIRECT
    ) -> Body:
        """The page at `url` once it is complete, before `deadline` (`time.monotonic()` seconds).

        Args:
            url: what to open.
            deadline: when it must be there; a page that is not complete by then is returned as it stands.
            ready: how a complete page is recognised.
            mall: whose page it is.
            home: the mall's front page, opened once per visitor before the first search; empty = none. A refusal
                there is handed back in the search's place.
            block_css: leave style sheets out.
            via: by which way, and as which visitor.

        Raises:
            DeadlineExceeded: the time is over; the browser was killed if it did not answer.
            UpstreamDown, UpstreamTimeout, ProxyDead, ProxyAuth: the address cannot be reached, by Chromium's code.
            UpstreamDown: the browser broke (`browser_crash`, `tab_crash`, `browser`), did not start (`browser_start`)
                or was given up (`aborted`).
            NotRendered: the answer was no page.
            BrowserMissing: no browser can be started here.
        """
        browser = self._pool.borrow(mall, via, deadline)
        watchdog = threading.Timer(max(0.0, deadline + OVERTIME_S - time.monotonic()), browser.kill)
        watchdog.daemon = True
        watchdog.start()
        browser.spoilt = True
        try:
            if not browser.started:
                browser.start(self._pool.display)
            browser.become(via)
            browser.block(css=block_css)
            body = self._visit(browser, url, deadline, ready, mall, home)
            if ready.screenshot:
                body = dataclasses.replace(body, screenshot=browser.driver.get_screenshot_as_png())
        except (WebDriverException, HTTPError, OSError, SourceFailure) as error:
            named = self._named(error, browser, mall, deadline)
            if named is error:
                raise
            raise named from error
        else:
            browser.spoilt = False
            return body
        finally:
            watchdog.cancel()
            # It must not strike when the browser is another fetch's.
            watchdog.join()
            self._pool.give_back(browser)

    def abort(self, thread: int) -> None:
        """End what the thread of this ident fetches: it gets UpstreamDown. Nothing if it fetches nothing."""
        self._pool.abort(thread)

    def close(self) -> None:
        """End every browser and the display; a fetch under way ends with UpstreamDown. Calling it twice is harmless."""
        self._pool.close()

    @property
    def standing(self) -> int:
        """How many browsers run and wait for work."""
        return self._pool.standing

    def _visit(self, browser: Chromium, url: str, deadline: float, ready: Ready, mall: str, home: str) -> Body:
        cold = bool(home) and home not in browser.warmed
        if not (cold and self._refused_at_the_door(browser, mall, home, deadline)):
            load(browser, url, deadline - time.monotonic())
        browser.count(mall)
        body = read(browser, deadline, ready, mall)
        return dataclasses.replace(body, ip_request_no=browser.searches[mall], warmed_up=cold)

    def _refused_at_the_door(self, browser: Chromium, mall: str, home: str, deadline: float) -> bool:
        """Come through the front door first; a front page that hangs does not cost the search."""
        try:
            load(browser, home, WARM_SHARE * (deadline - time.monotonic()))
        except TimeoutException:
            log.warning("[warmup:%s] 응답 없음 → 검색 진행", mall)
            browser.origin = None
            return False
        door = passes(browser, deadline)
        if not door.passed or door.status in REFUSALS:
            log.warning("[warmup:%s] %s → 검색 보류", mall, f"HTTP {door.status}" if door.passed else "챌린지 미통과")
            browser.origin = None
            return True
        browser.warmed.add(home)
        cookies = "쿠키 확보" if browser.driver.get_cookies() else "쿠키 없음"
        log.info("[warmup:%s] %s%s", mall, "챌린지 통과·" if door.challenged else "", cookies)
        return False

    def _named(self, error: Exception, browser: Chromium, mall: str, deadline: float) -> SourceFailure:
        if self._pool.gave_up():
            return UpstreamDown(f"{mall}: given up before it was read", kind="aborted")
        if isinstance(error, SourceFailure) and browser.started and browser.alive:
            # The page's fault, not the browser's.
            browser.spoilt = False
            return error
        if isinstance(error, TimeoutException) or time.monotonic() >= deadline:
            return DeadlineExceeded(f"{mall}: the page did not load in time")
        if isinstance(error, SourceFailure):
            return error
        text = (getattr(error, "msg", None) or str(error)).strip()
        if "net::ERR_" in text:
            browser.spoilt = False
            browser.origin = None
            return unreachable(text)
        kind = "tab_crash" if "tab crashed" in text else "browser" if browser.alive else "browser_crash"
        return UpstreamDown(f"{mall}: the browser broke: {text.splitlines()[0][:200] if text else error!r}", kind=kind)
