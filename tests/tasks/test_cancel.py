"""Cancelling a search: whether it waits or runs, nothing of it is stored, and its crawl stops."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from errors import UpstreamDown
from model import JobStatus
from tasks import operate
from tests.tasks.conftest import WATER, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from tests.conftest import Database


def test_a_waiting_search_never_begins(market: ScriptedMarket, db: Database) -> None:
    """Its messages are done without having run; who and why are on record."""
    from tasks.submit import submit

    job_id = submit(WATER).job_id
    done = operate.cancel(job_id, who="kim", reason="typed wrong")
    assert (True, JobStatus.CANCELLED, 2, 0) == (done.changed, done.status, done.queued, done.running)
    assert [("done",)] == db.rows("SELECT DISTINCT state::text FROM dramatiq.queue")
    assert [(5, "cancelled by kim: typed wrong")] == db.rows("SELECT status, error FROM job")
    assert [("kim", job_id)] == db.rows("SELECT who, subject FROM audit WHERE action = 'cancel'")
    assert submit(WATER).job_id != job_id


def test_a_running_crawl_is_stopped_and_stores_nothing(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """The worker is told by notification, ends the fetch, and its late answer is refused."""
    from tasks.submit import submit

    def hangs(deadline: float) -> UpstreamDown:
        market.aborted.wait(deadline - time.monotonic())
        return UpstreamDown("the browser is gone")

    market.script["naver"] = [[offer("naver", 5_000)]]
    market.script["coupang"] = [hangs]
    job_id = submit(WATER).job_id
    _until(lambda: market.count("coupang") and not market.aborted.is_set() and _ended(db, "naver"))
    done = operate.cancel(job_id, who="kim", reason="too slow")
    assert 1 == done.running
    assert market.aborted.wait(2)
    _until(lambda: not db.rows("SELECT 1 FROM dramatiq.queue WHERE state <> 'done'"))
    assert [("coupang", "cancelled")] == db.rows("SELECT stage, outcome FROM attempt WHERE stage = 'coupang'")
    assert [(5,)] == db.rows("SELECT status FROM job")
    assert [] == db.rows("SELECT * FROM price_history")


def test_a_final_search_stays_as_it_is(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Saying it twice, or too late, changes nothing and says so."""
    market.script["naver"] = [[offer("naver", 5_000)]]
    job = bench.search()
    done = operate.cancel(job.job_id, who="kim", reason="late")
    assert (False, JobStatus.DONE) == (done.changed, done.status)
    assert [] == db.rows("SELECT * FROM audit")


@pytest.mark.parametrize("name", [str(uuid4()), "nothing", "'; DROP TABLE job"])
def test_an_unknown_search_is_named(market: ScriptedMarket, name: str) -> None:
    """Whatever is typed."""
    with pytest.raises(operate.NotFound):
        operate.cancel(name, who="kim", reason="x")


def _ended(db: Database, stage: str) -> bool:
    return bool(db.rows("SELECT 1 FROM attempt WHERE stage = %s", stage))


def _until(true: object, seconds: float = 10) -> None:
    assert callable(true)
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
