"""Files of products: judged before they are searched, fed a few at a time, and ended once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from model import Priority
from store import batches, jobs
from tests.tasks.conftest import offer

if TYPE_CHECKING:
    from store.batches import Batch
    from tests.conftest import Database
    from tests.tasks.conftest import Bench, ScriptedMarket

FILE = """상품명,규격,상품코드,메모
맑은샘 생수 2L,6개,W1,a
 맑은샘  생수 2L ,6개,W1,the same
,6개,W2,no name
!!!,,W3,no letter
맑은샘 생수 500ml,20개,W4,b
"""


def preview(text: str = FILE) -> str:
    """The id of a batch made of this text."""
    from tasks import bulk

    return bulk.preview(text.encode(), bulk.Owner(who="alice"), name="", file_name="file.csv")


def many(count: int) -> str:
    """The id of a batch of so many products."""
    return preview("상품명\n" + "".join(f"생수 {n}호\n" for n in range(count)))


def seen(db: Database, batch_id: str) -> Batch:
    """The batch now."""
    with db.pool.autocommit() as cur:
        found = batches.one(cur, batch_id)
    assert found
    return found


def end_open(db: Database) -> int:
    """End every search under way, as persist does, and run what that sends; how many there were."""
    from tasks import bulk, ends

    found = [str(row[0]) for row in db.rows("SELECT job_id FROM job WHERE status IN (1, 2)")]
    for job_id in found:
        with db.pool.transaction() as cur:
            assert jobs.finish(cur, job_id, {"outcome": "not_found", "complete": True})
            ends.ended(cur, job_id)
    for (batch_id,) in db.rows(
        "DELETE FROM dramatiq.queue WHERE message->>'actor_name' = 'bulk' RETURNING message->'args'->>0"
    ):
        bulk.bulk.fn(str(batch_id))
    return len(found)


def test_a_preview_judges_each_row_and_searches_nothing(db: Database, market: ScriptedMarket) -> None:
    """New, duplicate and wrong rows, each wrong one with its column."""
    batch = seen(db, preview())
    assert {"new": 2, "duplicate": 1, "error": 2, "fresh": 0}.items() <= batch.counts.items()
    rows = db.rows("SELECT n, kind, same_as, errors->0->>'column' FROM batch_row ORDER BY n")
    assert [(2, "new", None, None), (3, "duplicate", 2, None), (4, "error", None, "상품명")] == rows[:3]
    assert ("preview", [(0,)]) == (batch.state, db.rows("SELECT count(*) FROM job"))


def test_what_is_known_already_is_fresh(bench: Bench, db: Database, market: ScriptedMarket) -> None:
    """A row whose answer stands is not searched again."""
    market.script["naver"] = [(offer("naver", 9000),)]
    bench.search()
    assert 1 == seen(db, preview()).counts["fresh"]


def test_a_file_without_names_is_refused(market: ScriptedMarket) -> None:
    """A column of product names is needed."""
    from tasks.tablefile import BadFile

    with pytest.raises(BadFile, match="no_name_column"):
        preview("이름없음,수량\nx,1\n")


def test_only_so_many_are_under_way(db: Database, market: ScriptedMarket) -> None:
    """[bulk] at_once at the start and after each end, behind interactive searches, until the last one is over."""
    from tasks import bulk
    from tasks.runtime import runtime

    at_once = runtime.settings.bulk.at_once
    batch_id = many(2 * at_once + 3)
    assert bulk.start(batch_id, who="alice")
    assert [(at_once, int(Priority.BATCH))] == db.rows("SELECT count(*), max(priority) FROM job WHERE status = 1")
    assert at_once == end_open(db)
    assert [(at_once,)] == db.rows("SELECT count(*) FROM job WHERE status = 1")
    assert [at_once, 3] == [end_open(db), end_open(db)]
    batch = seen(db, batch_id)
    assert ("done", 2 * at_once + 3, 0) == (batch.state, batch.counts["done"], batch.counts["waiting"])


def test_a_pause_starts_no_more_and_a_start_goes_on(db: Database, market: ScriptedMarket) -> None:
    """What runs ends; said twice, nothing changes."""
    from tasks import bulk

    batch_id = many(20)
    bulk.start(batch_id, who="alice")
    assert [True, False] == [bulk.pause(batch_id, who="alice") for _ in range(2)]
    end_open(db)
    assert [(0,)] == db.rows("SELECT count(*) FROM job WHERE status = 1")
    assert [True, False] == [bulk.start(batch_id, who="alice") for _ in range(2)]
    assert 0 < end_open(db)


def test_a_cancelled_batch_ends_its_searches(db: Database, market: ScriptedMarket) -> None:
    """Those under way are cancelled, the rest is never searched."""
    from tasks import bulk

    batch_id = many(20)
    bulk.start(batch_id, who="alice")
    assert bulk.cancel(batch_id, who="alice")
    assert [(5,)] == db.rows("SELECT DISTINCT status FROM job")
    assert 0 == end_open(db)
    assert not bulk.start(batch_id, who="alice")
    assert "cancelled" == seen(db, batch_id).state


def test_a_row_that_joins_anothers_search_waits_for_it(db: Database, market: ScriptedMarket) -> None:
    """The batch is done only when that search is."""
    from model import Product
    from tasks import bulk
    from tasks.submit import submit

    other = submit(Product(code=jobs.derived_code("생수 0호", ""), name="생수 0호")).job_id
    batch_id = many(1)
    bulk.start(batch_id, who="alice")
    bulk.keep_going()
    assert [(other,)] == db.rows("SELECT job_id::text FROM batch_row")
    assert "running" == seen(db, batch_id).state
    end_open(db)
    bulk.keep_going()
    assert "done" == seen(db, batch_id).state


def test_a_lost_message_holds_nothing_up(db: Database, market: ScriptedMarket) -> None:
    """The minute's clock feeds what runs."""
    from tasks import bulk

    batch_id = many(20)
    bulk.start(batch_id, who="alice")
    db.rows("UPDATE job SET status = 3, result = '{}', finished_at = lps.now()")
    db.rows("DELETE FROM dramatiq.queue")
    bulk.keep_going()
    assert 0 < end_open(db)


def test_a_worker_searches_a_file_to_its_end(bench: Bench, db: Database, market: ScriptedMarket) -> None:
    """The real queue: every row ends, and the batch after the last one."""
    from tasks import bulk

    market.script["naver"] = [(offer("naver", 9000),)]
    batch_id = preview()
    bulk.start(batch_id, who="alice")
    for job_id in [str(row[0]) for row in db.rows("SELECT job_id FROM batch_row WHERE job_id IS NOT NULL")]:
        bench.wait(job_id)
    with db.pool.transaction() as cur:
        for _ in range(200):
            if seen(db, batch_id).state == "done":
                break
            cur.execute("SELECT pg_sleep(0.05)")
    assert "done" == seen(db, batch_id).state
    assert 1 == seen(db, batch_id).counts["found"]
