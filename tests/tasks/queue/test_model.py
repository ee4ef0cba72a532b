"""The queue against a model of it.

Any order of claims, beats, endings, reaping, replays and cancellations by several workers, with a clock that the test
moves; after every step the database says what the model says.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import UUID

import dramatiq
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from errors import Lost
from store import migrate
from store.pool import Pool
from tasks.queue import LpsBroker, dead
from tasks.queue.cancel import cancel
from tasks.queue.consumer import LpsConsumer
from tasks.queue.hub import Hub
from tests.conftest import fresh_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tasks.queue import Delivery

LEASE_S, MAX_ATTEMPTS, WORKERS = 30, 3, 3
worker_numbers = st.integers(0, WORKERS - 1)
seconds = st.sampled_from([1, 3, 9, 29, 31])


@dataclass
class Message:
    """What the model knows of one."""

    job: str
    state: str = "queued"
    fence: int = 0
    attempts: int = 0
    lease_until: float = 0
    eta: float = 0
    effects: int = 0
    lives: int = 1
    tries: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def clocked(server_url: str) -> Iterator[Pool]:
    """A database whose clock is a row."""
    with fresh_database(server_url, f"lps_test_model_{os.getpid()}") as url:
        pool = Pool(url, size=2, application="lps model")
        migrate.run(pool, "sandbox")
        with pool.transaction() as cur:
            cur.execute(
                "CREATE TABLE lps.clock (at timestamptz NOT NULL); INSERT INTO lps.clock VALUES ('2030-01-01Z')"
            )
            cur.execute(
                "CREATE OR REPLACE FUNCTION lps.now() RETURNS timestamptz LANGUAGE sql STABLE"
                " AS 'SELECT at FROM lps.clock'"
            )
        yield pool
        pool.close()


class Queue(RuleBasedStateMachine):
    """Several workers on one queue; `held` is what a worker believes to own, rightly or not."""

    pool: ClassVar[Pool]
    held: Bundle[tuple[int, Any]] = Bundle("held")

    @initialize()
    def start(self) -> None:
        """Four messages, and workers that have claimed nothing."""
        self.now = 0.0
        self.messages: dict[str, Message] = {}
        self.sql(
            "TRUNCATE dramatiq.queue; DELETE FROM attempt; DELETE FROM audit;UPDATE lps.clock SET at = '2030-01-01Z'"
        )
        self.broker = LpsBroker(pool=self.pool, lease_s=LEASE_S, max_attempts=MAX_ATTEMPTS, min_backoff_s=2)
        dramatiq.actor(print, broker=self.broker, queue_name="naver", actor_name="naver")
        self.hubs = [Hub(self.broker, 4) for _ in range(WORKERS)]
        self.consumers = [LpsConsumer(self.broker, hub, "naver", 0.01) for hub in self.hubs]
        # Ids from a counter and a table from scratch: equal steps must meet equal rows, in equal order.
        for _ in range(4):
            self.send()

    def teardown(self) -> None:
        """Close what the hubs opened."""
        for hub in getattr(self, "hubs", []):
            os.close(hub._poke_read)
            os.close(hub._poke_write)

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of one statement."""
        with self.pool.transaction() as cur:
            cur.execute(statement, values or None)
            return cur.fetchall() if cur.description else []

    def owns(self, delivery: Delivery) -> bool:
        """Whether the model agrees that this try is still the owner."""
        message = self.messages[delivery.message_id]
        return message.state == "consumed" and message.fence == delivery.fence

    @rule()
    def send(self) -> None:
        """One more message; said twice, it is one."""
        message = self.broker.message("naver", job=UUID(int=len(self.messages)))
        self.broker.enqueue(message)
        self.broker.enqueue(message)
        self.messages[message.message_id] = Message(str(message.args[0]), eta=self.now)

    @rule(worker=worker_numbers, most=st.integers(1, 3), target=held)
    def claim(self, worker: int, most: int) -> Any:
        """Only what is queued and due is claimed, each with a fence never seen."""
        due = [m for m in self.messages.values() if m.state == "queued" and m.eta <= self.now]
        taken = self.hubs[worker].slots.take("naver")
        self.hubs[worker].slots.give("naver", taken)
        consumer = self.consumers[worker]
        consumer._claim(min(most, 4))
        got = [consumer._claimed.popleft() for _ in range(len(consumer._claimed))]
        assert len(got) == min(most, len(due))
        for delivery in got:
            message = self.messages[delivery.message_id]
            assert message in due
            assert delivery.fence > message.fence
            message.state, message.fence, message.attempts = "consumed", delivery.fence, message.attempts + 1
            message.lease_until = self.now + LEASE_S
            assert delivery.attempt == message.attempts
        return multiple(*[(worker, delivery) for delivery in got])

    @rule(worker=worker_numbers)
    def beat(self, worker: int) -> None:
        """Leases of what is owned move on; what is not owned any more is reported, nothing else."""
        hub = self.hubs[worker]
        with self.pool.transaction() as cur:
            lost = [delivery.key for delivery in hub._renew(cur)]
        for delivery in hub.held():
            assert (delivery.key in lost) is not self.owns(delivery)
            if self.owns(delivery):
                self.messages[delivery.message_id].lease_until = self.now + LEASE_S

    @rule(passed=seconds)
    def tick(self, passed: int) -> None:
        """Time goes on."""
        self.now += passed
        self.sql("UPDATE lps.clock SET at = at + %s * interval '1 s'", passed)

    @rule(which=consumes(held))
    def effect(self, which: tuple[int, Any]) -> None:
        """The work is done in one transaction, for the owner only."""
        worker, delivery = which
        owned = self.owns(delivery)
        try:
            with self.broker.effect(delivery) as cur:
                cur.execute(
                    "INSERT INTO audit (who, action, subject) VALUES ('', 'effect', %s)", (delivery.message_id,)
                )
            assert owned
            self.end(delivery, "done", "done").effects += 1
        except Lost:
            assert not owned
        self.hubs[worker].drop(delivery)

    @rule(which=consumes(held), how=st.sampled_from(["done", "retry", "give_up", "release"]))
    def finish(self, which: tuple[int, Any], how: str) -> None:
        """Any other ending, for the owner only; whoever is late changes nothing."""
        worker, delivery = which
        owned = self.owns(delivery)
        delivery.worker = "w"
        error = ValueError("why")
        calls: dict[str, tuple[Callable[[], None], str, str]] = {
            "done": (lambda: self.broker.done(delivery), "done", "done"),
            "retry": (lambda: self.broker.retry(delivery, error, 5), "queued", "retry"),
            "give_up": (lambda: self.broker.give_up(delivery, error), "rejected", "dead"),
            "release": (lambda: self.broker.release(delivery), "queued", "released"),
        }
        call, state, outcome = calls[how]
        call()
        assert delivery.lost.is_set() is not owned
        if owned:
            message = self.end(delivery, state, outcome)
            message.eta = self.now + (5 if how == "retry" else 0)
            message.attempts -= how == "release"
        self.hubs[worker].drop(delivery)

    def end(self, delivery: Delivery, state: str, outcome: str) -> Message:
        """The model's side of an ending."""
        message = self.messages[delivery.message_id]
        message.state = state
        message.tries.append(outcome)
        return message

    @rule()
    def reap(self) -> None:
        """Expired leases come back, or die when no try is left; nothing else does."""
        expired = [m for m in self.messages.values() if m.state == "consumed" and m.lease_until < self.now]
        reaped = self.broker.reap()
        assert (reaped.queued + reaped.dead, reaped.failed) == (len(expired), 0)
        for message in expired:
            dies = message.attempts >= MAX_ATTEMPTS
            message.state = "rejected" if dies else "queued"
            message.eta = self.now + (message.attempts - 1) * 2
            message.tries.append("dead" if dies else "lost")

    @rule()
    def replay(self) -> None:
        """The dead live again with all their tries; the letters are used twice, the second time for nothing."""
        with self.pool.transaction() as cur:
            letters = dead.listed(cur)
        for changed in (len(letters), 0):
            done = dead.replay(self.pool, letters, who="kim", revive=lambda _cur, _dead, _delay_s: None)
            assert len(done.changed) == changed
        for letter in letters:
            message = self.messages[letter.message.message_id]
            assert message.state == "rejected"
            message.state, message.attempts, message.eta, message.lives = "queued", 0, self.now, message.lives + 1

    @rule(number=st.integers(0, 9))
    def cancel(self, number: int) -> None:
        """A job's message is done, whoever works on it, and every claim of it is void."""
        if not self.messages:
            return
        message = list(self.messages.values())[number % len(self.messages)]
        with self.pool.transaction() as cur:
            waited, ran = cancel(cur, message.job, 0, "not wanted")
        assert (waited, ran) == (message.state == "queued", message.state == "consumed")
        if message.state == "consumed":
            message.tries.append("cancelled")
        if message.state != "done":
            message.state, message.fence = "done", message.fence + 1

    @invariant()
    def the_database_says_the_same(self) -> None:
        """State, fence and tries of every message; no effect twice in a life; every ended try on record once."""
        rows = self.sql(
            "SELECT message_id::text, state::text, fence, attempts,"
            " coalesce(extract(epoch FROM lease_until - '2030-01-01Z'), 0)::float8 FROM dramatiq.queue"
        )
        assert {row[0]: row[1:] for row in rows} == {
            key: (m.state, m.fence, m.attempts, m.lease_until if m.state == "consumed" else 0)
            for key, m in getattr(self, "messages", {}).items()
        }
        effects = dict(self.sql("SELECT subject, count(*) FROM audit WHERE action = 'effect' GROUP BY subject"))
        tries: dict[str, list[str]] = {}
        for key, outcome in self.sql("SELECT message_id::text, outcome FROM attempt ORDER BY attempt_id"):
            tries.setdefault(key, []).append(outcome)
        for key, message in getattr(self, "messages", {}).items():
            assert effects.get(key, 0) == message.effects <= 1
            assert tries.get(key, []) == message.tries
            assert message.attempts <= MAX_ATTEMPTS


def test_whatever_happens_in_whatever_order(clocked: Pool) -> None:
    """No message lost, none claimed twice, no effect twice, no late worker heard."""
    Queue.pool = clocked
    run_state_machine_as_test(
        Queue,
        settings=settings(
            max_examples=120,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
            # Shrinking a failure takes minutes; the steps that led to it are printed all the same.
            phases=[Phase.generate],
        ),
    )
