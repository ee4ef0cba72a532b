"""LPS's broker: dramatiq-pg's table and states, with leases, fences and effects that commit together with their ack.

What is not kept of dramatiq-pg, and why, is in docs/adr; what is guaranteed instead is in docs/states.md.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any, TypedDict

import structlog
from dramatiq import Message
from dramatiq.errors import QueueJoinTimeout
from dramatiq_pg import PostgresBroker

from model import Priority
from store import prepared
from store.sql import beside
from tasks.queue import pauses, payload, reaper, retention
from tasks.queue.boot import Boot
from tasks.queue.consumer import LpsConsumer
from tasks.queue.hub import Hub
from tasks.queue.tries import Tries

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Unpack
    from uuid import UUID

    from dramatiq import Middleware

    from store.pool import Cursor, Pool
    from tasks.queue.delivery import DeadMessage
    from tasks.queue.reaper import Reaped
    from tasks.queue.retention import QueueStats

SQL = beside(__file__)
log = structlog.get_logger(__name__)


class Timing(TypedDict, total=False):
    """Times and limits of a broker; the defaults are its attributes."""

    lease_s: float
    max_attempts: int
    min_backoff_s: float
    max_backoff_s: float
    poll_s: float
    busy_s: float
    stuck_s: float
    heartbeat_file: str


class LpsBroker(Tries, PostgresBroker):  # type: ignore[misc]  # dramatiq-pg carries no types
    """A queue in PostgreSQL on which nothing is lost and no effect happens twice. Its construction does no I/O.

    Args:
        pool: the process's connections.
        caps: messages of a queue at once in one process; a queue not named may fill every thread.
        slow: queues that together leave some threads to the others, see `tasks.queue.slots`.
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
    """How often a hub looks for what it was not told of; a message due later than this is stored without telling."""
    busy_s: float = 0.1
    """After how long of getting all it asks for a consumer need not be told of more, see `tasks.queue.idle`."""
    stuck_s: float = 300
    """Age at which a running message is called stuck; at twice that its process is ended. 0 = never."""
    heartbeat_file: str = ""
    """Touched while every worker process of the machine makes progress; one file a process beside it. Empty: none."""
    threads: int = 8
    """Worker threads of this process; the worker says how many as it boots."""

    def __init__(
        self,
        *,
        pool: Pool,
        caps: Mapping[str, int] | None = None,
        slow: Collection[str] = (),
        middleware: Iterable[Middleware] = (),
        on_dead: Callable[[Cursor, DeadMessage], None] | None = None,
        **timing: Unpack[Timing],
    ) -> None:
        for name, value in timing.items():
            if name not in Timing.__annotations__:
                raise TypeError(f"LpsBroker has no {name}")
            setattr(self, name, value)
        self.caps = dict(caps or {})
        self.slow = frozenset(slow)
        self.on_dead = on_dead
        self.on_beat: Callable[[Cursor], object] | None = None
        """Called with each heartbeat of a worker process, in a transaction of its own; true if it sent messages."""
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
        payload.check(message)
        with self.pool.autocommit() as cur:
            if delay:
                self._insert(cur, [message], None, delay / 1000)
            else:
                values = {
                    "id": message.message_id,
                    "queue": message.queue_name,
                    "message": message.encode().decode(),
                    "priority": payload.priority(message, None),
                }
                prepared.execute(cur, "lps_enqueue_one", SQL["enqueue_one"], values)
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
                "within_s": self.poll_s,
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

    # Housekeeping.

    def flush(self, queue_name: str) -> int:
        """Delete what waits in a queue; what runs or has ended stays. Returns how many."""
        with self.pool.transaction() as cur:
            cur.execute(SQL["flush"], {"queue": queue_name})
            return int(cur.rowcount)

    def flush_all(self) -> int:
        """`flush` every queue this broker knows."""
        return sum(self.flush(queue) for queue in self.queues)

    def join(self, queue_name: str, *, timeout: int | None = None) -> None:
        """Wait until nothing of a queue waits or runs; for tests and batch commands.

        Args:
            queue_name: which queue.
            timeout: ms at most; for ever by default.

        Raises:
            QueueJoinTimeout: it did not run dry in time.
        """
        deadline, tick = time.monotonic() + (timeout or 0) / 1000, threading.Event()
        while self._open(queue_name):
            if timeout is not None and time.monotonic() >= deadline:
                raise QueueJoinTimeout(f"{queue_name} did not run dry within {timeout} ms")
            tick.wait(0.05)

    def _open(self, queue_name: str) -> int:
        with self.pool.autocommit() as cur:
            cur.execute(SQL["open"], {"queue": queue_name})
            return int(cur.fetchone()[0])

    def reap(self) -> Reaped:
        """Bring back messages whose worker is gone; every worker process does this by itself too."""
        with self.pool.transaction() as cur:
            return reaper.reap(cur, self)

    def stats(self) -> list[QueueStats]:
        """Every queue that holds anything but finished messages, by name."""
        with self.pool.transaction() as cur:
            return retention.stats(cur)

    def purge(self, *, done_days: float, dead_days: float, batch: int = 1000) -> int:
        """Delete finished and dead messages past their days, `batch` a transaction. Returns how many."""
        return retention.purge(self.pool, done_days=done_days, dead_days=dead_days, batch=batch)

    def pause(self, name: str, *, reason: str, who: str) -> None:
        """Claim nothing of this queue any more, in any process; what runs goes on."""
        with self.pool.transaction() as cur:
            pauses.pause(cur, name, reason=reason, who=who)

    def resume(self, name: str, *, who: str) -> bool:
        """Claim it again. False if it was not paused."""
        with self.pool.transaction() as cur:
            return pauses.resume(cur, name, who=who)
