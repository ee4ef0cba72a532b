"""Ending a worker whose stage does not end: it is given back within 25 s, whatever dramatiq would wait."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from sandbox.server import serve
from tasks.queue import LpsBroker
from tests.chaos.test_workers import BIN, environment, until
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Database

pytestmark = pytest.mark.chaos
HANGS = """
import threading
import dramatiq
import tasks

@dramatiq.actor(queue_name="naver", actor_name="hang")
def hang(job_id):
    threading.Event().wait()
"""


def test_a_stage_that_hangs_does_not_hold_a_stopping_worker(db: Database, tmp_path: Path) -> None:
    """Though dramatiq would wait for ten minutes: the stage is queued again, uncounted, and the process is gone."""
    (tmp_path / "hangs.py").write_text(HANGS)
    broker = LpsBroker(pool=db.pool)
    broker.enqueue(broker.message("hang", job=uuid4()).copy(queue_name="naver"))
    words = [str(BIN / "dramatiq"), "hangs", "-p", "1", "-t", "4", "--path", str(tmp_path), str(ROOT)]
    with serve() as market:
        env = environment(db, market) | {"LPS_QUEUE__LEASE_S": "30"}
        worker = subprocess.Popen(words, cwd=ROOT, env=env, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            until(lambda: db.rows("SELECT 1 FROM dramatiq.queue WHERE state = 'consumed'"), 20, "it begins")
            began = time.monotonic()
            worker.send_signal(signal.SIGTERM)
            worker.wait(60)
            assert time.monotonic() - began <= 25
        finally:
            if worker.poll() is None:
                os.killpg(worker.pid, signal.SIGKILL)
                worker.wait()
    assert [("queued", 0)] == db.rows("SELECT state::text, attempts FROM dramatiq.queue")
    assert [("released",)] == db.rows("SELECT outcome FROM attempt")
