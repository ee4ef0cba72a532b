"""One queue of one process: claims due messages for free threads and hands them to dramatiq's worker."""

from __future__ import annotations

import math
import time
from collections import deque
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import structlog
from dramatiq.broker import Consumer

from errors import DatabaseDown, LpsError
from store import prepared
from store.prepared import INDEXED
from store.sql import beside
from tasks.queue.delivery import read
from tasks.queue.idle import AGAIN_S
from tasks.queue.payload import PRIORITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from uuid import UUID

    from dramatiq.broker import MessageProxy

    from store.pool import Cursor
    from tasks.queue.broker import LpsBroker
    from tasks.queue.delivery import Delivery
    from tasks.queue.hub import Hub

SQL = beside(__file__)
_BLIND_POLL_S = (0.25, 0.5, 1.0)
"""How often an empty queue is looked at while the hub hears nothing."""
_SWEPT_POLL_S = 60.0
"""The same while the hub hears notifications and sweeps all queues at once every `broker.poll_s`."""

log = structlog.get_logger(__name__)


@cache
def _claim_of(n: int) -> str:
    # A plan for an unknown n would sort all that wait.
    priorities = ",".join(map(str, PRIORITIES))
    return SQL["claim"].replace("%(n)s", str(n)).replace("%(priorities)s", f"'{{{priorities}}}'")


def claim(cur: Cursor, queue: str, n: int, owner: UUID, lease_s: float) -> None:
    """Claim at most n due messages; the rows are the cursor's to fetch, see the statement."""
    values = {"queue": queue, "owner": str(owner), "lease_s": lease_s}
    prepared.execute(cur, f"lps_claim_{n}", _claim_of(n), values, INDEXED)


class UnreadableMessageError(LpsError):
    """The row holds no message this program can run."""


class Pace:
    """How many messages of a queue end here in 10 ms: so many may be claimed before a thread is free for them.

    Only while everything that ends is idempotent; work that takes a second is never claimed ahead.
    """

    _SPAN_S = 0.01
    _MOST = 32

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ended = 0
        self._mixed = False
        self._since = clock()
        self._per_s = 0.0

    def ended(self, *, idempotent: bool) -> None:
        """A message has ended."""
        self._ended += 1
        self._mixed = self._mixed or not idempotent

    def ahead(self) -> int:
        """Messages that may be claimed beyond the free threads."""
        now = self._clock()
        if now - self._since >= self._SPAN_S:
            self._per_s = 0 if self._mixed else self._ended / (now - self._since)
            self._ended, self._mixed, self._since = 0, False, now
        most = min(self._MOST, int(self._per_s * self._SPAN_S))
        return most if most >= 4 else 0


