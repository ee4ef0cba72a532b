"""Workers that live and are silent: stopped, or stuck in the kernel. Whoever supervises them starts them anew.

A killed worker ends, and its supervisor sees it. One that only stands still does not; what it held comes back after its
lease, but nobody works in its place.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import closing
from typing import TYPE_CHECKING, Self

from errors import DatabaseDown
from store.pool import connect
from tasks.queue import neighbours

if TYPE_CHECKING:
    from cli.stack import Stack
    from config import Settings

LEASES = 3
"""After so many leases without a sign of life a worker is replaced."""


class Silence:
    """Looks every third of a lease, in a thread of its own; who was silent at two looks in a row is ended by `turn`.

    Once would not do: after an outage of the database everybody has been silent.

    Args:
        stack: whose units they are.
        settings: of the workers.
    """

    def __init__(self, stack: Stack, settings: Settings) -> None:
        self._stack = stack
        self._settings = settings
        self._found: deque[int] = deque()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lps-silence", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(1)

    def turn(self) -> None:
        """End those that were found; the stack starts them again."""
        while self._found:
            self._stack.kill(self._found.popleft(), f"was silent for {LEASES} leases")

    def _run(self) -> None:
        before: set[int] = set()
        while not self._stop.wait(self._settings.queue.lease_s / 3):
            now = self._look()
            self._found.extend(now & before)
            before = now - before

    def _look(self) -> set[int]:
        try:
            with closing(connect(self._settings.database.dsn(), application="lps silence")) as connection:
                connection.autocommit = True
                return neighbours.silent(connection.cursor(), LEASES * self._settings.queue.lease_s)
        except DatabaseDown:
            # Nobody can be heard of then.
            return set()
