"""How many browsers this machine runs at once, over all worker processes.

A place is a locked file: the kernel frees it when its process dies. Who finds none free says so by touching `wanted`;
a process with an idle browser sees it and gives that one up. A profile that lasts is held in the same way.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from pathlib import Path
from typing import IO

WANTED_S = 1.0
"""For how long a wish counts, seconds; who waits renews it."""
MOST_PROFILES = 64


class Place:
    """One browser's place on the machine."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def free(self) -> None:
        """Give it up; calling it twice is harmless."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class Places:
    """The places of one machine: every process that names the same folder shares them.

    Args:
        per_machine: `[browser] per_machine`; 0 is one per usable core, and more than two per core is two.
        folder: by default one of this user's in the temp directory.
    """

    def __init__(self, per_machine: int, folder: Path | None = None) -> None:
        cores = len(os.sched_getaffinity(0))
        self.count = min(per_machine or cores, 2 * cores)
        self._folder = folder or Path(tempfile.gettempdir()) / f"lps_places_{os.getuid()}"

    def take(self) -> Place | None:
        """A free place, or None after saying that one is wanted."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for number in range(self.count):
            descriptor = os.open(self._folder / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                continue
            return Place(descriptor)
        (self._folder / "wanted").touch()
        return None

    def wanted(self) -> bool:
        """Whether another process waits for a place at this moment."""
        try:
            touched = (self._folder / "wanted").stat().st_mtime
        except FileNotFoundError:
            return False
        return time.time() - touched < WANTED_S


class Profile:
    """A profile that lasts, held by one browser at a time over all processes; none without a folder for it."""

    def __init__(self, folder: str) -> None:
        self.path: Path | None = None
        self._held: IO[str] | None = None
        for number in range(MOST_PROFILES if folder else 0):
            path = Path(folder) / f"profile-{number}"
            path.mkdir(parents=True, exist_ok=True)
            held = path.with_suffix(".lock").open("w")
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.close()
                continue
            for stale in path.glob("Singleton*"):
                # Of a browser that was killed, perhaps in a container of another name: Chromium would refuse to start.
                stale.unlink(missing_ok=True)
            self.path, self._held = path, held
            return

    def free(self) -> None:
        """Let another browser have it."""
        if self._held:
            self._held.close()
