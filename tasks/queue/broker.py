"""LPS's broker: dramatiq-pg's table and states, with leases, fences and effects that commit together with their ack.

What is not kept of dramatiq-pg, and why, is in docs/adr; what is guaranteed instead is in docs/states.md.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypedDict

import structlog
from dramatiq import Message
from dramatiq_pg import PostgresBroker

from errors import DatabaseDown, Lost
from model import Priority
from store.sql import beside
from tasks.queue import endings, payload, reaper
from tasks.queue.boot import Boot
from tasks.queue.consumer import LpsConsumer
from tasks.queue.delivery import current_message
from tasks.queue.hub import Hub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Unpack
    from uuid import UUID

    from dramatiq import Middleware

    from store.pool import Cursor, Pool
    from tasks.queue.delivery import DeadMessage, Delivery
    from tasks.queue.reaper import Reaped

SQL = beside(__file__)
log = structlog.get_logger(__name__)


class Timing(TypedDict, total=False):
    """Times and limits of a broker; the defaults are its attributes."""

    lease_s: float
    max_attempts: int
    min_backoff_s: float
    max_backoff_s: float
    poll_s: float


class LpsBroker(PostgresBroker):  # type: ignore[misc]  # dramatiq-pg carries no types
    """A queue in PostgreSQL on which nothing is lost and no effect happens twice. Its construction does no I/O.

    Args:
        pool: the process's connections.
        caps: messages of a queue at once in one process; a queue not named may fill every thread.
        middleware: see `tasks.middleware.chain`.
        on_dead: called in the transaction that rejects a message, with its cursor.
        timing: any of the attributes below by name.
    """

    lease_s: float = 30
    """How long a claim holds without a sign of life; renewed every third of it."""
    max_attempts: int = 5
    """Tries of a message until it is dead; an actor's option `max_attempts` overrides it."""
    min_backoff_s: float = 2
    """Wait after the first failure, doubled with each further one; an actor's option overrides it."""
    max_backoff_s: float = 60
    """The longest wait; an actor's option overrides it."""
    poll_s: float = 5
    """How often an idle queue is looked at while notifications work."""
    threads: int = 8
    """Worker threads of this process; the worker says how many as it boots."""

    def __init__(
        self,
        *,
        pool: Pool,
        caps: Mapping[str, int] | None = None,
        middleware: Iterable[Middleware] = (),
        on_dead: Callable[[Cursor, DeadMessage], None] | None = None,
        **timing: Unpack[Timing],
    ) -> None:
        for name, value in timing.items():
            if name not in Timing.__annotations__:
                raise TypeError(f"LpsBroker has no {name}")
            setattr(self, name, value)
        self.caps = dict(caps or {})
        self.on_dead = on_dead
        self._lock = threading.Lock()
        self._hub: Hub | None = None
        super().__init__(pool=pool, results=False, middleware=[Boot(), *middleware])
        self.pool: Pool = pool

    # Sending.

    def message(
        self,
        actor_name: str,
        *args: Any,
        job: UUID | str,
        step: str = "",
        priority: int = Priority.INTERACTIVE,
        **options: Any,
    ) -> Message[Any]:
        """A message for a job's step; sent twice, it is stored once.

        Args:
            actor_name: which actor runs it.
            args: its arguments; the job id alone when none are given.
            job: for which job.
            step: what it does for the job, where that is not the actor's name.
            priority: see `model.Priority`.
            options: `round` (the job's, 0 by default) and further message options, JSON-ready.
        """
        actor = self.actors.get(actor_name)
        return Message(
            queue_name=actor.queue_name if actor else actor_name,
            actor_name=actor_name,
            args=args or (str(job),),
            kwargs={},
            options={"round": 0, "priority": int(priority), **options},
            message_id=payload.message_id(job, step or actor_name, options.get("round", 0)),
        )

    def enqueue(self, message: Message[Any], *, delay: int | None = None) -> Message[Any]:
        """Store one message now, in one round trip; `delay` in ms, as dramatiq has it.

        Raises:
            ValueError: an argument cannot be stored; it is named.
            DatabaseDown: nothing was stored, or it was and a repeat is a no-op.
        """
        message = payload.identified(message)
        self.emit_before("enqueue", message, delay)
        with self.pool.autocommit() as cur:
            self._insert(cur, [message], None, (delay or 0) / 1000)
        self.emit_after("enqueue", message, delay)
        return message

    def enqueue_in(self, cur: Cursor, *messages: Message[Any], priority: int | None = None, delay_s: float = 0) -> int:
        """Store messages in the caller's transaction; workers hear of them at its COMMIT.

        Returns:
            How many were new.

        Raises:
            ValueError: an argument cannot be stored; it is named.
        """
        return self._insert(cur, [payload.identified(message) for message in messages], priority, delay_s)

    def _insert(self, cur: Cursor, messages: list[Message[Any]], priority: int | None, delay_s: float) -> int:
        if not messages:
            return 0
        for message in messages:
            payload.check(message)
        cur.execute(
            SQL["enqueue"],
            {
                "ids": [message.message_id for message in messages],
                "queues": [message.queue_name for message in messages],
                "messages": [message.encode().decode() for message in messages],
                "priorities": [payload.priority(message, priority) for message in messages],
                "delays": [delay_s] * len(messages),
                "within_s": endings.NOTIFY_WITHIN_S,
            },
        )
        return int(cur.fetchone()[0])

    # Consuming: what dramatiq's worker calls.

    def declare_queue(self, queue_name: str) -> None:
        """Make a queue known. It has no delay queue beside it: a delayed message waits in its own row."""
        if queue_name not in self.queues:
            self.emit_before("declare_queue", queue_name)
            self.queues[queue_name] = True
            self.emit_after("declare_queue", queue_name)

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 30000) -> LpsConsumer:
        """Claim messages of a queue from now on; free threads and `caps` count, `prefetch` does not."""
        del prefetch
        return LpsConsumer(self, self._started_hub(), queue_name, timeout / 1000)

    def _started_hub(self) -> Hub:
        with self._lock:
            if self._hub is None or self._hub.stopped or self._hub.pid != os.getpid():
                self._hub = Hub(self, self.threads)
                self._hub.start()
            return self._hub

    @property
    def hub(self) -> Hub | None:
        """The hub of this process while it consumes."""
        hub = self._hub
        return hub if hub and not hub.stopped and hub.pid == os.getpid() else None

    def close(self) -> None:
        """Give back what is held and free every thread and connection; the broker can be used again."""
        hub = self.hub
        if hub:
            hub.stop()

    # Ending a try.

    @contextmanager
    def effect(
        self,
        delivery: Delivery | None = None,
        *,
        outcome: str = "done",
        mall: str | None = None,
        error: BaseException | None = None,
    ) -> Iterator[Cursor]:
        """A transaction in which the message is done: what the caller writes in it commits with that, or not at all.

        Args:
            delivery: the message; the current one by default.
            outcome: how the try is recorded; a source says how its mall answered.
            mall: which mall; by default the actor's name, if it is one.
            error: what went wrong, when the stage carries on all the same.

        Raises:
            Lost: another worker owns the message; nothing was written.
            DatabaseDown: nothing was written, or all of it was and the retry will find that out.
        """
        delivery = delivery or current_message()
        delivery.settling = True
        try:
            with self.pool.transaction() as cur:
                if not endings.finish(cur, delivery, outcome=outcome, mall=mall, error=error):
                    raise Lost(f"{delivery.actor_name} {delivery.message_id}: lease {delivery.fence} was lost")
                yield cur
            delivery.outcome = outcome
            delivery.ended = True
        finally:
            delivery.settling = False

    def done(self, delivery: Delivery) -> None:
        """Acknowledge a message whose work needed no `effect`."""
        self._end(delivery, lambda cur: endings.finish(cur, delivery, outcome=delivery.outcome))

    def retry(self, delivery: Delivery, error: BaseException, delay_s: float) -> None:
        """Let it wait and try again."""
        self._end(delivery, lambda cur: endings.retry(cur, delivery, error, delay_s))
        hub = self.hub
        if hub:
            hub.slots.ring(delivery.queue)

    def give_up(self, delivery: Delivery, error: BaseException) -> None:
        """Reject it for good and tell `on_dead`, in one transaction."""
        self._end(delivery, lambda cur: self._bury(cur, delivery, error))

    def release(self, delivery: Delivery) -> None:
        """Give it back at once, the try not counted."""
        self._end(delivery, lambda cur: endings.release(cur, delivery))

    def lose(self, delivery: Delivery, error: BaseException) -> None:
        """End silently. Where nobody else owns it (the stage itself said Lost), it is done."""
        self._end(delivery, lambda cur: endings.finish(cur, delivery, outcome="lost", error=error))

    def _bury(self, cur: Cursor, delivery: Delivery, error: BaseException) -> bool:
        owned = endings.bury(cur, delivery, error)
        if owned and self.on_dead:
            self.on_dead(cur, endings.dead(delivery, error))
        return owned

    def _end(self, delivery: Delivery, write: Callable[[Cursor], bool]) -> None:
        delivery.settling = True
        try:
            with self.pool.transaction() as cur:
                owned = write(cur)
            if not owned:
                log.info("ended by another worker", stage=delivery.actor_name, message_id=delivery.message_id)
        except DatabaseDown as error:
            hub = self.hub
            if hub:
                hub.outage(error)
                hub.settle_later(write)
        except Exception:
            # Whatever on_dead or the row itself does: the message stays consumed and the reaper brings it back.
            log.exception("an ending cannot be written, its lease runs out", message_id=delivery.message_id)
        finally:
            delivery.settling = False
        delivery.ended = True

    def max_attempts_of(self, delivery: Delivery) -> int:
        """Tries this message has: its own option, its actor's, the broker's."""
        return int(self.option(delivery, "max_attempts", self.max_attempts))

    def option(self, delivery: Delivery, name: str, default: float) -> float:
        """A number from the message's options, its actor's, or the default."""
        actor = self.actors.get(delivery.actor_name)
        value = delivery.options.get(name, actor.options.get(name) if actor else None)
        return default if value is None else float(value)

    # Housekeeping.

    def reap(self) -> Reaped:
        """Bring back messages whose worker is gone; every worker process does this by itself too."""
        with self.pool.transaction() as cur:
            return reaper.reap(cur, self)
