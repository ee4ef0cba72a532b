"""How much of this process is free: nothing is claimed before a thread can take it."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Slots:
    """Free threads of a process, and how many of them each queue may hold at once.

    Args:
        caps: messages of a queue at once in this process; a queue not named may fill every thread.
        threads: worker threads of this process.
    """

    def __init__(self, caps: Mapping[str, int], threads: int) -> None:
        self._caps = caps
        self._threads = threads
        self._used: Counter[str] = Counter()
        self._refused: set[str] = set()
        self._bells: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._closed = False

    def bell(self, queue: str) -> threading.Event:
        """What rings when a queue should be looked at: the same event for every consumer it ever has."""
        with self._lock:
            return self._bells.setdefault(queue, threading.Event())

    def queues(self) -> list[str]:
        """The queues consumed in this process."""
        with self._lock:
            return sorted(self._bells)

    def ring(self, queue: str) -> None:
        """Have one queue looked at; nothing if it is not consumed here."""
        bell = self._bells.get(queue)
        if bell:
            bell.set()

    def ring_all(self) -> None:
        """Have every queue looked at."""
        with self._lock:
            bells = list(self._bells.values())
        for bell in bells:
            bell.set()

    def take(self, queue: str) -> int:
        """Reserve what is free for a queue; on 0 its bell rings as soon as it is worth another call."""
        with self._lock:
            if self._closed:
                return 0
            left = self._threads - self._used.total()
            free = max(0, min(left, self._caps.get(queue, self._threads) - self._used[queue]))
            self._used[queue] += free
            if not free:
                self._refused.add(queue)
            return free

    def give(self, queue: str, n: int = 1) -> None:
        """Give back what `take` reserved."""
        with self._lock:
            self._used[queue] -= n
            bells = [self._bells[name] for name in self._refused if name in self._bells]
            self._refused.clear()
        for bell in bells:
            bell.set()

    def used(self) -> int:
        """Messages held now."""
        with self._lock:
            return self._used.total()

    def shut(self) -> None:
        """Claim nothing any more."""
        with self._lock:
            self._closed = True
