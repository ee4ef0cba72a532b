"""What an operator does to queues and workers: through the same functions from everywhere, and on record."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from store import ops
from tasks import operate
from tests.tasks.conftest import WATER, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from tests.conftest import Database


def test_a_paused_mall_is_told_with_who_and_why(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Searches leave it out; the operators' numbers name it; resumed, it is asked again."""
    operate.pause("coupang", who="kim", reason="blocks us")
    market.script["naver"] = [[offer("naver", 5_000)]]
    assert "paused" == bench.done()["sources"]["coupang"]["outcome"]
    with db.pool.autocommit() as cur:
        [held] = ops.snapshot(cur).paused
    assert ("coupang", "blocks us", "kim") == (held["name"], held["reason"], held["who"])
    assert (True, False) == (operate.resume("coupang", who="lee"), operate.resume("coupang", who="lee"))
    assert "empty" == bench.done(again=True)["sources"]["coupang"]["outcome"]
    assert [("kim", "pause"), ("lee", "resume")] == db.rows("SELECT who, action FROM audit ORDER BY audit_id")


def test_a_pause_of_nothing_is_refused(market: ScriptedMarket) -> None:
    """A typing mistake must not look like success."""
    with pytest.raises(operate.NotFound, match="coupang"):
        operate.pause("coupnag", who="kim", reason="x")


def test_what_is_past_its_days_leaves(market: ScriptedMarket, db: Database) -> None:
    """Messages by their own days, tries with the dead, worker rows with the done; what is younger stays."""
    for days in (6, 8, 100):
        db.rows("INSERT INTO dramatiq.queue (message_id, state, mtime) VALUES (gen_random_uuid(), 'done',"
                " lps.now() - %s * interval '1 day')", days)  # fmt: skip
        db.rows("INSERT INTO attempt (stage, try, message_id, worker, started_at, ended_at, outcome)"
                " VALUES ('naver', 1, gen_random_uuid(), '', now(), lps.now() - %s * interval '1 day',"
                " 'done')", days)  # fmt: skip
        db.rows("INSERT INTO worker (worker_id, host, pid, queues, seen_at) VALUES"
                " (gen_random_uuid(), '', 1, '{}', lps.now() - %s * interval '1 day')", days)  # fmt: skip
    gone = operate.purge()
    assert (2, 1, 2) == (gone.messages, gone.attempts, gone.workers)
    assert operate.Purged(0, 0, 0) == operate.purge()


def test_flushing_and_recovering_say_how_many(market: ScriptedMarket, db: Database) -> None:
    """What waits is deleted and on record; what a dead worker held is queued again."""
    from tasks.submit import submit

    submit(WATER)
    assert 1 == operate.flush("naver", who="kim")
    db.rows("UPDATE dramatiq.queue SET state = 'consumed', owner = gen_random_uuid(), attempts = 1,"
            " lease_until = lps.now() - interval '1 s'")  # fmt: skip
    assert 1 == operate.recover().queued
    [stats] = operate.queue_stats()
    assert ("coupang", 1, 0) == (stats.name, stats.ready + stats.delayed, stats.running)
    assert [("flush", {"messages": 1})] == db.rows("SELECT action, detail FROM audit")


def test_the_numbers_tell_lost_from_stuck(market: ScriptedMarket, db: Database) -> None:
    """A lease that ran out, and one that is renewed though its work should long be over."""
    for lease, age in ((-1, 2), (20, 2), (20, 900)):
        db.rows("INSERT INTO dramatiq.queue (message_id, state, owner, lease_until, mtime) VALUES (gen_random_uuid(),"
                " 'consumed', gen_random_uuid(), lps.now() + %s * interval '1 s', lps.now() - %s * interval '1 s')",
                lease, age)  # fmt: skip
    with db.pool.autocommit() as cur:
        now = ops.snapshot(cur, stuck_s=300)
    assert (1, 1) == (now.stuck_running, now.lost_running)


def test_the_oldest_ready_message_is_found_in_whatever_queue(market: ScriptedMarket, db: Database) -> None:
    """Delayed ones and paused queues do not count; every priority does."""
    for queue, priority, age in (("naver", 0, 5), ("match", 9, 40), ("st11", 5, 900), ("persist", 0, -900)):
        db.rows("INSERT INTO dramatiq.queue (message_id, queue_name, state, priority, eta) VALUES (gen_random_uuid(),"
                " %s, 'queued', %s, lps.now() - %s * interval '1 s')", queue, priority, age)  # fmt: skip
    operate.pause("st11", who="kim", reason="x")
    with db.pool.autocommit() as cur:
        assert 40 <= ops.snapshot(cur).oldest_pending_sec < 45


@pytest.mark.chaos
def test_the_numbers_stay_fast_with_a_million_finished_jobs(market: ScriptedMarket, db: Database) -> None:
    """Counted through an index: what finished long ago costs next to nothing, and long results nothing at all."""
    db.rows("INSERT INTO job (status, product_code, product_name, dedupe_key, deadline_at, trace_id, result,"
            " created_at, finished_at) SELECT 3, '', '', n::text, now(), '', jsonb_build_object('x', repeat('y', 200)),"
            " now() - interval '2 days', now() - interval '2 days' FROM generate_series(1, 1000000) n")  # fmt: skip
    db.rows("INSERT INTO dramatiq.queue (message_id, queue_name, state, eta) SELECT gen_random_uuid(), 'naver',"
            " 'queued', now() FROM generate_series(1, 200000)")  # fmt: skip
    connection = db.pool.dedicated()
    with connection.cursor() as cur:
        cur.execute("VACUUM ANALYZE job")
        cur.execute("VACUUM ANALYZE dramatiq.queue")
        took = []
        for _ in range(5):
            began = time.monotonic()
            assert 1_000_000 == ops.snapshot(cur).counts["DONE"]
            took.append(time.monotonic() - began)
    connection.close()
    assert sorted(took)[2] < 0.2, took
