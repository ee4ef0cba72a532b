"""Whole searches through the proxy: what they cost is in their result, and a worker's start says whether it carries."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from model import Product
from tests.conftest import ROOT
from tests.tasks.proxied import world

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Database
    from tests.tasks.conftest import Bench
    from tests.tasks.proxied import World

RICE = Product(code="R1", name="햇반 백미밥 210g", specification="24개")


@contextmanager
def proxied(db: Database, **more: str) -> Iterator[World]:
    """The runtime of this process reads the malls through a gate; Naver is left out. Keywords are further settings."""
    from tasks.runtime import runtime

    was = runtime.settings
    said: dict[str, Any] = {"LPS_NAVER__ENABLED": "false", "LPS_SEARCH__FALLBACK": "always", **more}
    with world(db, **said, LPS_PROXY__USD_PER_GB="8") as made:
        runtime.use(made.settings, db.pool, made.crawler)
        yield made
        runtime.use(was)


@pytest.fixture
def here(db: Database, bench: Bench) -> Iterator[World]:
    """As above, under a running worker."""
    del bench
    with proxied(db) as made:
        yield made


def test_a_result_says_what_went_through_the_proxy(bench: Bench, here: World) -> None:
    """Every byte of the gate's own count, refused tries included, at the plan's price; the ledger agrees."""
    here.market.set_scenario("gmarket", "block403", "first=1")
    metrics = bench.done(RICE)["metrics"]
    billed = here.gate.total_bytes()
    assert billed == metrics["crawl"]["proxy_bytes"]
    # The ledger keeps each payment to a hundred-millionth of a dollar.
    assert pytest.approx(billed * 8 / 10**9, abs=1e-7) == metrics["cost"]["proxy_usd"]
    usd, stages = here.rows("SELECT sum(settled_usd), array_agg(DISTINCT stage ORDER BY stage) FROM spend")[0]
    assert float(usd) == metrics["cost"]["proxy_usd"]
    assert ["auction", "coupang", "gmarket", "st11"] == stages
    job_id = here.rows("SELECT job_id::text FROM job")[0][0]
    assert [("gmarket", job_id)] == here.rows("SELECT mall, job_id::text FROM bot_detection")


def test_a_blocked_mall_is_not_tried_again_by_the_queue(bench: Bench, here: World) -> None:
    """One stage, one try, three addresses: two budgets never multiply."""
    here.market.set_scenario("coupang", "http429")
    result = bench.done(RICE)
    assert ("blocked", "http_429") == tuple(result["sources"]["coupang"][key] for key in ("outcome", "kind"))
    assert 3 == here.market.counts()["coupang"]["searches"]
    assert [(1,)] == here.rows("SELECT max(try) FROM attempt WHERE stage = 'coupang'")


def test_a_search_that_would_pass_its_cap_leaves_the_mall_out(db: Database, bench: Bench) -> None:
    """No byte is sent that the budget does not leave."""
    with proxied(db, LPS_MONEY__JOB_CAP_USD="0.0001") as here:
        job = bench.search(RICE)
        assert "budget does not leave" in (job.error or "")
        assert [("over_budget",)] == here.rows("SELECT DISTINCT kind FROM job_source WHERE mall <> 'naver'")
        assert 0 == here.gate.total_bytes()


@pytest.mark.parametrize(
    ("password", "line"),
    [("sandbox", "DECODO 프리플라이트 OK — egress IP 127.100.0.1"), ("wrong", "DECODO 프리플라이트 실패 — ")],
)
def test_a_workers_start_says_whether_the_proxy_carries(db: Database, password: str, line: str) -> None:
    """One line with the address it goes out from, or why it does not; the worker works on."""
    with world(db, DECODO_PASSWORD=password) as made:
        env = {"PATH": "/usr/bin:/bin", "LPS_DATABASE__URL": db.url, "LPS_DATABASE__NAME": db.url.rsplit("/", 1)[1]}
        said = {"LPS_WORKER__HEARTBEAT_FILE": "", "PYTHONUNBUFFERED": "1"}
        proxy = {name: text for name, text in made.environment.items() if name.startswith(("DECODO_", "LPS_"))}
        command = [sys.executable, "-m", "dramatiq", "tasks", "-p", "1", "-t", "2", "-Q", "st11"]
        worker = subprocess.Popen(
            command, cwd=ROOT, env=env | proxy | said, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            assert worker.stdout
            until = time.monotonic() + 60
            lines: list[str] = []
            while time.monotonic() < until and not any(line in one for one in lines):
                one = worker.stdout.readline()
                assert one, lines
                lines.append(one)
            assert not any("wrong" in one for one in lines)
        finally:
            worker.terminate()
            worker.communicate(timeout=30)
