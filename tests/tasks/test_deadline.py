"""Time: a mall that does not answer, a search that is overdue, a mall that an operator holds back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import config
from errors import RateLimited, UpstreamDown, UpstreamTimeout
from model import MALLS
from tests.tasks.conftest import ENV, WATER, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    import pytest

    from model import Offer
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


def test_a_search_goes_on_without_a_mall_that_is_paused_while_it_waits(
    market: ScriptedMarket, db: Database, request: pytest.FixtureRequest
) -> None:
    """With a heartbeat of any worker, long before its deadline; the message finds nothing left to do."""
    from tasks import operate
    from tasks.submit import submit

    market.script["naver"] = [[offer("naver", 5_000)]]
    job_id = submit(WATER, deadline_s=60).job_id
    operate.pause("coupang", who="kim", reason="it blocks us")
    bench: Bench = request.getfixturevalue("bench")
    result = bench.wait(job_id, 15).result or {}
    source = result["sources"]["coupang"]
    assert ("found", "paused", "it blocks us") == (result["outcome"], source["outcome"], source["error"])
    operate.resume("coupang", who="kim")
    left = "SELECT count(*) FROM dramatiq.queue WHERE queue_name = 'coupang' AND state <> 'done'"
    end = time.monotonic() + 5
    while db.rows(left) != [(0,)]:
        assert time.monotonic() < end
    assert 0 == market.count("coupang")


def test_a_mall_that_is_being_read_when_it_is_paused_may_finish(
    bench: Bench, market: ScriptedMarket, db: Database
) -> None:
    """What runs goes on."""
    from tasks import flow, operate

    def paused_meanwhile(_deadline: float) -> list[Offer]:
        operate.pause("coupang", who="kim", reason="enough")
        with db.pool.transaction() as cur:
            assert flow.held_back(cur) == 0
        return [offer("coupang", 7_000)]

    market.script["naver"], market.script["coupang"] = [[]], [paused_meanwhile]
    assert "ok" == bench.done()["sources"]["coupang"]["outcome"]


def test_a_fallback_mall_is_not_tried_again_after_its_own_time(
    bench: Bench, market: ScriptedMarket, db: Database
) -> None:
    """It may answer 500 as often as it likes: its own deadline counts from its first claim."""
    from tasks.runtime import runtime

    own = {f"LPS_{mall}__DEADLINE_S": "1" for mall in ("GMARKET", "AUCTION", "ST11")}
    runtime.use(config.load(env={**ENV, **own, "LPS_SEARCH__FALLBACK": "always"}), db.pool, market)
    runtime.broker.min_backoff_s, runtime.broker.max_backoff_s = 0.4, 0.4
    market.script["naver"] = [[offer("naver", 5_000)]]
    market.script["gmarket"] = [UpstreamDown("status 500")]
    source = bench.done()["sources"]["gmarket"]
    assert ("net", "status 500") == (source["outcome"], source["error"])
    (begun,) = db.rows(
        "SELECT extract(epoch FROM max(started_at) - min(started_at))::float8, count(*) FROM attempt"
        " WHERE mall = 'gmarket'"
    )
    assert 0.1 < float(str(begun[0])) < 1
    assert int(str(begun[1])) > 1


def test_a_dead_search_has_a_reason_and_no_outcome(bench: Bench, market: ScriptedMarket) -> None:
    """That no mall could be read is not the same as that none has it."""
    del market
    for name in MALLS:
        bench.database.rows("INSERT INTO queue_pause (name, reason, who) VALUES (%s, 'held', 'kim')", name)
    job = bench.search()
    assert "no source answered" in (job.error or "")
    assert job.result is not None
    assert None is job.result["outcome"]
