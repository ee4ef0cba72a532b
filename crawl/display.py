"""The screen that browsers draw on: one Xvfb per worker process, started on demand, gone with us."""

from __future__ import annotations

import select
import shutil
import subprocess
import threading
from typing import TYPE_CHECKING

from crawl.browser_process import Guarded, new_folder
from errors import BrowserMissing

if TYPE_CHECKING:
    from typing import IO

START_S = 10.0
"""Longest a display may take to answer, seconds; 0.1 is usual."""


class Display:
    """A virtual X server of one size; safe to use from several threads."""

    def __init__(self, width: int, height: int) -> None:
        self._size = f"{width}x{height}x24"
        self._lock = threading.Lock()
        self._server: Guarded | None = None
        self._name = ""

    def name(self) -> str:
        """The display's name, e.g. ":101"; starts the server if none runs.

        Raises: BrowserMissing when there is no Xvfb or it does not start.
        """
        with self._lock:
            if self._server is None or not self._server.running:
                self._stop()
                self._start()
            return self._name

    def close(self) -> None:
        """Stop the server; calling it twice is harmless, and `name` starts it again."""
        with self._lock:
            self._stop()

    def forget(self) -> None:
        """In a forked child: the server is the parent's."""
        self._lock = threading.Lock()
        self._server = None

    def _start(self) -> None:
        program = shutil.which("Xvfb")
        if program is None:
            raise BrowserMissing("no Xvfb: install it (apt-get install xvfb) or set [browser] headless = true")
        folder = new_folder()
        # SIGTERM first, or Xvfb leaves its lock file and socket in /tmp.
        server = Guarded(
            [
                program,
                "-displayfd",
                "1",
                "-screen",
                "0",
                self._size,
                "-nolisten",
                "tcp",
                "-noreset",
                "-fbdir",
                str(folder),
            ],
            folder,
            grace_s=1,
            stdout=subprocess.PIPE,
        )
        number = _first_line(server.process.stdout)
        if not number.isdigit():
            said = server.messages.strip().splitlines()
            server.kill()
            server.wait()
            raise BrowserMissing(f"Xvfb does not start: {said[-1] if said else 'no answer'}")
        self._server, self._name = server, f":{number}"

    def _stop(self) -> None:
        if self._server:
            self._server.end()
            self._server.wait()
            self._server = None


def _first_line(stream: IO[bytes] | None) -> str:
    """What the server says on its first line, empty when it ends or stays silent."""
    if stream is None:
        return ""
    # poll, not select: a process full of browsers has files beyond 1,023.
    ready = select.poll()
    ready.register(stream, select.POLLIN | select.POLLHUP)
    if not ready.poll(START_S * 1000):
        return ""
    return stream.readline().decode().strip()
