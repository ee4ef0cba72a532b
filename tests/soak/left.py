"""What browsers leave behind in this process and on this machine, and the accidents that befall them."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path

import psutil

KEPT = ("places", "lps_driver_")
"""Of the temporary files, those that are meant to stay."""


@dataclass(frozen=True)
class Left:
    """A look at one moment."""

    phase: str
    number: int
    zombies: int
    close_wait: int
    fds: int
    temporary: int
    browsers: int
    own_mb: int
    """Resident memory of this process."""
    browser_mb: int
    """PSS of all browsers together."""

    @property
    def unclean(self) -> str:
        """What may never be there, in words."""
        found = {"zombies": self.zombies, "connections in CLOSE_WAIT": self.close_wait}
        if self.temporary > 2 * self.browsers + 1:
            # A browser's folder and the display's.
            found["temporary files"] = self.temporary
        return ", ".join(f"{count} {name}" for name, count in found.items() if count)

    def __str__(self) -> str:
        return (
            f"{self.phase:>7} {self.number:>5}  zombies {self.zombies}  CLOSE_WAIT {self.close_wait}  "
            f"fds {self.fds:>3}  temp {self.temporary}  browsers {self.browsers}  own {self.own_mb} MB  "
            f"PSS of the browsers {self.browser_mb} MB"
        )


def look(phase: str, number: int) -> Left:
    """Count everything once."""
    me = psutil.Process()
    family = [(process, _line(process)) for process in me.children(recursive=True)]
    return Left(
        phase=phase,
        number=number,
        zombies=sum(line is None for _, line in family),
        close_wait=sum(one.status == psutil.CONN_CLOSE_WAIT for one in me.net_connections("tcp")),
        fds=me.num_fds(),
        temporary=sum(not path.name.startswith(KEPT) for path in Path(tempfile.gettempdir()).iterdir()),
        browsers=sum(_is_browser(line) for _, line in family),
        own_mb=me.memory_info().rss >> 20,
        browser_mb=sum(_pss(process) for process, line in family if line and "chrom" in line[0]) >> 20,
    )


def kill_renderers() -> None:
    """Every renderer of this process's browsers dies."""
    _signal("--type=renderer", signal.SIGKILL)


def stop_drivers() -> None:
    """Every driver of this process stops where it is."""
    _signal("/chromedriver", signal.SIGSTOP)


def _signal(mark: str, number: signal.Signals) -> None:
    for process in psutil.Process(os.getpid()).children(recursive=True):
        if any(mark in word for word in _line(process) or []):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)


def _line(process: psutil.Process) -> list[str] | None:
    """Its command line; None is a zombie, empty one that is gone."""
    try:
        return None if process.status() == psutil.STATUS_ZOMBIE else process.cmdline()
    except psutil.NoSuchProcess:
        return []


def _is_browser(line: list[str] | None) -> bool:
    words = line or [""]
    own = any(word.startswith("--user-data-dir") for word in words) and "--type=" not in " ".join(words)
    return own and "chrom" in words[0]


def _pss(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.NoSuchProcess:
        return 0
