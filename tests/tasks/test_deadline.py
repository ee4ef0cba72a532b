"""Time: a mall that does not answer, a search that is overdue, a mall that an operator holds back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from errors import RateLimited, UpstreamTimeout
from tests.tasks.conftest import WATER, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    import pytest

    from tests.conftest import Database


def test_a_mall_that_uses_up_its_time_is_skipped(bench: Bench, market: ScriptedMarket) -> None:
    """Its outcome is `deadline`, without a second try."""

    def too_slow(deadline: float) -> UpstreamTimeout:
        time.sleep(max(0, deadline - time.monotonic()))
        return UpstreamTimeout("no answer")

    market.script["coupang"] = [too_slow]
    market.script["naver"] = [[offer("naver", 5_000)]]
    result = bench.done(deadline_s=1)
    assert ("found", "deadline") == (result["outcome"], result["sources"]["coupang"]["outcome"])
    assert 1 == market.count("coupang")


def test_a_mall_that_asks_to_wait_past_the_search_is_left_out_at_once(
    bench: Bench, market: ScriptedMarket, db: Database
) -> None:
    """A used-up day at Naver costs its offers, not the search."""
    limited = RateLimited("used up until midnight", kind="http_429")
    limited.after_s = 44_000
    market.script["naver"] = [limited]
    market.script["coupang"] = [[offer("coupang", 7_000)]]
    result = bench.done()
    assert ("found", "blocked", False) == (
        result["outcome"],
        result["sources"]["naver"]["outcome"],
        result["complete"],
    )
    assert 1 == market.count("naver")
    assert [] == db.rows("SELECT 1 FROM bot_detection")


def test_a_workers_heartbeat_ends_an_overdue_search(
    market: ScriptedMarket, db: Database, request: pytest.FixtureRequest
) -> None:
    """Without waiting for the clock's next minute."""
    from tasks.submit import submit

    job_id = submit(WATER, deadline_s=0.01).job_id
    db.rows("INSERT INTO queue_pause (name, reason, who) VALUES ('naver', 'held', 'kim'), ('coupang', 'held', 'kim')")
    bench: Bench = request.getfixturevalue("bench")
    assert "no source answered" in (bench.wait(job_id, 8).error or "")
    assert [] == market.asked


def test_an_overdue_search_goes_on_with_what_is_there(market: ScriptedMarket, db: Database) -> None:
    """The reaper closes the open sources, records it, and sends the match."""
    from tasks import ops
    from tasks.submit import submit

    job_id = submit(WATER, deadline_s=0.01).job_id
    db.rows("SELECT pg_sleep(0.05)")
    ops.reap.fn()
    closed = db.rows("SELECT mall, outcome FROM job_source WHERE job_id = %s ORDER BY mall", job_id)
    assert [("coupang", "deadline"), ("naver", "deadline")] == closed
    assert [(2,)] == db.rows("SELECT count(*) FROM attempt WHERE error_type = 'JobDeadlineExceeded'")
    assert [(1,)] == db.rows("SELECT count(*) FROM dramatiq.queue WHERE queue_name = 'match' AND state = 'queued'")
    assert [] == market.asked


def test_a_paused_mall_is_left_out_and_named(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """The search does not wait for it."""
    db.rows("INSERT INTO queue_pause (name, reason, who) VALUES ('coupang', 'it blocks us', 'kim')")
    market.script["naver"] = [[offer("naver", 5_000)]]
    source = bench.done()["sources"]["coupang"]
    assert ("paused", "it blocks us") == (source["outcome"], source["error"])


def test_a_cancelled_search_stores_nothing(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Whatever a running stage still brings is dropped."""
    from store import jobs
    from tasks.submit import submit

    def cancelled_meanwhile(_deadline: float) -> list[object]:
        with db.pool.transaction() as cur:
            cur.execute("SELECT job_id::text FROM job")
            jobs.cancel(cur, cur.fetchone()[0], "not wanted any more")
        return [offer("naver", 5_000)]

    market.script["naver"] = [cancelled_meanwhile]
    job_id = submit(WATER).job_id
    bench.wait(job_id)
    deadline = time.monotonic() + 10
    while db.rows("SELECT 1 FROM dramatiq.queue WHERE state IN ('queued', 'consumed')"):
        assert time.monotonic() < deadline
    assert [] == db.rows("SELECT * FROM price_history")
    assert [(0,)] == db.rows("SELECT count(*) FROM job_source WHERE mall = 'naver' AND outcome IS NOT NULL")
