"""Which queues of this process wait for a notification: where nobody waits, senders send none.

A COMMIT with a notification takes a lock that is global to the server, so that busy senders queue up behind each
other. Yet a consumer that gets all it asks for asks again by itself. So its queue is marked as waiting only while its
consumer may sleep: first marked, then looked at a last time. What was sent unheard in between is committed by then
(see `lps.unheard`). The marks are advisory locks of the hub's session; they vanish with it.
"""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING

from store.pool import LockTimeout
from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor
    from tasks.queue.slots import Slots

SQL = beside(__file__)
AGAIN_S = 0.05
"""How often a queue is looked at, and its mark tried for, while it is neither busy nor marked as waiting."""


class Idle:
    """The marks of one process; consumers ask for them, the hub's thread gets them.

    Args:
        slots: whose bells tell a consumer that its queue is marked.
    """

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._lock = threading.Lock()
        self._wanted: set[str] = set()
        self._marked: set[str] = set()
        self._again_at = 0.0

    def waits(self, queue: str) -> bool:
        """Whether whoever sends to this queue from now on tells us."""
        with self._lock:
            return queue in self._marked

    def wait(self, queue: str) -> bool:
        """Have this queue marked as waiting; its bell rings when it is. True if that is news."""
        with self._lock:
            news = queue not in self._wanted
            self._wanted.add(queue)
            return news

    def busy(self, queue: str) -> bool:
        """Its consumer looks by itself; True if that is news."""
        with self._lock:
            news = queue in self._wanted
            self._wanted.discard(queue)
            return news

    def forget(self) -> None:
        """The session is gone, its marks with it."""
        with self._lock:
            self._marked.clear()

    def due_s(self) -> float:
        """Seconds until `settle` should be called; infinite while there is nothing to do."""
        with self._lock:
            if self._wanted == self._marked:
                return math.inf
        return max(0.0, self._again_at - time.monotonic())

    def settle(self, cur: Cursor) -> None:
        """Bring the marks in line with what is wanted; `cur` is of the listening session, in autocommit."""
        with self._lock:
            leave, come = self._marked - self._wanted, self._wanted - self._marked
            # Before the lock is given up: from here on nobody may rely on it.
            self._marked -= leave
        if leave:
            cur.execute(SQL["leave"], {"queues": sorted(leave)})
        if come and time.monotonic() >= self._again_at:
            self._come(cur, come)

    def _come(self, cur: Cursor, queues: set[str]) -> None:
        try:
            cur.execute(SQL["wait"], {"queues": sorted(queues)})
        except LockTimeout:
            # A sender's transaction takes long; until it is over, the consumer looks by itself.
            self._again_at = time.monotonic() + AGAIN_S
            cur.execute(SQL["stay"], {"queues": sorted(queues)})
            return
        with self._lock:
            self._marked |= queues
        for queue in queues:
            self._slots.ring(queue)
