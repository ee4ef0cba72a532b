"""What a process of LPS shares: settings, database pool, broker, crawler.

Nothing here does I/O before it is used; a forked worker opens its own connections and browsers.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Protocol

import config
import crawl
from ai.client import Client
from errors import Setup
from model import MALLS
from store.pool import Pool
from tasks.middleware import chain
from tasks.ports import SharedPorts
from tasks.queue import LpsBroker

if TYPE_CHECKING:
    from config import Settings
    from config.pool import Role
    from model import Offer

BROWSER_MALLS = ("coupang", "gmarket", "auction")
SLOW = (*MALLS, "canary", "outbox")
"""Queues whose work waits for the outside world."""


class Reader(Protocol):
    """Reads malls: `crawl.Crawler`, or what a test puts in its place."""

    def fetch(self, mall: str, query: str, deadline: float) -> crawl.Page:
        """One search at one mall, ended before `deadline` (`time.monotonic()` seconds)."""

    def abort(self, thread: int) -> None:
        """End what the thread of this ident fetches."""

    def close(self) -> None:
        """Give back whatever is held."""


class Runtime:
    """One process's shared things; `use` puts others in their place, for tests and for the command line."""

    def __init__(self, settings: Settings) -> None:
        self._lock = threading.Lock()
        self._crawler: Reader | None = None
        self._model: Client | None = None
        self.settings = settings
        self.pool = _pool(settings, "worker")
        self.broker = _broker(settings, self.pool)

    def use(
        self, settings: Settings, pool: Pool | None = None, crawler: Reader | None = None, *, role: Role = "worker"
    ) -> None:
        """Work with these settings from now on; what was open before is closed."""
        self.close()
        self.settings = settings
        self._crawler = crawler
        self.pool = pool or _pool(settings, role)
        self.broker.pool = self.pool

    def fetch(self, mall: str, query: str, deadline: float) -> crawl.Page:
        """Ask one mall, before `deadline` (`time.monotonic()` seconds).

        Raises:
            SourceFailure: whatever the mall did not answer, by its type.
        """
        return self.crawler.fetch(mall, query, deadline)

    @property
    def crawler(self) -> Reader:
        """This process's crawler, made on first use."""
        with self._lock:
            if self._crawler is None:
                self._crawler = crawl.Crawler(self.settings, ports=SharedPorts(self.settings, self.pool))
            return self._crawler

    @property
    def model(self) -> Client:
        """This process's way to the model, made on first use."""
        with self._lock:
            if self._model is None:
                self._model = Client(self.settings.ai)
            return self._model

    def assumed_shipping(self, offer: Offer) -> int:
        """KRW taken as shipping for an offer that does not say."""
        return self.settings.mall(offer.mall).assumed_shipping_krw

    def close(self) -> None:
        """Close browsers and idle connections; everything opens again on its next use."""
        with self._lock:
            crawler, self._crawler = self._crawler, None
            model, self._model = self._model, None
        if crawler:
            crawler.close()
        if model:
            model.close()
        self.pool.close()


def _pool(settings: Settings, role: Role) -> Pool:
    plan = config.pool_plan(settings, role)
    dsn = settings.database.dsn() if settings.database.external else ""
    return Pool(
        dsn,
        size=plan.capacity,
        timeout_s=settings.database.wait_s,
        application=f"lps {role}",
        statement_timeout_s=settings.database.statement_timeout_s,
    )


def _broker(settings: Settings, pool: Pool) -> LpsBroker:
    return LpsBroker(
        pool=pool,
        lease_s=settings.queue.lease_s,
        max_attempts=settings.queue.max_attempts,
        min_backoff_s=settings.queue.min_backoff_s,
        max_backoff_s=settings.queue.max_backoff_s,
        stuck_s=settings.worker.stuck_s,
        heartbeat_file=settings.worker.heartbeat_file,
        caps=caps(settings),
        slow=SLOW,
        middleware=chain(),
    )


def caps(settings: Settings) -> dict[str, int]:
    """Messages of each queue at once in one process."""
    at_once = settings.worker.concurrency
    quick = {"outbox": 2, "match": 2, "persist": 2, "canary": 1, "ops": 1}
    return dict.fromkeys((*BROWSER_MALLS, "st11"), at_once) | {"naver": max(3, at_once)} | quick


def _load() -> Settings:
    try:
        return config.load()
    except Setup as error:
        sys.exit(f"lps: {error}")


runtime = Runtime(_load())
