"""Reading a mall that failed once more, from the result's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from errors import Blocked
from tasks import operate
from tests.tasks.conftest import Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from tests.conftest import Database


def test_a_mall_that_was_blocked_is_read_again(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Only that mall is asked; the result, its completeness and the one row of history have the last word."""
    market.script["naver"] = [[offer("naver", 9_000)]]
    market.script["coupang"] = [Blocked(kind="akamai"), [offer("coupang", 7_000)]]
    job = bench.search()
    assert job.result
    assert (9_000, False) == (job.result["lowest"]["price"], job.result["complete"])
    operate.retry_source(job.job_id, "coupang", who="kim")
    again = bench.wait(job.job_id).result
    assert again
    assert (7_000, True) == (again["lowest"]["price"], again["complete"])
    assert [(7_000,)] == db.rows("SELECT final_lowest FROM price_history")
    assert (1, 2) == (market.count("naver"), market.count("coupang"))
    assert [("kim", "retry_source")] == db.rows("SELECT who, action FROM audit")


def test_a_mall_that_was_not_asked_is_asked(bench: Bench, market: ScriptedMarket) -> None:
    """A buyer who wants to be sure asks the fallback malls too."""
    market.script["naver"] = [[offer("naver", 9_000)]]
    market.script["gmarket"] = [[offer("gmarket", 8_000)]]
    job = bench.search()
    operate.retry_source(job.job_id, "gmarket", who="kim")
    again = bench.wait(job.job_id).result
    assert again
    assert 8_000 == again["lowest"]["price"]


def test_what_cannot_be_read_again_is_refused_with_why(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Answered, paused, unknown: nothing changes, the search stays as it ended."""
    market.script["naver"] = [[offer("naver", 9_000)]]
    job_id = bench.search().job_id
    operate.pause("st11", who="kim", reason="blocks us")
    for mall, why in (("naver", "answered already"), ("st11", "paused: blocks us")):
        with pytest.raises(operate.NotRevivableError, match=why):
            operate.retry_source(job_id, mall, who="kim")
    for job, mall in (
        (job_id, "ebay"),
        ("00000000-0000-4000-8000-000000000000", "st11"),
        ("00000000-0000-4000-8000-000000000001", "naver"),
    ):
        with pytest.raises(operate.NotFound):
            operate.retry_source(job, mall, who="kim")
    assert [(3, 0)] == db.rows("SELECT status, round FROM job")
