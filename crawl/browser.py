"""Fetches pages in real browsers: a small pool of Chromium per process, each page within its deadline.

A browser is lent to one fetch at a time, best one that has met the mall before. A watchdog kills its whole process tree
two seconds after the deadline, even when the renderer is stopped or the driver hangs. Idle browsers are closed, used
ones replaced after `max_pages`.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from typing import TYPE_CHECKING, Any

from selenium.common.exceptions import TimeoutException, WebDriverException
from urllib3.exceptions import HTTPError

from crawl.browser_chromium import Chromium
from crawl.display import Display
from crawl.mall import Body
from errors import DeadlineExceeded, NotRendered, UpstreamDown

if TYPE_CHECKING:
    from config import BrowserConfig
    from crawl.mall import Ready

OVERTIME_S = 2.0
"""How long after its deadline a fetch is killed, if nothing else ended it."""
POLL_S = 0.03
QUIET_S = 3.0
"""A loaded page without cards and without the mall's own word is waited for this long."""
STATE = """
const nav = performance.getEntriesByType('navigation')[0] || {};
const failed = document.URL.startsWith('chrome-error:') ? document.documentElement.textContent : '';
return [document.readyState, document.querySelectorAll(arguments[0]).length,
  arguments[1] ? !!document.querySelector(arguments[1]) : false, nav.responseStatus || 0, failed,
  !!document.querySelector('script[src*="/challenge-platform/"], #challenge-form, #challenge-running')];
"""
END = """
window.stop();
const all = performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'));
return all.reduce((sum, entry) => sum + (entry.transferSize || 0), 0);
"""

_ABORTED = "given up before it was read"
log = logging.getLogger("lps.browser")


class BrowserFetcher:
    """The browsers of one process; safe to use from several threads.

    Args:
        config: see `[browser]` in config.toml.
    """

    def __init__(self, config: BrowserConfig) -> None:
        self._config = config
        self._most = config.per_machine or max(1, os.cpu_count() or 1)
        self._display = None if config.headless else Display(config.width, config.height)
        self._changed = threading.Condition()
        self._idle: list[Chromium] = []
        self._lent: dict[int, Chromium | None] = {}
        self._slots: dict[int, int] = {}
        """Thread that fetches → the place it was given."""
        self._aborted: set[int] = set()
        self._closing = False
        self._keeper: threading.Thread | None = None

    def get(self, url: str, deadline: float, ready: Ready, *, mall: str, home: str, block_css: bool) -> Body:
        """The page at `url` once it is complete, before `deadline` (`time.monotonic()` seconds).

        Args:
            url: what to open.
            deadline: when it must be there.
            ready: how a complete page is recognised.
            mall: whose page it is.
            home: the mall's front page, opened once per browser before the first search; empty = none.
            block_css: leave style sheets out.

        Raises:
            DeadlineExceeded: the time is over; the browser was killed if it did not answer.
            UpstreamDown: the address cannot be reached, or the browser broke.
            BrowserMissing: no browser can be started here.
        """
        me = threading.get_ident()
        self._aborted.discard(me)
        slot, browser = self._borrow(mall, deadline)
        spoilt = True
        watchdog = threading.Timer(max(0.0, deadline + OVERTIME_S - time.monotonic()), self._overtime, (slot,))
        watchdog.daemon = True
        watchdog.start()
        try:
            browser = browser or self._start(slot)
            if me in self._aborted:
                raise UpstreamDown(f"{mall}: {_ABORTED}", kind="aborted")
            browser.block(css=block_css)
            self._warm_up(browser, mall, home, deadline)
            body = _read(browser, url, deadline, ready, mall)
            spoilt = False
        except TimeoutException as error:
            raise DeadlineExceeded(f"{mall}: the page did not load in time") from error
        except (WebDriverException, HTTPError, OSError) as error:
            raise self._named(error, mall, deadline) from error
        else:
            return body
        finally:
            watchdog.cancel()
            self._give_back(slot, browser, spoilt=spoilt)

    def abort(self, thread: int) -> None:
        """End what the thread of this ident fetches: it gets UpstreamDown. Nothing if it fetches nothing."""
        with self._changed:
            self._aborted.add(thread)
            browser = self._lent.get(self._slots.get(thread, -1))
            self._changed.notify_all()
        if browser:
            browser.kill()

    def close(self) -> None:
        """End every browser and the display; a fetch under way ends with UpstreamDown. Calling it twice is harmless."""
        with self._changed:
            self._closing = True
            idle, self._idle = self._idle, []
            for browser in self._lent.values():
                if browser:
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

    def _borrow(self, mall: str, deadline: float) -> tuple[int, Chromium | None]:
        """A free place and, if there is one, a browser that stands ready."""
        me = threading.get_ident()
        with self._changed:
            free = self._changed.wait_for(
                lambda: self._closing or me in self._aborted or len(self._lent) < self._most,
                timeout=deadline - time.monotonic(),
            )
            if self._closing or me in self._aborted:
                raise UpstreamDown("the browsers are being closed" if self._closing else f"{mall}: {_ABORTED}")
            if not free:
                raise DeadlineExceeded(f"{mall}: no browser was free in time ({self._most} in this process)")
            usable = sorted(self._idle, key=lambda one: (mall in one.pages_by_mall, one.used_at))
            browser = usable[-1] if usable else None
            if browser:
                self._idle.remove(browser)
            taken = set(self._lent) | {one.slot for one in self._idle}
            slot = browser.slot if browser else next(n for n in range(self._most * 2) if n not in taken)
            self._lent[slot] = browser
            self._slots[me] = slot
        if browser and not browser.alive:
            browser.close()
            browser = None
        return slot, browser

    def _start(self, slot: int) -> Chromium:
        browser = Chromium(self._config, self._display, slot)
        with self._changed:
            self._lent[slot] = browser
            if self._keeper is None and not self._closing:
                self._keeper = threading.Thread(target=self._keep, name="browser-keeper", daemon=True)
                self._keeper.start()
        return browser

    def _give_back(self, slot: int, browser: Chromium | None, *, spoilt: bool) -> None:
        if browser and (spoilt or self._closing or browser.pages >= self._config.max_pages or not browser.alive):
            if spoilt:
                browser.kill()
            browser.close()
            browser = None
        with self._changed:
            del self._lent[slot]
            self._slots.pop(threading.get_ident(), None)
            if browser:
                browser.used_at = time.monotonic()
                self._idle.append(browser)
            self._changed.notify_all()

    def _overtime(self, slot: int) -> None:
        with self._changed:
            browser = self._lent.get(slot)
        if browser:
            browser.kill()

    def _warm_up(self, browser: Chromium, mall: str, home: str, deadline: float) -> None:
        if not home or home in browser.warmed:
            return
        browser.driver.set_page_load_timeout(max(0.1, deadline - time.monotonic()))
        browser.driver.get(home)
        browser.warmed.add(home)
        log.info("[warmup:%s] %s", mall, "쿠키 확보" if browser.driver.get_cookies() else "쿠키 없음")

    def _named(self, error: Exception, mall: str, deadline: float) -> Exception:
        if time.monotonic() >= deadline:
            return DeadlineExceeded(f"{mall}: the browser was killed at its deadline")
        text = getattr(error, "msg", None) or str(error)
        if "net::ERR_" in text:
            return _unreachable(text)
        return UpstreamDown(f"{mall}: the browser broke: {text.splitlines()[0][:200]}", kind="browser")

    def _keep(self) -> None:
        """Close browsers that nobody has used for a while."""
        idle_s = self._config.idle_close_s
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing, timeout=min(5.0, idle_s / 2))
                if self._closing:
                    return
                old = [one for one in self._idle if time.monotonic() - one.used_at > idle_s]
                self._idle = [one for one in self._idle if one not in old]
            for browser in old:
                malls = "/".join(browser.pages_by_mall) or "browser"
                log.info("[%s] 유휴 %gs 초과 → 브라우저 정리", malls, idle_s)
                browser.close()


