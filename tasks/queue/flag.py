"""A flag that also calls whoever has to be stopped: work that waits for the outside cannot look at a flag."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Flag(threading.Event):
    """An event; while `calling` is open, setting it calls, once, in a thread of its own."""

    _call: _Call | None = None

    def set(self) -> None:
        """Raise it; returns at once."""
        super().set()
        call = self._call
        if call:
            threading.Thread(target=call.run, name="lps-stop", daemon=True).start()

    @contextmanager
    def calling(self, stop: Callable[[], None]) -> Iterator[None]:
        """Have `stop` called if the flag is, or gets, raised meanwhile; never after this has ended."""
        self._call = call = _Call(stop)
        try:
            if self.is_set():
                call.run()
            yield
        finally:
            self._call = None
            call.close()


class _Call:
    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._lock = threading.Lock()
        self._closed = False

    def run(self) -> None:
        """Call, unless that was done or is over."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._stop()

    def close(self) -> None:
        """Call no more; waits for a call under way, which must not hit what comes next in this thread."""
        with self._lock:
            self._closed = True
