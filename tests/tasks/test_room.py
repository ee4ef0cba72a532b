"""How many read a mall at once and how soon one request follows another, whatever the number of machines."""

from __future__ import annotations

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import config
from model import Product
from tasks.queue import Delivery, limits
from tests.tasks.conftest import ENV, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from tests.conftest import Database


def _settings(market: ScriptedMarket, db: Database, **more: str) -> None:
    from tasks.runtime import runtime

    runtime.use(config.load(env=ENV | more), db.pool, market)


def _products(n: int) -> list[Product]:
    return [Product(code=f"R{i}", name="맑은샘 생수 2L", specification="6개") for i in range(n)]


def test_no_more_read_a_mall_than_may(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """The others wait in the queue, uncounted, and every search is complete in the end."""
    _settings(market, db, LPS_COUPANG__MAX_AT_ONCE="1", LPS_NAVER__MAX_AT_ONCE="1")
    running, most, lock = [0], [0], threading.Lock()

    def read(_deadline: float) -> list[object]:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.1)
        with lock:
            running[0] -= 1
        return [offer("naver", 5_000)]

    market.script["naver"] = [read]
    from tasks.submit import submit

    jobs = [submit(product).job_id for product in _products(4)]
    assert all((bench.wait(job).result or {})["complete"] for job in jobs)
    assert [1] == most
    assert [(1,)] == db.rows("SELECT max(attempts) FROM dramatiq.queue")


def test_requests_to_a_mall_keep_their_distance(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Each takes the next turn; none is taken twice."""
    _settings(market, db, LPS_NAVER__MIN_GAP_S="0.2")
    begun: list[float] = []

    def read(_deadline: float) -> list[object]:
        begun.append(time.monotonic())
        return [offer("naver", 5_000)]

    market.script["naver"] = [read]
    from tasks.submit import submit

    for job in [submit(product).job_id for product in _products(4)]:
        bench.wait(job)
    gaps = [later - earlier for earlier, later in itertools.pairwise(begun)]
    assert min(gaps) > 0.15
    assert max(gaps) < 2


def test_turns_are_handed_out_once_each(db: Database) -> None:
    """Eight at the same time get eight different moments; who would come too late takes none."""

    def one(_n: int) -> float | None:
        with db.pool.autocommit() as cur:
            return limits.turn(cur, "coupang", gap_s=1, most_s=5.5)

    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(one, range(8)))
    given = sorted(wait for wait in waits if wait is not None)
    assert [0, 1, 2, 3, 4, 5] == [round(wait) for wait in given]


def test_a_slot_is_free_when_its_holder_runs_no_more(db: Database) -> None:
    """However it ended, and though nobody gave it back: counters cannot drift."""
    first, second = _running(db), _running(db)

    def enter(delivery: Any) -> bool:
        with db.pool.transaction() as cur:
            return limits.slot(cur, "coupang", delivery, most=1)

    assert (True, False) == (enter(first), enter(second))
    db.rows("UPDATE dramatiq.queue SET fence = fence + 1 WHERE message_id = %s", first.message_id)
    assert (True, False) == (enter(second), enter(_running(db)))


def _running(db: Database) -> Any:
    """What `limits` reads of a delivery, with its row."""
    message_id = str(uuid4())
    db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, owner, lease_until, fence)"
        " VALUES (%s, 'coupang', 'consumed', gen_random_uuid(), lps.now(), 1)",
        message_id,
    )
    holder = Delivery.__new__(Delivery)
    holder.message_id, holder.fence = message_id, 1
    return holder
