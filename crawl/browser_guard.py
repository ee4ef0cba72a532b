"""Run one program and let nothing of it outlive the worker: `python -I -S browser_guard.py GRACE FOLDER PROGRAM ARG…`.

Standard input is a pipe that only the worker holds. A byte ends the program politely (SIGTERM, then SIGKILL); the
pipe's end means that the worker is gone, however it went, and ends it after GRACE seconds. Either way the whole tree
is killed and FOLDER removed. This process is a child subreaper, so what Chromium detaches comes back here and is
reaped here; SIGKILL of this process takes the program along through PR_SET_PDEATHSIG. It imports nothing of ours.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import shutil
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
POLITE_S = 2.0
"""How long a program that was asked to end may take; a browser writes its cookies in it."""
KILL_S = 4.0
"""How long killing is repeated; a process in uninterruptible sleep can outlast it."""

_libc = ctypes.CDLL(None, use_errno=True)


def _spawn(command: list[str], log: str) -> int:
    """Start `command` with our standard output, its messages in `log`; it dies with this process."""
    guard = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
        if os.getppid() == guard:
            os.execvp(command[0], command)  # noqa: S606 -- no shell is wanted here
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def _reap() -> set[int]:
    """Collect every child that has ended."""
    ended: set[int] = set()
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not pid:
            return ended
        ended.add(pid)


def _parents() -> dict[int, int]:
    """Pid → parent's pid of every process; zombies too, whose last threads may still be writing until reaped."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 -- this process imports as little as it can
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:  # noqa: PTH123 -- as above
                parents[int(name)] = int(stat.read().rpartition(b")")[2].split()[1])
        except OSError:
            continue
    return parents


def _started_from(pid: int, folder: str) -> bool:
    """Whether a process's program lies in `folder`, as the driver's does, which is the worker's child and not ours."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as cmdline:  # noqa: PTH123 -- as above
            return cmdline.read().startswith(f"{folder}/".encode())
    except OSError:
        return False


def _members(folder: str) -> set[int]:
    """Everything that belongs to this program and still runs."""
    parents = _parents()
    me = os.getpid()
    found = {pid for pid in parents if _started_from(pid, folder)}
    grew = True
    while grew:
        children = {pid for pid, parent in parents.items() if parent == me or parent in found}
        grew = not children <= found
        found |= children
    return found - {me}


def _kill_all(folder: str, wake: int) -> None:
    until = time.monotonic() + KILL_S
    while (members := _members(folder)) and time.monotonic() < until:
        for pid in members:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        _drain(wake, 0.02)
        _reap()
    _reap()


def _drain(wake: int, timeout_s: float) -> None:
    """Wait until a child ends or the time is over."""
    if select.select([wake], [], [], timeout_s)[0]:
        os.read(wake, 4096)


def _serve(child: int, wake: int) -> bool:
    """Wait for the worker's word or the program's end; whether the program may end politely."""
    running = True
    while running:
        readable = select.select([0, wake], [], [])[0]
        if wake in readable:
            if signal.SIGTERM in os.read(wake, 4096):
                return True
            running = child not in _reap()
        if 0 in readable:
            return bool(os.read(0, 1))
    return False


def _end_politely(child: int, wake: int, grace_s: float) -> None:
    try:
        os.kill(child, signal.SIGTERM)
    except ProcessLookupError:
        return
    until = time.monotonic() + grace_s
    while child not in _reap() and (left := until - time.monotonic()) > 0:
        _drain(wake, left)


def main(argv: list[str]) -> None:
    """Run until the program or the worker ends, then clean up."""
    grace_s, folder, command = float(argv[0]), argv[1], argv[2:]
    os.setsid()
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake, waker = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(waker)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_SH)
    child = _spawn(command, f"{folder}/program.log")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    polite = _serve(child, wake)
    if polite or grace_s:
        _end_politely(child, wake, POLITE_S if polite else grace_s)
    _kill_all(folder, wake)
    # A program that ended by itself leaves its messages for the worker to read; the folder goes when the worker says.
    os.close(os.open(f"{folder}/ended", os.O_WRONLY | os.O_CREAT, 0o600))
    while not polite and os.read(0, 1):
        polite = True
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
