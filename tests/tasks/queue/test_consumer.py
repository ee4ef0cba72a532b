"""Claiming: once each, only for free threads, never a poison, never while paused."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dramatiq

from tasks.queue import current_message, pauses

if TYPE_CHECKING:
    from tasks.queue import DeadMessage, LpsBroker
    from tests.tasks.queue.conftest import Rig


def _gate(broker: LpsBroker, *queues: str) -> tuple[threading.Event, list[str]]:
    """Actors that wait at a gate, and the list of those that have begun."""
    gate, begun = threading.Event(), []

    for queue in queues:

        @dramatiq.actor(broker=broker, queue_name=queue, actor_name=queue)
        def wait(_job: str) -> None:
            begun.append(current_message().queue)
            gate.wait(10)

    return gate, begun


def _fill(broker: LpsBroker, queue: str, n: int) -> None:
    with broker.pool.transaction() as cur:
        broker.enqueue_in(cur, *[broker.message(queue, job=uuid4()) for _ in range(n)])


def test_nothing_is_claimed_before_a_thread_is_free(rig: Rig) -> None:
    """What this process cannot begin stays for the others, and a cap holds however many threads idle."""
    broker = rig.broker(caps={"coupang": 1})
    gate, begun = _gate(broker, "coupang", "naver")
    _fill(broker, "coupang", 3)
    rig.work(broker, threads=3)
    rig.wait(lambda: begun)
    _fill(broker, "naver", 3)
    rig.wait(lambda: len(begun) == 3)
    assert sorted(begun) == ["coupang", "naver", "naver"]
    assert sorted(rig.states()) == ["consumed"] * 3 + ["queued"] * 3
    gate.set()
    rig.wait(lambda: rig.states() == ["done"] * 6)


def test_eight_workers_claim_no_message_twice(rig: Rig) -> None:
    """Eight consumers fall upon 200 messages: each runs once, first try."""
    begun: list[str] = []
    brokers = [rig.broker() for _ in range(8)]
    for broker in brokers:

        @dramatiq.actor(broker=broker, queue_name="naver", actor_name="naver")
        def note(_job: str) -> None:
            begun.append(current_message().message_id)

    _fill(brokers[0], "naver", 200)
    for broker in brokers:
        rig.work(broker, threads=2)
    rig.wait(lambda: rig.states() == ["done"] * 200)
    assert len(begun) == len(set(begun)) == 200
    assert rig.db.rows("SELECT DISTINCT attempts, fence FROM dramatiq.queue") == [(1, 1)]


def _insert(rig: Rig, message: str | None) -> None:
    rig.db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, message) VALUES (%s, 'naver', 'queued', %s)",
        str(uuid4()),
        message,
    )


def test_a_poison_row_is_rejected_with_its_reason_and_the_consumer_lives(rig: Rig) -> None:
    """Undecodable, null, of an unknown actor, or lying about its queue: none stops the queue."""
    told: list[DeadMessage] = []
    broker = rig.broker(on_dead=lambda _cur, dead: told.append(dead))
    gate, begun = _gate(broker, "naver")
    gate.set()
    fields = '"args": ["x"], "kwargs": {}, "message_id": "y", "message_timestamp": 1, "queue_name": "elsewhere"'
    for poison in (None, "{}", "[1]", '"text"', f'{{"actor_name": "naver", "options": null, {fields}}}'):
        _insert(rig, poison)
    _insert(rig, f'{{"actor_name": "gone", "options": {{}}, {fields}}}')
    _insert(rig, f'{{"actor_name": "naver", "options": {{"eta": 9}}, {fields}}}')
    rig.work(broker)
    rig.wait(lambda: sorted(rig.states()) == ["done"] + ["rejected"] * 6)
    assert begun == ["naver"]
    assert sorted(dead.error for dead in told) == ["undecodable message"] * 5 + ["unknown actor 'gone'"]


def test_a_paused_queue_is_left_alone_until_it_is_resumed(rig: Rig) -> None:
    """A pause holds in every process at once, outlives restarts, and ends by notification."""
    broker = rig.broker(poll_s=60)
    gate, begun = _gate(broker, "naver", "match")
    gate.set()
    broker.pause("naver", reason="their API is down", who="kim")
    with broker.pool.transaction() as cur:
        assert [(p.name, p.reason, p.who) for p in pauses.paused(cur)] == [("naver", "their API is down", "kim")]
    _fill(broker, "naver", 2)
    _fill(broker, "match", 1)
    rig.work(broker)
    rig.wait(lambda: sorted(rig.states()) == ["done", "queued", "queued"])
    assert begun == ["match"]
    assert broker.resume("naver", who="kim")
    assert not broker.resume("naver", who="kim")
    rig.wait(lambda: rig.states() == ["done"] * 3, 2)
    assert rig.db.rows("SELECT action, who FROM audit ORDER BY audit_id") == [("pause", "kim"), ("resume", "kim")]


def test_a_stopping_worker_hands_over_at_once(rig: Rig) -> None:
    """What no thread has begun is free for others while the stopping worker still finishes; no try is counted."""
    first, second = rig.broker(), rig.broker()
    gate, begun = _gate(first, "naver")
    later_gate, later = _gate(second, "naver")
    later_gate.set()
    _fill(first, "naver", 1)
    worker = rig.work(first, threads=1)
    rig.wait(lambda: begun)
    consumer: Any = first.consume("naver", timeout=10)
    consumer.hub.slots.give("naver")  # room for one more than there are threads
    _fill(first, "naver", 1)
    rig.wait(lambda: worker.work_queue.qsize() == 1)
    rig.work(second)
    stopping = threading.Thread(target=worker.stop)
    stopping.start()
    rig.wait(lambda: later, 2)
    assert begun == ["naver"]
    gate.set()
    stopping.join()
    rig.wait(lambda: rig.states() == ["done", "done"])
    assert rig.db.rows("SELECT attempts FROM dramatiq.queue") == [(1,), (1,)]
