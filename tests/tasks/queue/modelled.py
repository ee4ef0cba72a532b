"""What the model test knows of the queue, and how it asks the database whether that is so."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import UUID

import dramatiq
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from store import migrate
from store.pool import Pool
from tasks.queue import LpsBroker
from tasks.queue.consumer import LpsConsumer
from tasks.queue.hub import Hub
from tests.conftest import fresh_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tasks.queue import Delivery

LEASE_S, MAX_ATTEMPTS, WORKERS = 30, 3, 3


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
    tries: list[str] = field(default_factory=list)


@contextmanager
def clocked_pool(server_url: str) -> Iterator[Pool]:
    """A database whose clock is a row; a statement that waits for a lock fails soon."""
    with fresh_database(server_url, f"lps_test_model_{os.getpid()}") as url:
        pool = Pool(url, size=3, application="lps model", statement_timeout_s=10)
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


class Modelled(RuleBasedStateMachine):
    """Several workers on one queue in the database, the model's messages beside it, and that both say the same."""

    pool: ClassVar[Pool]

    @initialize()
    def start(self) -> None:
        """Four messages, and workers that have claimed nothing."""
        self.now = 0.0
        self.paused = False
        self.messages: dict[str, Message] = {}
        self.sql(
            "TRUNCATE dramatiq.queue, queue_pause; DELETE FROM attempt; DELETE FROM audit;"
            " UPDATE lps.clock SET at = '2030-01-01Z'"
        )
        self.broker = LpsBroker(pool=self.pool, lease_s=LEASE_S, max_attempts=MAX_ATTEMPTS, min_backoff_s=2)
        dramatiq.actor(print, broker=self.broker, queue_name="naver", actor_name="naver")
        self.hubs = [Hub(self.broker, 4) for _ in range(WORKERS)]
        self.consumers = [LpsConsumer(self.broker, hub, "naver", 0.01) for hub in self.hubs]
        # Ids from a counter and a table from scratch: equal steps must meet equal rows, in equal order.
        for _ in range(4):
            self.add()

    def teardown(self) -> None:
        """Close what the hubs opened."""
        for hub in getattr(self, "hubs", []):
            os.close(hub._poke_read)
            os.close(hub._poke_write)

    def add(self) -> None:
        """One more message; said twice, it is one."""
        message = self.broker.message("naver", job=UUID(int=len(self.messages)))
        self.broker.enqueue(message)
        self.broker.enqueue(message)
        self.messages[message.message_id] = Message(str(message.args[0]), eta=self.now)

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of one statement."""
        with self.pool.transaction() as cur:
            cur.execute(statement, values or None)
            return cur.fetchall() if cur.description else []

    def nth(self, number: int) -> tuple[str, Message]:
        """One of the messages, with its id."""
        return list(self.messages.items())[number % len(self.messages)]

    def owns(self, delivery: Delivery) -> bool:
        """Whether the model agrees that this try is still the owner."""
        message = self.messages[delivery.message_id]
        return message.state == "consumed" and message.fence == delivery.fence

    def end(self, delivery: Delivery, state: str, outcome: str = "") -> Message:
        """The model's side of an ending; without an outcome it leaves no try behind."""
        message = self.messages[delivery.message_id]
        message.state = state
        message.tries += [outcome] if outcome else []
        return message

    def claimed(self, worker: int, most: int, due: list[Message]) -> list[Any]:
        """Have a worker claim, and hold it against what is due: that much, nothing else, each with a new fence."""
        consumer = self.consumers[worker]
        consumer._claim(most)
        got = [consumer._claimed.popleft() for _ in range(len(consumer._claimed))]
        assert len(got) == (0 if self.paused else min(most, len(due)))
        for delivery in got:
            message = self.messages[delivery.message_id]
            assert message in due
            assert delivery.fence > message.fence
            message.state, message.fence, message.attempts = "consumed", delivery.fence, message.attempts + 1
            message.lease_until = self.now + LEASE_S
            assert delivery.attempt == message.attempts
        return got

    def beaten(self, worker: int, locked: Message | None = None) -> None:
        """Have a worker renew: what it owns moves on, what it owns no more is reported, what is locked neither."""
        hub = self.hubs[worker]
        with self.pool.transaction() as cur:
            lost = [delivery.key for delivery in hub._renew(cur)]
        for delivery in hub.held():
            assert (delivery.key in lost) is not self.owns(delivery)
            message = self.messages[delivery.message_id]
            if self.owns(delivery) and message is not locked:
                message.lease_until = self.now + LEASE_S

    def reaped(self, locked: Message | None = None) -> None:
        """Have expired leases brought back: they are queued again, or die when no try is left; nothing else does."""
        expired = [
            m for m in self.messages.values() if m.state == "consumed" and m.lease_until < self.now and m is not locked
        ]
        reaped = self.broker.reap()
        assert (reaped.queued + reaped.dead, reaped.failed) == (len(expired), 0)
        for message in expired:
            dies = message.attempts >= MAX_ATTEMPTS
            message.state = "rejected" if dies else "queued"
            message.eta = self.now + (message.attempts - 1) * 2
            message.tries.append("dead" if dies else "lost")

    @invariant()
    def the_database_says_the_same(self) -> None:
        """State, fence, tries, lease and time of every message; no effect twice; every ended try on record once."""
        rows = self.sql(
            "SELECT message_id::text, state::text, fence, attempts,"
            " CASE state WHEN 'consumed' THEN extract(epoch FROM lease_until - '2030-01-01Z')"
            " WHEN 'queued' THEN extract(epoch FROM eta - '2030-01-01Z') ELSE 0 END::float8,"
            " state <> 'consumed' AND coalesce(owner::text, lease_until::text) IS NOT NULL FROM dramatiq.queue"
        )
        times = {"consumed": "lease_until", "queued": "eta"}
        assert {row[0]: row[1:] for row in rows} == {
            key: (m.state, m.fence, m.attempts, getattr(m, times[m.state]) if m.state in times else 0, False)
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
