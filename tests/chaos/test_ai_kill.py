"""A worker that is killed while a model answers: the pair may be paid for twice, and the ledger says so."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from model import Product
from store import spend
from tests.chaos.test_workers import command, environment, kill, market, submit, until

if TYPE_CHECKING:
    from sandbox.server import Market
    from tests.conftest import Database

pytestmark = pytest.mark.chaos
TONER = Product(code="C2", name="삼성전자 정품 토너 MLT-D111S", specification="1개")
"""A product with open offers that could be the lowest."""
__all__ = ["market"]


def test_a_kill_during_a_call_pays_again_and_the_ledger_shows_both(db: Database, market: Market) -> None:
    """The first payment stays open, is written off at its worst case, and counts; the second is settled."""
    env = environment(db, market) | {
        "OPENAI_API_KEY": "k",
        "LPS_AI__BASE_URL": f"{market.url}/ai/v1",
        "LPS_ALERT__WEBHOOK": "",
    }
    market.oracle.fail("timeout", "first=1")
    with ExitStack() as stack:
        first = stack.enter_context(command("dramatiq", "tasks", "-p", "1", "-t", "4", env=env))
        job_id = submit(db, env, TONER)
        until(lambda: market.oracle.counts()["requests"], 40, "the model is being asked")
        kill(first, signal.SIGKILL)
        stack.enter_context(command("dramatiq", "tasks", "-p", "1", "-t", "4", env=env))
        until(lambda: db.rows("SELECT 1 FROM job WHERE job_id = %s AND status = 3", job_id), 40, "the search ends")
    assert [("ai",)] == db.rows("SELECT result->>'mode' FROM job WHERE job_id = %s", job_id)
    with db.pool.transaction() as cur:
        paid = spend.ledger(cur, job_id)
        assert [True, False] == [payment.settled_usd is None for payment in paid][:2]
        assert (1, 1) == (spend.write_off(cur, -1), spend.leaks(cur))
        spent = spend.of_job(cur, job_id)
    assert spent.ai_usd == paid[0].reserved_usd + sum(payment.settled_usd or 0 for payment in paid[1:])
