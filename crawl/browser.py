"""Fetches pages in real browsers: a small pool of Chromium per process, each page within its deadline.

A browser is lent to one fetch at a time, best one that has met the mall before. A watchdog kills its whole process tree
two seconds after the deadline, even when the renderer is stopped or the driver hangs. Idle browsers are closed, used
ones replaced after `max_pages` or when they have grown too large.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import TYPE_CHECKING

from selenium.common.exceptions import TimeoutException, WebDriverException
from urllib3.exceptions import HTTPError

from crawl.browser_chromium import Chromium
from crawl.browser_page import load, read, unreachable
from crawl.browser_places import Places
from crawl.display import Display
from errors import BrowserMissing, DeadlineExceeded, SourceFailure, UpstreamDown

if TYPE_CHECKING:
    from config import BrowserConfig
    from crawl.mall import Body, Ready

OVERTIME_S = 2.0
"""How long after its deadline a fetch is killed, if nothing else ended it."""
WARM_SHARE = 0.4
"""How much of the remaining time a front page may take."""
PATIENCE_S = 3.0
"""So long a place on the machine is waited for; a process that hangs must not keep the others from working."""
YIELD_S = 1.0
"""An idle browser is given up for another process after so long."""
KEEP_S = 0.5
LARGE_MB = 1500
WEIGH_EVERY = 10
"""A browser is weighed every so many pages and replaced above `LARGE_MB`: weighing takes 50 ms."""

log = logging.getLogger("lps.browser")


class BrowserFetcher:
    """The browsers of one process; safe to use from several threads.

    Args:
        config: see `[browser]` in config.toml.
        places: how many browsers the machine may run; by default as configured.
    """

    def __init__(self, config: BrowserConfig, places: Places | None = None) -> None:
        self._config = config
        self._places = places or Places(config.per_machine)
        self._display = None if config.headless else Display(config.width, config.height)
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._idle: list[Chromium] = []
        self._lent: dict[int, Chromium] = {}
        """Thread that fetches → its browser."""
        self._aborted: set[int] = set()
        self._closing = False
        self._keeper: threading.Thread | None = None

    def get(self, url: str, deadline: float, ready: Ready, *, mall: str, home: str, block_css: bool) -> Body:
        """The page at `url` once it is complete, before `deadline` (`time.monotonic()` seconds).

        Args:
            url: what to open.
            deadline: when it must be there; a page that is not complete by then is returned as it stands.
            ready: how a complete page is recognised.
            mall: whose page it is.
            home: the mall's front page, opened once per browser before the first search; empty = none.
            block_css: leave style sheets out.

        Raises:
            DeadlineExceeded: the time is over; the browser was killed if it did not answer.
            UpstreamDown, UpstreamTimeout, ProxyDead, ProxyAuth: the address cannot be reached, by Chromium's code.
            UpstreamDown: the browser broke (`browser_crash`, `tab_crash`, `browser`) or was given up (`aborted`).
            NotRendered: the answer was no page.
            BrowserMissing: no browser can be started here.
        """
        browser = self._borrow(mall, deadline)
        watchdog = threading.Timer(max(0.0, deadline + OVERTIME_S - time.monotonic()), browser.kill)
        watchdog.daemon = True
        watchdog.start()
        browser.spoilt = True
        try:
            if browser.driver is None:
                browser.start(self._display)
            self._keep_from_now()
            browser.block(css=block_css)
            self._warm_up(browser, mall, home, deadline)
            browser.count(mall)
            load(browser, url, deadline - time.monotonic())
            body = read(browser, deadline, ready, mall)
        except (WebDriverException, HTTPError, OSError, BrowserMissing) as error:
            raise self._named(error, browser, mall, deadline) from error
        except SourceFailure:
            # The page's fault, not the browser's.
            browser.spoilt = False
            raise
        else:
            browser.spoilt = False
            return body
        finally:
            watchdog.cancel()
            self._give_back(browser)

    def abort(self, thread: int) -> None:
        """End what the thread of this ident fetches: it gets UpstreamDown. Nothing if it fetches nothing."""
        with self._changed:
            self._aborted.add(thread)
            browser = self._lent.get(thread)
            self._changed.notify_all()
        if browser:
            browser.kill()

    def close(self) -> None:
        """End every browser and the display; a fetch under way ends with UpstreamDown. Calling it twice is harmless."""
        with self._changed:
            self._closing = True
            idle, self._idle = self._idle, []
            for browser in self._lent.values():
                browser.kill()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._lent, timeout=5)
        for browser in idle:
            browser.close()
        if self._display:
            self._display.close()
        keeper, self._keeper = self._keeper, None
        if keeper:
            keeper.join(5)

    def _borrow(self, mall: str, deadline: float) -> Chromium:
        """A browser for this thread; one that does not run yet if none stands ready."""
        if self._process != os.getpid():
            self._forget()
        me, began = threading.get_ident(), time.monotonic()
        patience = began + min(PATIENCE_S, (deadline - began) / 2)
        with self._changed:
            self._aborted.discard(me)
            while True:
                if self._closing or me in self._aborted:
                    raise UpstreamDown(f"{mall}: given up before it was read", kind="aborted")
                browser = self._standing_ready(mall) or self._new(patience)
                if browser:
                    self._lent[me] = browser
                    return browser
                left = deadline - time.monotonic()
                if left <= 0:
                    raise DeadlineExceeded(f"{mall}: no browser was free in time ({self._places.count} at once)")
                self._changed.wait(min(left, 0.1))

    def _standing_ready(self, mall: str) -> Chromium | None:
        while self._idle:
            browser = max(self._idle, key=lambda one: (mall in one.pages_by_mall, one.used_at))
            self._idle.remove(browser)
            if browser.alive:
                return browser
            browser.close()
        return None

    def _new(self, patience: float) -> Chromium | None:
        if len(self._lent) >= self._places.count:
            return None
        place = self._places.take()
        if place is None and time.monotonic() < patience:
            return None
        return Chromium(self._config, place)

    def _give_back(self, browser: Chromium) -> None:
        """Stand ready again, or end: what is broken, old, large, or one more than the machine should run."""
        large = browser.pages % WEIGH_EVERY == 0 and not browser.spoilt and browser.memory_mb() > LARGE_MB
        done = browser.spoilt or large or browser.place is None or browser.pages >= self._config.max_pages
        if browser.spoilt:
            browser.kill()
        if done or self._closing or not browser.alive:
            browser.close()
        browser.used_at = time.monotonic()
        with self._changed:
            del self._lent[threading.get_ident()]
            if browser.driver is not None:
                self._idle.append(browser)
            self._changed.notify_all()

    def _warm_up(self, browser: Chromium, mall: str, home: str, deadline: float) -> None:
        """Come through the front door first; a front page that hangs does not cost the search."""
        if not home or home in browser.warmed:
            return
        try:
            load(browser, home, WARM_SHARE * (deadline - time.monotonic()))
        except TimeoutException:
            log.warning("[warmup:%s] 응답 없음 → 검색 진행", mall)
            return
        browser.warmed.add(home)
        log.info("[warmup:%s] %s", mall, "쿠키 확보" if browser.driver.get_cookies() else "쿠키 없음")

    def _named(self, error: Exception, browser: Chromium, mall: str, deadline: float) -> SourceFailure:
        if self._closing or threading.get_ident() in self._aborted:
            return UpstreamDown(f"{mall}: given up before it was read", kind="aborted")
        if isinstance(error, TimeoutException) or time.monotonic() >= deadline:
            return DeadlineExceeded(f"{mall}: the page did not load in time")
        if isinstance(error, BrowserMissing):
            return error
        text = (getattr(error, "msg", None) or str(error)).strip()
        if "net::ERR_" in text:
            browser.spoilt = False
            return unreachable(text)
        kind = "tab_crash" if "tab crashed" in text else "browser" if browser.alive else "browser_crash"
        return UpstreamDown(f"{mall}: the browser broke: {text.splitlines()[0][:200] if text else error!r}", kind=kind)

    def _keep_from_now(self) -> None:
        with self._changed:
            if self._keeper is None and not self._closing:
                self._keeper = threading.Thread(target=self._keep, name="browser-keeper", daemon=True)
                self._keeper.start()

    def _keep(self) -> None:
        """Close browsers that nobody has used for a while, and one that another process waits for."""
        idle_s = self._config.idle_close_s
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing, timeout=min(KEEP_S, idle_s / 2))
                if self._closing:
                    return
                old = self._superfluous(idle_s)
                self._idle = [one for one in self._idle if one not in old]
            for browser in old:
                browser.close()
            with self._changed:
                if self._display and not self._idle and not self._lent and not self._closing:
                    self._display.close()

    def _superfluous(self, idle_s: float) -> list[Chromium]:
        now = time.monotonic()
        old = [one for one in self._idle if now - one.used_at > idle_s]
        for browser in old:
            log.info("[%s] 유휴 %gs 초과 → 브라우저 정리", "/".join(browser.pages_by_mall) or "browser", idle_s)
        if old or not self._idle or not self._places.wanted():
            return old
        longest = min(self._idle, key=lambda one: one.used_at)
        return [longest] if now - longest.used_at > YIELD_S else []

    def _forget(self) -> None:
        """In a forked child: browsers, display and threads are the parent's."""
        for browser in (*self._idle, *self._lent.values()):
            if browser.place:
                browser.place.free()
        self._process, self._changed, self._keeper = os.getpid(), threading.Condition(), None
        self._idle, self._lent = [], {}
        if self._display:
            self._display.forget()
