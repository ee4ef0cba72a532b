"""How much of this process is free: nothing is claimed before a thread can take it."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

FOR_THE_REST = 2
"""Threads that slow queues leave to quick ones: a hot mall never holds up match, persist and the clock."""


class Slots:
    """Free threads of a process, and how many of them each queue may hold at once.

    Args:
        caps: messages of a queue at once in this process; a queue not named may fill every thread.
        threads: worker threads of this process.
        slow: queues whose work waits for the outside world; together they leave `FOR_THE_REST` threads to the others.
    """

    def __init__(self, caps: Mapping[str, int], threads: int, slow: Collection[str] = ()) -> None:
        self._caps = caps
        self._slow = frozenset(slow)
        self._slow_cap = max(1, threads - FOR_THE_REST)
        self._threads = threads
        self._used: Counter[str] = Counter()
        self._refused: dict[str, int] = {}
        """Queue → how many messages may be held at most when it is worth asking again."""
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

    def take(self, queue: str, ahead: int = 0) -> int:
        """Reserve what is free for a queue; on 0 its bell rings as soon as it is worth another call.

        `ahead`: so many more than there are threads, half of them at least at a time; not for a queue with a cap, and
        not while another one waits for a thread.
        """
        with self._lock:
            if self._closed:
                return 0
            held = self._used.total()
            self._refused.pop(queue, None)
            cap = self._caps.get(queue)
            if ahead and cap is None and not self._refused:
                limit, least = self._threads + ahead, ahead // 2
            else:
                limit, least = self._threads, 0
            free = limit - held
            if cap is not None:
                free = min(free, cap - self._used[queue])
            if queue in self._slow:
                free = min(free, self._slow_cap - sum(self._used[name] for name in self._slow))
            if free <= least:
                free = 0
                # One refused by its own cap asks again after any message.
                self._refused[queue] = max(held, limit - least - 1) if held < limit else limit - least - 1
            self._used[queue] += free
            return free

    def give(self, queue: str, n: int = 1) -> None:
        """Give back what `take` reserved."""
        with self._lock:
            self._used[queue] -= n
            held = self._used.total()
            bells = [self._bells[name] for name, at in self._refused.items() if held <= at and name in self._bells]
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
