"""How many browsers this machine runs at once, over all worker processes.

A place is a locked file: the kernel frees it when its process dies. Who finds none free says so by touching `wanted`;
a process with an idle browser sees it and gives that one up. A profile that lasts is held in the same way.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import IO

WANTED_S = 1.0
"""For how long a wish counts, seconds; who waits renews it."""
MOST_PROFILES = 64
PER_CORE = 2
"""A page costs a core half a second: more than so many browsers a core only wait for each other."""
GENERATION = "lps_generation"


class Place:
    """One browser's place on the machine."""

    def __init__(self, descriptor: int, *, extra: bool) -> None:
        self._descriptor = descriptor
        self.extra = extra
        """Beyond what the machine should run: not to be kept after use."""

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
        self.most = PER_CORE * cores
        """No more than these, whatever happens."""
        self.count = min(per_machine or cores, self.most)
        """What the machine should run."""
        self._folder = folder or Path(tempfile.gettempdir()) / f"lps_places_{os.getuid()}"

    def take(self, *, extra: bool = False) -> Place | None:
        """A free place, or None after saying that one is wanted.

        Args:
            extra: take one beyond `count` too: a process that hangs with its places must not keep the others waiting.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for number in range(self.most if extra else self.count):
            descriptor = os.open(self._folder / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                continue
            return Place(descriptor, extra=number >= self.count)
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
    """A profile that lasts, held by one browser at a time over all processes; none without a folder for it.

    Args:
        folder: where profiles are kept; empty = nowhere.
        name: whose it is; a second browser under the same name gets a profile of its own beside it.
        generation: the address it is used from; a profile of another address is emptied first.
    """

    def __init__(self, folder: str, name: str = "", generation: int = 0) -> None:
        self.path: Path | None = None
        self._held: IO[str] | None = None
        for number in range(MOST_PROFILES if folder else 0):
            path = Path(folder) / f"{name or 'profile'}-{number}"
            path.mkdir(parents=True, exist_ok=True)
            held = path.with_name(f"{path.name}.lock").open("w")
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.close()
                continue
            self.path, self._held = path, held
            self._prepare(generation)
            return

    def _prepare(self, generation: int) -> None:
        if not self.path:
            return
        if self._generation() not in ("", str(generation)):
            shutil.rmtree(self.path)
            self.path.mkdir()
        for stale in self.path.glob("Singleton*"):
            # Of a browser that was killed, perhaps in a container of another name: Chromium would refuse to start.
            stale.unlink(missing_ok=True)
        self.belongs_to(generation)

    def _generation(self) -> str:
        try:
            return (self.path / GENERATION).read_text("ascii") if self.path else ""
        except FileNotFoundError:
            return ""

    def belongs_to(self, generation: int) -> None:
        """Remember from which address it is used."""
        if self.path:
            (self.path / GENERATION).write_text(str(generation), "ascii")

    def free(self) -> None:
        """Let another browser have it; calling it twice is harmless."""
        if self._held:
            self._held.close()
