"""The API keys of one service, used in turn. Pure but for the clock it is given.

A key that asked too often rests until the other side's time is over; one whose day's quota is used up rests until
midnight in Korea, when the quota starts anew; a refused one is asked last, because it may be mended meanwhile.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

KST = timezone(timedelta(hours=9))
SLOW_S = 1.0
"""Seconds for which a key rests that asked too often, when the other side names no time."""


@dataclass(frozen=True, slots=True)
class Key:
    """One application's id and secret; the secret never shows."""

    id: str
    secret: str

    def __repr__(self) -> str:
        return f"Key({self.id[:4]}…)"


class KeyRing:
    """Hands out keys round robin; safe to use from several threads."""

    def __init__(self, keys: Sequence[Key], clock: Callable[[], float]) -> None:
        self.keys = tuple(keys)
        self._clock = clock
        """Seconds since the epoch: quotas follow the calendar."""
        self._lock = threading.Lock()
        self._next = 0
        self._rests: dict[str, float] = {}
        self._refused: set[str] = set()

    def usable(self) -> list[Key]:
        """Every key that may be asked now: the one whose turn it is first, refused ones last."""
        now = self._clock()
        with self._lock:
            start, self._next = self._next, (self._next + 1) % max(1, len(self.keys))
            turn = self.keys[start:] + self.keys[:start]
            rested = [key for key in turn if self._rests.get(key.id, 0.0) <= now]
            return sorted(rested, key=lambda key: key.id in self._refused)

    def limited(self, key: Key, *, daily: bool, after_s: float | None = None) -> None:
        """That key asked too often: for this second, or for this day."""
        self._rest(key, self._to_midnight() if daily else after_s or SLOW_S)

    def refused(self, key: Key) -> None:
        """That key is not accepted."""
        with self._lock:
            self._refused.add(key.id)

    def accepted(self, key: Key) -> None:
        """That key works."""
        with self._lock:
            self._refused.discard(key.id)

    @property
    def all_refused(self) -> bool:
        """Whether no key is of any use, limits aside."""
        with self._lock:
            return all(key.id in self._refused for key in self.keys)

    @property
    def free_in_s(self) -> float:
        """Seconds until the first key may be asked again; refused ones do not count."""
        now = self._clock()
        with self._lock:
            rests = [self._rests.get(key.id, 0.0) for key in self.keys if key.id not in self._refused]
        return max(0.0, min(rests, default=now) - now)

    def _rest(self, key: Key, seconds: float) -> None:
        with self._lock:
            self._rests[key.id] = max(self._rests.get(key.id, 0.0), self._clock() + seconds)

    def _to_midnight(self) -> float:
        now = datetime.fromtimestamp(self._clock(), KST)
        midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - now).total_seconds()
