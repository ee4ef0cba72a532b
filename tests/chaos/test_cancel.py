"""Cancelling a search that a real worker process reads at this moment."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING

import pytest

import config
from sandbox.server import serve
from tasks import operate
from tasks.runtime import runtime
from tests.chaos.test_workers import command, environment, submit, until

if TYPE_CHECKING:
    from tests.conftest import Database

pytestmark = pytest.mark.chaos


def test_a_crawl_in_another_process_stops_within_five_seconds(db: Database) -> None:
    """The mall hangs; the worker hears of the cancellation, hangs up, and goes on with other work."""
    with serve() as market, socket.create_server(("127.0.0.1", 0)) as hangs:
        env = environment(db, market)
        hanging = env | {"LPS_COUPANG__BASE_URL": f"http://127.0.0.1:{hangs.getsockname()[1]}"}
        hangs.settimeout(30)
        with command("dramatiq", "tasks", "-p", "1", "-t", "4", env=hanging):
            job_id = submit(db, env)
            line, _ = hangs.accept()
            was = runtime.settings
            runtime.use(config.load(env=env), db.pool)
            began = time.monotonic()
            assert operate.cancel(job_id, who="kim", reason="too slow").changed
            runtime.use(was)
            line.settimeout(5)
            while line.recv(4096):
                pass
            assert time.monotonic() - began < 5
            line.close()
            until(lambda: not db.rows("SELECT 1 FROM dramatiq.queue WHERE state <> 'done'"), 5, "nothing is left")
    assert [("cancelled",)] == db.rows("SELECT outcome FROM attempt WHERE stage = 'coupang'")
    assert [(5,)] == db.rows("SELECT status FROM job")
