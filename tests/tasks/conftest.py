"""A market whose every answer a test writes down, and a real worker on the real queue."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import dramatiq
import pytest

import config
from crawl import Page
from model import FINAL, MALLS, JobStatus, Offer, Product, SourceOutcome
from store import jobs
from tests.tasks.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model import Job
    from tests.conftest import Database

WATER = Product(code="W1", name="맑은샘 생수 2L", specification="6개")
ENV = {
    "LPS_SANDBOX__ON": "true",
    "NAVER_KEYS": "sandbox:sandbox",
    **{f"LPS_{mall}__OPERATOR_ACCEPTS_TERMS": "true" for mall in ("COUPANG", "GMARKET", "AUCTION", "ST11")},
    **{f"LPS_{mall.upper()}__MIN_GAP_S": "0" for mall in MALLS},
}


class ScriptedMarket:
    """Answers each mall's requests from its script, the last line of it for ever; an exception is raised."""

    def __init__(self) -> None:
        self.script: dict[str, list[Any]] = defaultdict(lambda: [()])
        self.asked: list[tuple[str, str]] = []
        self.aborted = threading.Event()

    def fetch(self, mall: str, query: str, deadline: float) -> Page:
        """The next line of the mall's script."""
        self.asked.append((mall, query))
        lines = self.script[mall]
        answer = lines.pop(0) if len(lines) > 1 else lines[0]
        if callable(answer):
            answer = answer(deadline)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Page):
            return answer
        outcome = SourceOutcome.OK if answer else SourceOutcome.EMPTY
        return Page(mall=mall, query=query, outcome=outcome, offers=tuple(answer), cards=len(answer), size_bytes=1000)

    def abort(self, thread: int) -> None:
        """Whoever waits for `aborted` need not any more."""
        del thread
        self.aborted.set()

    def close(self) -> None:
        """Nothing is held."""

    def count(self, mall: str) -> int:
        """How often a mall was asked."""
        return sum(asked == mall for asked, _ in self.asked)


def offer(mall: str, price: int, name: str = "맑은샘 생수 2L 6개", shipping: int | None = 0, **more: Any) -> Offer:
    """An offer of `WATER`, right unless said otherwise."""
    url = f"https://{mall}.example/{price}/{abs(hash(name))}"
    return Offer(mall=mall, rank=1, name=name, price_krw=price, shipping_krw=shipping, url=url, **more)


@pytest.fixture
def market(db: Database) -> Iterator[ScriptedMarket]:
    """The runtime of this process on this test's database and a scripted market."""
    from tasks.runtime import runtime

    market = ScriptedMarket()
    was = runtime.settings
    runtime.use(config.load(env=ENV), db.pool, market)
    runtime.broker.min_backoff_s, runtime.broker.max_backoff_s = 0.05, 0.1
    yield market
    runtime.use(was)


@pytest.fixture
def clock(db: Database) -> Iterator[Clock]:
    """The database's clock to move."""
    clock = Clock(db)
    yield clock
    clock.restore()


class Bench:
    """A worker, and ways to wait for what it does."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def wait(self, job_id: str, seconds: float = 20) -> Job:
        """The job, once it is final.

        Raises:
            AssertionError: it is not within the time.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with self.database.pool.transaction() as cur:
                job = jobs.get(cur, job_id)
                if job and job.status in FINAL:
                    return job
                cur.execute("SELECT pg_sleep(0.02)")
        raise AssertionError(f"job {job_id} is not final after {seconds} s")

    def search(self, product: Product = WATER, **options: Any) -> Job:
        """Submit and wait."""
        from tasks.submit import submit

        return self.wait(submit(product, **options).job_id)

    def done(self, product: Product = WATER, **options: Any) -> dict[str, Any]:
        """Submit, wait, and the stored result of a DONE job."""
        job = self.search(product, **options)
        assert job.status is JobStatus.DONE
        assert job.result is not None
        return job.result


@pytest.fixture
def bench(db: Database, market: ScriptedMarket) -> Iterator[Bench]:
    """A running worker with eight threads on every queue."""
    import tasks

    worker = dramatiq.Worker(tasks.broker, worker_threads=8, worker_timeout=100)
    worker.start()
    yield Bench(db)
    worker.stop()
    tasks.broker.middleware[:] = [m for m in tasks.broker.middleware if type(m).__name__ != "_WorkerMiddleware"]
