"""Waiting with a deadline: for a condition, for a file lock, for the end of a process; and who dies with whom."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from errors import Setup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NEVER = threading.Event()


def until(true: Callable[[], bool], deadline: float, step_s: float = 0.01) -> bool:
    """Wait until it holds; False when the deadline (time.monotonic() seconds) came first."""
    while not true():
        if time.monotonic() > deadline:
            return False
        _NEVER.wait(step_s)
    return True


def try_lock(descriptor: int, how: int) -> bool:
    """Take or change the lock of an open file now, or say that somebody else holds it."""
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock(path: Path, how: int, deadline: float) -> int:
    """Lock a file, made if it is missing; gives the descriptor, and closing that unlocks it.

    Raises:
        Setup: somebody else held it until the deadline.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    held = False
    try:
        held = until(lambda: try_lock(descriptor, how), deadline)
    finally:
        if not held:
            os.close(descriptor)
    if not held:
        raise Setup(f"another LPS has held {path} for too long")
    return descriptor


@contextlib.contextmanager
def locked(path: Path, seconds: float = 60) -> Iterator[None]:
    """Hold the lock of a file alone.

    Raises:
        Setup: as in `lock`.
    """
    descriptor = lock(path, fcntl.LOCK_EX, time.monotonic() + seconds)
    try:
        yield
    finally:
        os.close(descriptor)


def gone(pid: int) -> bool:
    """Whether the process is no more."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # A child of ours stays a zombie until somebody asks.
    return not Path(f"/proc/{pid}").exists()


def free_port(wanted: int = 0) -> int:
    """A loopback port nobody listens on: the wanted one, or 0 when that is taken; any when none is wanted."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            return 0
        return int(probe.getsockname()[1])
