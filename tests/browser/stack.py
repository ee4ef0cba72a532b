"""Everything that answers a search, in this process: sandbox, queue, worker, web app; pages read by plain HTTP."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import dramatiq

import config
from model import MALLS
from sandbox import server
from tests.chromium import served
from web import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from sandbox.server import Market
    from store.pool import Pool

PAGED = ("coupang", "gmarket", "auction", "st11")


@dataclass(frozen=True, slots=True)
class Stack:
    """What runs."""

    app: Flask
    base: str
    """Where the pages are, no trailing slash."""
    market: Market
    pool: Pool


def settings_for(market: Market) -> config.Settings:
    """The settings of a process whose malls are this sandbox."""
    env = {"LPS_SANDBOX__ON": "true"}
    env |= {f"LPS_{mall.upper()}__BASE_URL": url for mall, url in market.base_urls().items()}
    env |= {f"LPS_{mall.upper()}__FETCHER": "http" for mall in PAGED}
    env |= {f"LPS_{mall.upper()}__MIN_GAP_S": "0" for mall in MALLS}
    env["LPS_ST11__SHOP_URL"] = market.base_urls()["st11"]
    return config.load(env=env)


@contextmanager
def working() -> Iterator[None]:
    """A worker on every queue."""
    import tasks

    worker = dramatiq.Worker(tasks.broker, worker_threads=8, worker_timeout=100)
    worker.start()
    try:
        yield
    finally:
        worker.stop()
        tasks.broker.middleware[:] = [m for m in tasks.broker.middleware if type(m).__name__ != "_WorkerMiddleware"]


@contextmanager
def running(pool: Pool, *, latency_ms: int = 0, port: int = 0) -> Iterator[Stack]:
    """All of it, on this database."""
    from tasks.runtime import runtime

    was = runtime.settings
    with ExitStack() as ending:
        market = ending.enter_context(server.serve(latency_ms=latency_ms))
        settings = settings_for(market)
        runtime.use(settings, pool)
        ending.callback(runtime.use, was)
        runtime.broker.min_backoff_s, runtime.broker.max_backoff_s = 0.05, 0.1
        ending.enter_context(working())
        app = create_app(settings, pool)
        base = ending.enter_context(served(app, port))
        yield Stack(app=app, base=base, market=market, pool=pool)
