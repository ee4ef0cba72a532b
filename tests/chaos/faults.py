"""What goes wrong in a chaos run, and the processes it happens to."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    import embedded

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
_SHIELDED = ("browser_guard", "chrom", "Xvfb")
"""Processes that live on when a worker is killed: what they do about it is part of what is tried."""


@dataclass(order=True)
class Fault:
    """One thing that goes wrong."""

    at_s: float
    kind: str
    """kill, stop, or restart (of PostgreSQL)."""
    unit: int = 0
    for_s: float = 0


def schedule(seed: int, seconds: float, units: int, lease_s: float) -> list[Fault]:
    """Faults at random moments, the same for the same seed; a stop lasts beyond the lease as often as not."""
    random = Random(seed)  # noqa: S311 - repeatable, not secret
    faults, at = [], 3.0
    while at < seconds - 3:
        kind = random.choices(("kill", "stop", "restart"), weights=(5, 4, 2))[0]
        faults.append(Fault(at, kind, random.randrange(units), random.uniform(0.4, 1.8) * lease_s))
        at += random.uniform(2.5, 7.5)
    return faults


@dataclass
class Unit:
    """One worker process under a supervisor that starts it again."""

    name: str
    command: list[str]
    env: dict[str, str]
    log: Path
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _again_at: float = 0

    def keep(self) -> None:
        """Start it if it is not there; half a second after it ended, as a supervisor would."""
        if self._process is not None and self._process.poll() is not None:
            self._end_rest()
            self._process, self._again_at = None, time.monotonic() + 0.5
        if self._process is None and time.monotonic() >= self._again_at:
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(
                    self.command, cwd=ROOT, env=self.env, stdout=log, stderr=log, start_new_session=True
                )
            self.starts += 1

    def signal(self, number: signal.Signals) -> None:
        """Send it to the worker's own processes."""
        for process in self._members():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)

    def _members(self) -> list[psutil.Process]:
        if self._process is None:
            return []
        try:
            master = psutil.Process(self._process.pid)
            found = [master, *master.children(recursive=True)]
            return [one for one in found if not any(word in " ".join(one.cmdline()) for word in _SHIELDED)]
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            return []

    def _end_rest(self) -> None:
        # dramatiq's master is gone and its child would live on: the supervisor's business (tasks run as one group).
        assert self._process
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def stop(self, grace_s: float = 25) -> float:
        """End it in good order; seconds that took."""
        if self._process is None:
            return 0
        started = time.monotonic()
        self.signal(signal.SIGCONT)
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            self._process.wait()
        self._end_rest()
        return time.monotonic() - started


class Faults:
    """Lets a schedule happen to several rows of units at once, the same to each.

    Args:
        cluster: their PostgreSQL.
        rows: units by number; a fault of unit n meets the n-th of every row.
        faults: what happens when.
    """

    def __init__(self, cluster: embedded.Cluster, rows: list[list[Unit]], faults: list[Fault]) -> None:
        self._cluster = cluster
        self._rows = rows
        self._due = sorted(faults)
        self._continue: list[tuple[float, int]] = []
        self._restarting: threading.Thread | None = None
        self.counts = {"kill": 0, "stop": 0, "restart": 0}
        self.up_since = time.monotonic()

    def step(self, now_s: float) -> None:
        """What is due by now happens; units that ended are started again."""
        while self._due and self._due[0].at_s <= now_s:
            self._happen(self._due.pop(0), now_s)
        for at, number in [one for one in self._continue if one[0] <= now_s]:
            self._continue.remove((at, number))
            self._signal(number, signal.SIGCONT)
        for row in self._rows:
            for unit in row:
                unit.keep()

    def _happen(self, fault: Fault, now_s: float) -> None:
        if self._restarting and fault.kind == "restart":
            self._restarting.join()
        self.counts[fault.kind] += 1
        if fault.kind == "restart":
            # Beside everything else, so that submissions and searches meet a database that is away.
            self._restarting = threading.Thread(target=self._restart)
            self._restarting.start()
        elif fault.kind == "kill":
            self._signal(fault.unit, signal.SIGKILL)
        else:
            self._signal(fault.unit, signal.SIGSTOP)
            self._continue.append((now_s + fault.for_s, fault.unit))

    def _restart(self) -> None:
        restart(self._cluster)
        self.up_since = time.monotonic()

    def _signal(self, number: int, which: signal.Signals) -> None:
        for row in self._rows:
            row[number].signal(which)

    def over(self) -> None:
        """No more of them; whoever is stopped goes on."""
        if self._restarting:
            self._restarting.join()
        self._due.clear()
        self._continue.clear()
        for row in self._rows:
            for unit in row:
                unit.signal(signal.SIGCONT)


def restart(cluster: embedded.Cluster) -> None:
    """`pg_ctl restart -m immediate`: no checkpoint, every connection dies, recovery from the log."""
    server = cluster.postmaster()
    assert server
    os.kill(server.pid, signal.SIGQUIT)
    deadline, tick = time.monotonic() + 20, threading.Event()
    while cluster.postmaster() is not None and time.monotonic() < deadline:
        tick.wait(0.02)
    cluster.start()
