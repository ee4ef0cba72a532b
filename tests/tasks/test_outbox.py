"""Telling the operator's other system: a real receiver on loopback, with its moods."""

from __future__ import annotations

import http.server
import json
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import config
from model import JobStatus
from tests.tasks.conftest import ENV, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Database


class Receiver(http.server.ThreadingHTTPServer):
    """Answers with the next status of its list, the last one for ever, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.statuses = [200]
        self.bodies: list[dict[str, Any]] = []


class Answer(http.server.BaseHTTPRequestHandler):
    """One delivery."""

    server: Receiver

    def do_POST(self) -> None:
        """Keep the body, answer the status."""
        self.server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        statuses = self.server.statuses
        self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def receiver(market: ScriptedMarket, db: Database) -> Iterator[Receiver]:
    """The operator's other system, told of every result."""
    from tasks.runtime import runtime

    with Receiver() as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{receiver.server_port}/lps"
        runtime.use(config.load(env={**ENV, "LPS_OUTBOX__URL": url}), db.pool, market)
        market.script["naver"] = [[offer("naver", 5_000)]]
        yield receiver
        receiver.shutdown()


def ended(db: Database, state: str) -> None:
    """Wait until the outbox message is in this state."""
    end = time.monotonic() + 15
    while not db.rows("SELECT 1 FROM dramatiq.queue WHERE queue_name = 'outbox' AND state::text = %s", state):
        assert time.monotonic() < end, f"the outbox message is not {state}"


def test_a_result_is_sent_once_it_is_stored(receiver: Receiver, bench: Bench, db: Database) -> None:
    """The body is the job with its result."""
    job = bench.search()
    ended(db, "done")
    assert JobStatus.DONE is job.status
    assert [(job.job_id, "found")] == [(body["job_id"], body["result"]["outcome"]) for body in receiver.bodies]


def test_a_busy_receiver_is_asked_again(receiver: Receiver, bench: Bench, db: Database) -> None:
    """5xx and 429 are not final."""
    receiver.statuses = [429, 200]
    bench.search()
    ended(db, "done")
    assert 2 == len(receiver.bodies)


def test_a_refusing_receiver_is_not(receiver: Receiver, bench: Bench, db: Database) -> None:
    """404 cannot be mended by asking again: the message is dead, the search is not."""
    receiver.statuses = [404]
    job = bench.search()
    ended(db, "rejected")
    assert JobStatus.DONE is job.status
    assert 1 == len(receiver.bodies)


def test_a_redirect_is_not_followed(receiver: Receiver, bench: Bench, db: Database) -> None:
    """Where a result goes is the operator's decision alone."""
    receiver.statuses = [302]
    bench.search()
    ended(db, "rejected")
    assert 1 == len(receiver.bodies)
