"""Two small programs of the standard library that let no child outlive its supervisor.

`leash.py run PARENT COMMAND…`  becomes COMMAND, which gets SIGTERM from the kernel when the process PARENT ends
`leash.py sweep`                reads "+GROUP" and "-GROUP" lines until its stdin ends because the supervisor stopped or
                                was killed; process groups still listed then get SIGTERM and, 3 s later, SIGKILL
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

_PR_SET_PDEATHSIG = 1
_GRACE_S = 3.0


def run(parent: int, command: list[str]) -> int:
    """Become the command; returns only when the parent is gone already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() == parent:
        os.execvp(command[0], command)  # noqa: S606 - no shell is wanted
    return 1


def sweep() -> int:
    """Keep the list, then end whoever is on it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    groups = {group for group in groups if send(group, signal.SIGTERM)}
    deadline, never = time.monotonic() + _GRACE_S, threading.Event()
    while groups and time.monotonic() < deadline:
        never.wait(0.05)
        groups = {group for group in groups if send(group, 0)}
    for group in groups:
        send(group, signal.SIGKILL)
    return 0


def send(group: int, number: int) -> bool:
    """Signal a process group; False when it is gone."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def session(pid: int) -> int | None:
    """The session, which is also the first process group, that a process belongs to; None when it is gone."""
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


if __name__ == "__main__":
    sys.exit(sweep() if sys.argv[1] == "sweep" else run(int(sys.argv[2]), sys.argv[3:]))
