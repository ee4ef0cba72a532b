"""The browsers of one process: lent to one fetch at a time, kept warm, replaced when old, closed when idle.

A browser belongs to one profile and one proxy. One that stands ready for them is lent, best one that has met the mall;
otherwise a new one takes a place on the machine, and an idle one of another proxy makes room for it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import TYPE_CHECKING

from crawl.browser_chromium import Chromium
from crawl.browser_places import Places
from crawl.display import Display
from errors import DeadlineExceeded, UpstreamDown

if TYPE_CHECKING:
    from config import BrowserConfig
    from crawl.mall import Via

PATIENCE_S = 3.0
"""So long a place within the machine's number is waited for; a process that hangs must not stop the others."""
YIELD_S = 1.0
"""An idle browser is given up for another process after so long."""
KEEP_S = 0.5
WEIGH_EVERY = 10
"""A browser is weighed every so many pages: it takes 50 ms of a core."""

log = logging.getLogger("lps.browser")


class Pool:
    """Safe to use from several threads; a forked child starts with an empty one.

    Args:
        config: see `[browser]` in config.toml.
        places: how many browsers the machine may run; by default as configured.
    """

    def __init__(self, config: BrowserConfig, places: Places | None = None) -> None:
        self._config = config
        self._places = places or Places(config.per_machine)
        self.display = None if config.headless else Display(config.width, config.height)
        """What browsers draw on; None is headless."""
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._idle: list[Chromium] = []
        self._lent: dict[int, Chromium] = {}
        """Thread that fetches → its browser."""
        self._aborted: set[int] = set()
        self._closing = False
        self._keeper: threading.Thread | None = None

    def borrow(self, mall: str, via: Via, deadline: float) -> Chromium:
        """A browser for this thread; one that does not run yet if none stands ready.

        Raises:
            DeadlineExceeded: none became free in time.
            UpstreamDown: the fetch was given up meanwhile (`aborted`).
        """
        if self._process != os.getpid():
            self._forget()
        began = time.monotonic()
        patience = began + min(PATIENCE_S, (deadline - began) / 2)
        with self._changed:
            self._aborted.discard(threading.get_ident())
        while True:
            with self._changed:
                if self.gave_up():
                    raise UpstreamDown(f"{mall}: given up before it was read", kind="aborted")
                browser = self._standing_ready(mall, via) or self._new(via, patience)
                if browser:
                    self._lent[threading.get_ident()] = browser
                    self._keep_from_now()
                    return browser
                in_the_way = self._longest_idle() if len(self._lent) < self._places.count else None
                if in_the_way:
                    self._idle.remove(in_the_way)
                elif (left := deadline - time.monotonic()) > 0:
                    self._changed.wait(min(left, 0.1))
                else:
                    raise DeadlineExceeded(f"{mall}: no browser was free in time ({self._places.count} at once)")
            if in_the_way:
                in_the_way.close()

    def give_back(self, browser: Chromium) -> None:
        """Stand ready again, or end: what is broken, old, large, or one more than the machine should run."""
        extra = browser.place is None or browser.place.extra
        done = browser.spoilt or browser.large or extra or browser.pages >= self._config.max_pages
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

    def gave_up(self) -> bool:
        """Whether what this thread fetches is no longer wanted."""
        return self._closing or threading.get_ident() in self._aborted

    def abort(self, thread: int) -> None:
        """Kill the browser of the thread of this ident, and let it borrow none now; it may try again later."""
        with self._changed:
            self._aborted.add(thread)
            # Within the lock: a moment later it may be another fetch's.
            if browser := self._lent.get(thread):
                browser.kill()
            self._changed.notify_all()

    def close(self) -> None:
        """End every browser and the display; calling it twice is harmless."""
        with self._changed:
            self._closing = True
            for browser in self._lent.values():
                browser.kill()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._lent, timeout=5)
            idle, self._idle = self._idle, []
        for browser in idle:
            browser.close()
        keeper, self._keeper = self._keeper, None
        if keeper:
            keeper.join(10)
        if self.display:
            self.display.close()

    @property
    def standing(self) -> int:
        """How many browsers run and wait for work."""
        return len(self._idle)

    def _standing_ready(self, mall: str, via: Via) -> Chromium | None:
        for browser in [one for one in self._idle if not one.alive]:
            self._idle.remove(browser)
            browser.close()
        fitting = [one for one in self._idle if one.fits(via)]
        if not fitting:
            return None
        browser = max(fitting, key=lambda one: (mall in one.searches, one.used_at))
        self._idle.remove(browser)
        return browser

    def _new(self, via: Via, patience: float) -> Chromium | None:
        if len(self._lent) >= self._places.count:
            return None
        place = self._places.take(extra=time.monotonic() >= patience)
        return Chromium(self._config, place, via) if place else None

    def _longest_idle(self) -> Chromium | None:
        return min(self._idle, key=lambda one: one.used_at, default=None)

    def _keep_from_now(self) -> None:
        if self._keeper is None and not self._closing:
            self._keeper = threading.Thread(target=self._keep, name="browser-keeper", daemon=True)
            self._keeper.start()

    def _keep(self) -> None:
        """Close browsers that nobody has used for a while, and one that another process waits for; weigh the rest."""
        idle_s = self._config.idle_close_s
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing, timeout=min(KEEP_S, idle_s / 2))
                if self._closing:
                    return
                old = self._superfluous(idle_s)
                self._idle = [one for one in self._idle if one not in old]
                to_weigh = [one for one in (*self._idle, *self._lent.values()) if one.grew(WEIGH_EVERY)]
            for browser in old:
                browser.close()
            for browser in to_weigh:
                browser.large = browser.memory_mb() > self._config.max_memory_mb
            with self._changed:
                if self.display and not self._idle and not self._lent and not self._closing:
                    self.display.close()

    def _superfluous(self, idle_s: float) -> list[Chromium]:
        now = time.monotonic()
        old = [one for one in self._idle if now - one.used_at > idle_s]
        for browser in old:
            log.info("[%s] 유휴 %gs 초과 → 브라우저 정리", "/".join(browser.searches) or "browser", idle_s)
        longest = self._longest_idle()
        if old or longest is None or not self._places.wanted():
            return old
        return [longest] if now - longest.used_at > YIELD_S else []

    def _forget(self) -> None:
        """In a forked child: browsers, display and threads are the parent's."""
        for browser in (*self._idle, *self._lent.values()):
            if browser.place:
                browser.place.free()
        self._process, self._changed, self._keeper = os.getpid(), threading.Condition(), None
        self._idle, self._lent = [], {}
        if self.display:
            self.display.forget()
