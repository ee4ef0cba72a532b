"""The real commands: `dramatiq tasks` and `periodiq periodic`, on the sandbox market, started, killed and doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import config
from model import MALLS, Product
from sandbox.server import Market, serve
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Database

pytestmark = pytest.mark.chaos
RICE = Product(code="C1", name="햇반 백미밥 210g", specification="24개")
BIN = Path(sys.executable).parent


def environment(database: Database, market: Market) -> dict[str, str]:
    """LPS on this test's database and market, every mall by plain HTTP."""
    urls = market.base_urls()
    env = {
        "PATH": os.environ["PATH"],
        "LPS_DATABASE__URL": database.url,
        "LPS_DATABASE__NAME": database.url.rsplit("/", 1)[1],
        "LPS_SANDBOX__ON": "true",
        "LPS_SEARCH__FALLBACK": "always",
        "LPS_QUEUE__LEASE_S": "2",
        "LPS_WORKER__HEARTBEAT_FILE": "",
        "LPS_ST11__SHOP_URL": urls["st11"],
        "NAVER_KEYS": "sandbox:sandbox",
    }
    for mall in MALLS:
        env[f"LPS_{mall.upper()}__BASE_URL"] = urls[mall]
        if mall != "naver":
            env |= {f"LPS_{mall.upper()}__FETCHER": "http", f"LPS_{mall.upper()}__OPERATOR_ACCEPTS_TERMS": "true"}
    return env


@pytest.fixture
def market() -> Iterator[Market]:
    """The sandbox market, answering after 300 ms so that there is a middle to be killed in."""
    with serve(latency_ms=300) as market:
        yield market


@contextmanager
def command(*words: str, env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """One command in a process group of its own, ended with everything it started."""
    with subprocess.Popen(
        [BIN / words[0], *words[1:]],
        cwd=ROOT,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            kill(process, signal.SIGKILL)


def kill(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the whole group, if it is still there."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return


def until(condition: Callable[[], object], seconds: float, what: str) -> None:
    """Wait for a condition on the database.

    Raises:
        AssertionError: it does not hold within the time.
    """
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def submit(database: Database, env: dict[str, str], product: Product = RICE) -> str:
    """Submit as web and command line do."""
    from tasks.runtime import runtime
    from tasks.submit import submit as start

    was = runtime.settings
    runtime.use(config.load(env=env), database.pool)
    job_id = start(product, again=True).job_id
    runtime.use(was)
    return job_id


def ended_once(database: Database, job_id: str) -> None:
    """The search is DONE and found, with one row of history and every mall read once."""
    until(lambda: database.rows("SELECT 1 FROM job WHERE job_id = %s AND status = 3", job_id), 40, "the search ends")
    assert [("found",)] == database.rows("SELECT result->>'outcome' FROM job WHERE job_id = %s", job_id)
    assert [(1,)] == database.rows("SELECT count(*) FROM price_history WHERE job_id = %s", job_id)
    assert [(5,)] == database.rows("SELECT count(*) FROM job_source WHERE job_id = %s AND outcome = 'ok'", job_id)


@pytest.mark.parametrize("stage", ["coupang", "gmarket"])
def test_a_search_survives_its_worker_being_killed(db: Database, market: Market, stage: str) -> None:
    """SIGKILL in the middle of a mall: another worker takes over after the lease, and the search ends once."""
    env = environment(db, market)
    with ExitStack() as stack:
        first = stack.enter_context(command("dramatiq", "tasks", "-p", "1", env=env))
        job_id = submit(db, env)
        running = "SELECT 1 FROM dramatiq.queue WHERE queue_name = %s AND state = 'consumed'"
        until(lambda: db.rows(running, stage), 20, f"{stage} is being read")
        kill(first, signal.SIGKILL)
        stack.enter_context(command("dramatiq", "tasks", "-p", "1", env=env))
        ended_once(db, job_id)
    lost = "SELECT count(*) FROM attempt WHERE job_id = %s AND error_type = 'WorkerGoneError'"
    assert (0,) < db.rows(lost, job_id)[0]


def test_two_workers_and_the_clock_started_by_hand(db: Database, market: Market) -> None:
    """What the operations document says to type does the same as `lps up`; each tick happens once."""
    env = environment(db, market)
    with ExitStack() as stack:
        for words in (("dramatiq", "tasks", "-p", "2"), ("periodiq", "periodic"), ("periodiq", "periodic")):
            stack.enter_context(command(*words, env=env))
        jobs = [submit(db, env, Product(code=f"C{n}", name=RICE.name, specification="24개")) for n in range(4)]
        for job_id in jobs:
            ended_once(db, job_id)
        ticks = "SELECT stage, count(DISTINCT message_id), count(*) FROM attempt WHERE stage = 'reap' GROUP BY stage"
        until(lambda: db.rows(ticks), 20, "the clock ticks")
    _, messages, runs = db.rows(ticks)[0]
    assert messages == runs


@pytest.mark.parametrize("words", [("dramatiq", "tasks", "-p", "1"), ("periodiq", "periodic")])
def test_worker_and_clock_refuse_a_database_without_schema(
    server_url: str, market: Market, words: tuple[str, ...]
) -> None:
    """One line, exit ≠ 0, nothing half-started."""
    from tests.conftest import Database, fresh_database

    with fresh_database(server_url, "lps_test_bare") as url:
        env = environment(Database(url, None), market)  # type: ignore[arg-type]  # no pool is opened
        run = subprocess.run(
            [BIN / words[0], *words[1:]],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert run.returncode != 0
    assert "lps migrate" in run.stderr
    assert "Traceback" not in run.stderr
