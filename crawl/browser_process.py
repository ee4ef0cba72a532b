"""A program under guard: it ends with us, whatever way we end, and leaves neither process nor file.

The guard (`browser_guard.py`) is a small process that holds the read end of a pipe whose write end only we hold.
PR_SET_PDEATHSIG alone would not do: it fires when the starting *thread* ends, and worker threads come and go.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

GUARD = Path(__file__).with_name("browser_guard.py")
PREFIX = "lps_browser_"
"""Of every folder of ours in the temp directory; the operators' guide finds leftovers by `/tmp/lps_`."""
END_S = 7.0
"""Longest a guard needs to end everything, seconds."""

_guards: weakref.WeakSet[Guarded] = weakref.WeakSet()


class Guarded:
    """One guarded program and its own folder."""

    def __init__(self, command: Sequence[str], folder: Path, *, grace_s: float = 0, stdout: int | None = None) -> None:
        """Start `command`; `folder` exists, belongs to it alone and is removed with it.

        Args:
            command: program and arguments.
            folder: where its messages (`program.log`) and whatever else it makes goes.
            grace_s: seconds between SIGTERM and SIGKILL when the worker is gone; 0 kills at once.
            stdout: as in `subprocess.Popen`; None is nowhere.
        """
        self.folder = folder
        self._lock = threading.Lock()
        self.process = subprocess.Popen(  # noqa: S603 - the program is the operator's own
            [sys.executable, "-I", "-S", str(GUARD), str(grace_s), str(folder), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL if stdout is None else stdout,
            stderr=subprocess.DEVNULL,
        )
        _guards.add(self)

    @property
    def running(self) -> bool:
        """Whether the program runs and nobody has asked it to end."""
        if self.process.poll() is not None or not self.process.stdin or self.process.stdin.closed:
            return False
        return not (self.folder / "ended").exists()

    @property
    def messages(self) -> str:
        """What the program wrote to its standard error."""
        try:
            return (self.folder / "program.log").read_text("utf-8", "replace")
        except OSError:
            return ""

    def kill(self) -> None:
        """Have the guard kill the whole tree now; returns at once, may be called from any thread and more than once."""
        self._say(b"")

    def end(self) -> None:
        """Have the guard end the program politely; returns at once."""
        self._say(b"q")

    def wait(self, timeout_s: float = END_S) -> None:
        """Wait until nothing is left; a guard that does not manage in time is killed, and the program with it."""
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        # Already gone, unless somebody killed the guard.
        shutil.rmtree(self.folder, ignore_errors=True)

    def _say(self, word: bytes) -> None:
        with self._lock:
            pipe = self.process.stdin
            if pipe is None or pipe.closed:
                return
            with contextlib.suppress(BrokenPipeError):
                os.write(pipe.fileno(), word)
            pipe.close()

    def forget(self) -> None:
        """In a forked child: let go of the parent's program, so that its pipe ends with the parent alone."""
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.returncode = 0


def new_folder() -> Path:
    """An empty folder for one program, readable by us alone."""
    return Path(tempfile.mkdtemp(prefix=PREFIX))


def _after_fork() -> None:
    for guard in list(_guards):
        guard.forget()


os.register_at_fork(after_in_child=_after_fork)