class LpsConsumer(Consumer):
    """What dramatiq's consumer thread iterates over.

    It asks the database only when its bell rang (notification, a slot given back), when the next delayed message is
    due, or when its poll interval is over: rarely while the hub listens and sweeps, every second or less while not.

    Args:
        broker: whose queue it is.
        hub: the process's.
        queue: its name.
        timeout_s: how long one call of `next` waits at most, so that dramatiq can stop it.
    """

    def __init__(self, broker: LpsBroker, hub: Hub, queue: str, timeout_s: float) -> None:
        self.broker = broker
        self.hub = hub
        self.queue = queue
        self.timeout_s = timeout_s
        self._bell = hub.slots.bell(queue)
        self._claimed: deque[Delivery] = deque()
        self._next_at = 0.0
        self._misses = 0
        self._pace = Pace()
        self._full_since = math.inf
        """Since when every claim has brought all that was asked for."""

    def __next__(self) -> Delivery | None:
        """The next message, or None after a while without one."""
        if self._claimed:
            return self._claimed.popleft()
        rang = self._bell.wait(max(0.0, min(self.timeout_s, self._next_at - time.monotonic())))
        if not rang and time.monotonic() < self._next_at:
            return None
        # Cleared before the query: what is sent while it runs rings again.
        self._bell.clear()
        free = self.hub.slots.take(self.queue, self._pace.ahead())
        if not free:
            self._next_at = time.monotonic() + _SWEPT_POLL_S
            return None
        self._claim(free)
        return self._claimed.popleft() if self._claimed else None

    def _claim(self, free: int) -> None:
        kept = 0
        try:
            rows, upcoming_s = self._query(free)
            for row in rows:
                kept += self._keep(row)
            self._schedule(len(rows), free, upcoming_s)
        except DatabaseDown as error:
            self._misses += 1
            self._next_at = time.monotonic() + min(2.0, 0.25 * self._misses)
            self.hub.outage(error)
        finally:
            self.hub.slots.give(self.queue, free - kept)

    def _query(self, free: int) -> tuple[list[tuple[Any, ...]], float | None]:
        with self.broker.pool.autocommit() as cur:
            claim(cur, self.queue, free, self.hub.owner, self.broker.lease_s)
            rows = cur.fetchall()
        return [row[1:] for row in rows if row[1] is not None], rows[0][0]

    def _keep(self, row: tuple[Any, ...]) -> bool:
        delivery, reason = read(self.queue, row)
        if not reason and delivery.actor_name not in self.broker.actors:
            reason = f"unknown actor {delivery.actor_name!r}"
        if reason:
            log.error("unreadable message", queue=self.queue, message_id=delivery.message_id, reason=reason)
            self.broker.give_up(delivery, UnreadableMessageError(reason))
            return False
        self.hub.hold(delivery)
        self._claimed.append(delivery)
        return True

    def _schedule(self, got: int, asked: int, upcoming_s: float | None) -> None:
        now = time.monotonic()
        if got == asked:
            self._misses = 0
            self._next_at = now
            self._full_since = min(self._full_since, now)
            if now - self._full_since >= self.broker.busy_s and self.hub.idle.busy(self.queue):
                self.hub.poke()
            return
        self._full_since = math.inf
        if self.hub.listening and not self.hub.idle.waits(self.queue):
            # Nobody would tell: no sleep before the queue is marked, which rings the bell for another look.
            if self.hub.idle.wait(self.queue):
                self.hub.poke()
            self._next_at = now + min(AGAIN_S, AGAIN_S if upcoming_s is None else upcoming_s + 0.002)
            return
        self._misses = min(self._misses + 1, len(_BLIND_POLL_S))
        poll_s = _SWEPT_POLL_S if self.hub.listening else _BLIND_POLL_S[self._misses - 1]
        self._next_at = now + min(poll_s, poll_s if upcoming_s is None else upcoming_s + 0.002)

    def ack(self, message: MessageProxy) -> None:
        """Let go of a message that did not fail, or whose retry the middleware has stored."""
        self._through(message)

    def nack(self, message: MessageProxy) -> None:
        """Let go of a message that something marked as failed."""
        self._through(message)

    def _through(self, message: MessageProxy) -> None:
        delivery = cast("Delivery", message)
        error = getattr(delivery, "_exception", None)
        try:
            if delivery.ended:
                return
            if delivery.failed:
                self.broker.give_up(delivery, error or LpsError("marked as failed"))
            elif error is None:
                self.broker.done(delivery)
            # Else its ending could not be written: the lease runs out and the reaper brings it back.
        finally:
            self._let_go(delivery)

    def requeue(self, messages: Iterable[MessageProxy]) -> None:
        """Give messages back that no thread has begun."""
        for message in messages:
            delivery = cast("Delivery", message)
            self.broker.release(delivery)
            self._let_go(delivery)

    def _let_go(self, delivery: Delivery) -> None:
        if not delivery.deferred:
            self.hub.drop(delivery)
        self._pace.ended(idempotent=self.broker.idempotent(delivery))
        self.hub.slots.give(self.queue)

    def close(self) -> None:
        """Give back what was claimed and never handed out."""
        self.requeue([self._claimed.popleft() for _ in range(len(self._claimed))])
