"""The ledger: nothing is spent that no budget had left."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from errors import OverBudget
from model import Priority, Product
from store import jobs, spend
from store.pool import Pool

if TYPE_CHECKING:
    from tests.conftest import Database

CENT = Decimal("0.01")
FREE = spend.Caps()


def _used(db: Database, scope: str) -> Decimal:
    return Decimal(str(db.rows("SELECT coalesce(sum(used_usd), 0) FROM budget WHERE scope = %s", scope)[0][0]))


@pytest.mark.parametrize("scope", ["day", "hour", "job"])
def test_sixteen_threads_get_exactly_what_the_cap_leaves(db: Database, scope: str) -> None:
    """A cap for five payments grants five of sixteen that come at once."""
    caps = spend.Caps(**{f"{scope}_usd": 5 * CENT})
    job_id, start, pool = str(uuid.uuid4()), threading.Barrier(16), Pool(db.url, size=16)

    def pay(_: int) -> bool:
        start.wait(10)
        try:
            return bool(spend.reserve(pool, caps, kind="ai", stage="match", usd=CENT, job_id=job_id))
        except OverBudget:
            return False

    with ThreadPoolExecutor(16) as threads:
        granted = sum(threads.map(pay, range(16)))
    pool.close()
    assert (5, 5 * CENT, [(5,)]) == (granted, _used(db, scope), db.rows("SELECT count(*) FROM spend"))


def test_a_refused_payment_takes_nothing_from_any_budget(db: Database) -> None:
    """The day had room, the search had not: the day is as it was."""
    caps = spend.Caps(day_usd=Decimal(1), job_usd=CENT)
    with pytest.raises(OverBudget, match="the job's budget"):
        spend.reserve(db.pool, caps, kind="ai", stage="match", usd=2 * CENT, job_id=str(uuid.uuid4()))
    assert _used(db, "day") == 0
    assert [(0,)] == db.rows("SELECT count(*) FROM spend")


def test_settling_gives_back_what_was_not_used_once(db: Database) -> None:
    """The worst case is replaced by what it cost; a second settlement changes nothing."""
    caps = spend.Caps(hour_usd=CENT)
    paid = spend.reserve(db.pool, caps, kind="ai", stage="match", usd=CENT)
    assert spend.settle(db.pool, paid, CENT / 4, {"calls": 1})
    assert not spend.settle(db.pool, paid, CENT)
    assert CENT / 4 == _used(db, "hour")
    spend.reserve(db.pool, caps, kind="ai", stage="match", usd=CENT * 3 / 4)
    with pytest.raises(OverBudget):
        spend.reserve(db.pool, caps, kind="ai", stage="match", usd=Decimal("0.00000001"))


def test_a_payment_that_nobody_settles_is_written_off_and_may_be_put_right(db: Database) -> None:
    """A dead worker's reservation counts at its worst case; if it lives after all, its word holds."""
    caps = spend.Caps(hour_usd=CENT)
    paid = spend.reserve(db.pool, caps, kind="proxy", stage="coupang", usd=CENT)
    with db.pool.transaction() as cur:
        assert (0, 1, 1) == (spend.write_off(cur, 60), spend.write_off(cur, -1), spend.leaks(cur))
        assert spend.full(cur, caps, CENT) == "hour"
    assert spend.settle(db.pool, paid, Decimal(0))
    with db.pool.transaction() as cur:
        assert (0, None) == (spend.leaks(cur), spend.full(cur, caps, CENT))


def test_a_key_pays_no_more_than_its_own_day(db: Database) -> None:
    """The budget of the API key that asked for the search binds like any other."""
    with db.pool.transaction() as cur:
        job_id = jobs.submit(
            cur, Product(code="k", name="k"), priority=Priority.INTERACTIVE, deadline_s=60, trace_id="t", options={}
        )
        cur.execute(
            "INSERT INTO api_key (prefix, key_hash, name, scopes, daily_budget_usd) VALUES ('p', '', 'n', '{}', 0.01)"
            " RETURNING api_key_id"
        )
        cur.execute("UPDATE job SET api_key_id = %s WHERE job_id = %s", (cur.fetchone()[0], job_id))
    spend.reserve(db.pool, FREE, kind="ai", stage="match", usd=CENT, job_id=job_id)
    with pytest.raises(OverBudget, match="the key's budget"):
        spend.reserve(db.pool, FREE, kind="ai", stage="match", usd=CENT, job_id=job_id)


def test_a_search_adds_up_what_it_paid(db: Database) -> None:
    """Settled, open and discarded payments alike."""
    job_id = str(uuid.uuid4())
    one = spend.reserve(db.pool, FREE, kind="ai", stage="match", usd=CENT, job_id=job_id)
    spend.settle(db.pool, one, CENT / 2, {"calls": 1, "input_tokens": 900, "output_tokens": 40, "cached_tokens": 100})
    spend.reserve(db.pool, FREE, kind="ai", stage="match", usd=CENT, job_id=job_id, detail={"calls": 1})
    with db.pool.transaction() as cur:
        spent = spend.of_job(cur, job_id)
        assert [CENT / 2, None] == [payment.settled_usd for payment in spend.ledger(cur, job_id)]
    assert (CENT * 3 / 2, CENT * 0, 2, 900) == (spent.ai_usd, spent.proxy_usd, spent.calls, spent.input_tokens)