def _unreachable(text: str) -> UpstreamDown:
    """Chromium's own error page, or the driver's word for it."""
    code = re.search(r"ERR_\w+", text)
    kind = code[0] if code else "ERR_UNKNOWN"
    return UpstreamDown(f"the browser cannot reach the address: {kind}", kind=kind)


def _read(browser: Chromium, url: str, deadline: float, ready: Ready, mall: str) -> Body:
    driver = browser.driver
    browser.pages += 1
    browser.pages_by_mall[mall] = browser.pages_by_mall.get(mall, 0) + 1
    driver.set_page_load_timeout(max(0.1, deadline - time.monotonic()))
    driver.get(url)
    status = _wait(driver, deadline, ready)
    html = driver.page_source
    if not html:
        raise NotRendered(f"{mall}: the browser shows an empty page")
    size = driver.execute_script(END)
    return Body(
        content=html,
        url=driver.current_url,
        status=status or None,
        size_bytes=int(size),
        ip_request_no=browser.pages_by_mall[mall],
    )


def _wait(driver: Any, deadline: float, ready: Ready) -> int:
    """Poll until the page is complete or nothing more is to be expected; the document's HTTP status, 0 if unknown.

    Cards that stand there at once came with the document: two equal counts are enough. Cards that appear later are
    written by a script, perhaps piece by piece: their number must stand still for a while.
    """
    pause = threading.Event()
    counts: list[int] = []
    quiet_since = None
    while True:
        state, cards, settled, status, failed, challenge = driver.execute_script(STATE, ready.cards, ready.settled)
        if failed:
            raise _unreachable(failed)
        counts.append(cards)
        loaded = state == "complete"
        needed = 2 if counts[0] else 10
        still = len(counts) >= needed and len(set(counts[-needed:])) == 1
        if state != "loading" and ((cards and still) or (settled and not cards)):
            return int(status)
        if loaded and status >= 400 and not challenge:
            return int(status)
        # A challenge clears by itself or not at all; nobody clicks here.
        quiet_since = None if challenge else quiet_since or (time.monotonic() if loaded else None)
        if quiet_since and not cards and time.monotonic() - quiet_since > QUIET_S:
            return int(status)
        if time.monotonic() > deadline:
            return int(status)
        pause.wait(POLL_S)
