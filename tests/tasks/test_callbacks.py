"""Callbacks on the real queue: told at every end, once an event, logged, redelivered."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any

import pytest

import config
from store.jobs import Asker
from tests.alerts.test_callback import Receiver, receiving, status
from tests.tasks.conftest import ENV, WATER, offer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from http.server import BaseHTTPRequestHandler

    from tests.conftest import Database
    from tests.tasks.conftest import Bench, ScriptedMarket

SECRET = {"LPS_OUTBOX__SECRET": "operators own", "LPS_OUTBOX__INTERNAL_HOSTS": "127.0.0.1"}


@pytest.fixture
def receiver(db: Database, market: ScriptedMarket) -> Iterator[Receiver]:
    """A receiver on loopback, which the operator has named, and secrets to sign with."""
    from tasks.runtime import runtime

    runtime.use(config.load(env=ENV | SECRET), db.pool, market)
    market.script["naver"] = [(offer("naver", 9000),)]
    with receiving(status(200)) as running:
        yield running


def in_turn(*codes: int) -> Callable[[BaseHTTPRequestHandler], None]:
    """An answer of each of these statuses, one after the other."""
    left = list(codes)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        status(left.pop(0))(handler)

    return answer


def asker(receiver: Receiver) -> Asker:
    """Somebody who wants to be told."""
    return Asker(callback_url=f"http://127.0.0.1:{receiver.port}/in", signer="key:7")


def delivered(db: Database, bench: Bench, count: int = 1) -> list[Any]:
    """The state of the outbox once so many deliveries have ended."""
    with db.pool.transaction() as cur:
        for _ in range(300):
            cur.execute("SELECT count(*) FROM outbox WHERE sent_at IS NOT NULL OR failed_at IS NOT NULL")
            if cur.fetchone()[0] >= count:
                break
            cur.execute("SELECT pg_sleep(0.05)")
    return db.rows("SELECT sent_at IS NOT NULL, status, attempts FROM outbox ORDER BY created_at")


def test_the_end_of_a_search_is_told_and_signed(bench: Bench, db: Database, receiver: Receiver) -> None:
    """One POST with the result, its event id and a signature of the key's own secret."""
    from tasks.letters import signing_secrets

    job = bench.search(asker=asker(receiver))
    assert [(True, 200, 1)] == delivered(db, bench)
    _, headers, body = receiver.seen[0]
    told = json.loads(body)
    assert (job.job_id, "job.finished", 9000) == (told["job_id"], told["event"], told["result"]["lowest"]["price"])
    assert told["event_id"] == headers["LPS-Event-Id"]
    at, mark = (part.split("=", 1)[1] for part in headers["LPS-Signature"].split(","))
    secret = signing_secrets("key:7")[0].encode()
    assert hmac.new(secret, f"{at}.".encode() + body, hashlib.sha256).hexdigest() == mark


def test_whoever_joins_a_search_is_told_too(db: Database, market: ScriptedMarket, receiver: Receiver) -> None:
    """Two who wait for one search get a message each; who asks for a stored answer gets it at once."""
    from tasks import ends
    from tasks.submit import submit

    first = submit(WATER, asker=asker(receiver))
    other = Asker(callback_url=f"http://127.0.0.1:{receiver.port}/other", signer="key:8")
    assert submit(WATER, asker=other).deduped
    with db.pool.transaction() as cur:
        from store import jobs

        jobs.finish(cur, first.job_id, {"outcome": "found", "complete": True})
        ends.ended(cur, first.job_id)
    assert [(2,)] == db.rows("SELECT count(*) FROM outbox")
    third = Asker(callback_url=f"http://127.0.0.1:{receiver.port}/third", signer="key:9")
    assert submit(WATER, asker=third).cached
    assert [(3,)] == db.rows("SELECT count(*) FROM outbox")


def test_a_cancelled_search_is_told(db: Database, market: ScriptedMarket, receiver: Receiver) -> None:
    """Nobody waits for what will not come."""
    from tasks import operate
    from tasks.submit import submit

    job_id = submit(WATER, asker=asker(receiver)).job_id
    operate.cancel(job_id, who="alice", reason="test")
    assert [("cancelled",)] == db.rows("SELECT body->>'state' FROM outbox")


def test_a_receiver_that_fails_is_tried_again(bench: Bench, db: Database, market: ScriptedMarket) -> None:
    """503, then 200: two tries in the log, one event id."""
    from tasks.runtime import runtime

    runtime.use(config.load(env=ENV | SECRET), db.pool, market)
    runtime.broker.actors["callback"].options["min_backoff"] = 50
    with receiving(in_turn(503, 200)) as receiver:
        bench.search(asker=asker(receiver))
        assert [(True, 200, 2)] == delivered(db, bench)
    ids = {headers["LPS-Event-Id"] for _, headers, _ in receiver.seen}
    assert 1 == len(ids)
    assert [(1, 503), (2, 200)] == db.rows("SELECT try, status FROM outbox_try ORDER BY try")


def test_a_final_refusal_is_not_tried_again_but_can_be_redelivered(
    bench: Bench, db: Database, market: ScriptedMarket
) -> None:
    """404 ends it; a person may have it delivered once more, by its owner only, and a second click adds nothing."""
    from tasks.letters import redeliver
    from tasks.runtime import runtime

    runtime.use(config.load(env=ENV | SECRET), db.pool, market)
    with receiving(in_turn(404, 200)) as receiver:
        bench.search(asker=asker(receiver))
        assert [(False, 404, 1)] == delivered(db, bench)
        outbox_id = str(db.rows("SELECT outbox_id FROM outbox")[0][0])
        assert not redeliver(outbox_id, signer="key:8")
        assert redeliver(outbox_id, signer="key:7")
        assert [(True, 200, 2)] == delivered(db, bench)


def test_after_its_hours_it_is_given_up(db: Database, market: ScriptedMarket, receiver: Receiver) -> None:
    """The log says why."""
    from tasks import operate
    from tasks.callback import callback
    from tasks.submit import submit

    operate.cancel(submit(WATER, asker=asker(receiver)).job_id, who="a", reason="b")
    db.rows("UPDATE outbox SET until = lps.now() - interval '1 s'")
    outbox_id = str(db.rows("SELECT outbox_id FROM outbox")[0][0])
    callback.fn(outbox_id)
    assert [(True, "not taken within 6 hours")] == db.rows("SELECT failed_at IS NOT NULL, answer FROM outbox")
    assert [] == receiver.seen


def test_without_a_secret_nobody_can_ask() -> None:
    """An unsigned message could be anybody's."""
    from tasks.letters import NotConfigured, check

    with pytest.raises(NotConfigured, match="LPS_OUTBOX__SECRET"):
        check("https://example.com/")


def test_two_secrets_hold_while_they_are_changed(db: Database, market: ScriptedMarket) -> None:
    """The newest first; each signer has its own."""
    from tasks.letters import signing_secrets
    from tasks.runtime import runtime

    env = ENV | {"LPS_OUTBOX__SECRET": "new", "LPS_OUTBOX__PREVIOUS_SECRET": "old"}
    runtime.use(config.load(env=env), db.pool, market)
    both = signing_secrets("key:7")
    runtime.use(config.load(env=ENV | {"LPS_OUTBOX__SECRET": "old"}), db.pool, market)
    assert signing_secrets("key:7") == both[1:]
    assert signing_secrets("key:8") != both[1:]
