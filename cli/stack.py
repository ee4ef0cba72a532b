"""The supervisor: starts processes in order, keeps them running, stops them in order, and lets none outlive it.

Each unit is a session of its own, so that a Ctrl-C reaches this process alone. What a unit says goes to the log file,
a line each with its name in front. A unit that ends is started again after 0.5, 1, 2 … 8 s; one that keeps ending is
given up with its last lines. If this process is killed, the kernel and the sweeper (cli/leash.py) end the units.

All methods belong to one thread: a unit dies with the thread that started it.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import IO, TYPE_CHECKING, Self

from cli import leash
from embedded.waiting import until
from errors import Setup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
_LEASH = str(Path(leash.__file__))
_STEADY_S = 20.0
_MAX_WAIT_S = 8.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """One process to keep running."""

    name: str
    command: tuple[str, ...]
    answers: Callable[[], bool] | None = None
    """Whether it is ready; None when that cannot be asked."""
    stop_s: float = 5
    """Seconds it may take to end after SIGTERM."""


class Crashed(Setup):
    """A process keeps ending."""


@dataclass
class _Running:
    unit: Unit
    process: subprocess.Popen[str] | None = None
    reader: threading.Thread | None = None
    said: deque[str] = field(default_factory=lambda: deque(maxlen=12))
    started: float = 0
    failures: int = 0
    again_at: float = 0


class Stack:
    """Units that run together.

    Args:
        env: the whole environment of every unit.
        log: file that all output is appended to.
        crashes: ends in a row, without a steady time in between, after which a unit is given up.
        backoff_s: seconds before the first restart; each further one waits twice as long.
    """

    def __init__(self, *, env: Mapping[str, str], log: Path, crashes: int = 5, backoff_s: float = 0.5) -> None:
        # glibc keeps an arena of its own for each thread that ever asked: many megabytes in a process of many threads.
        self.env = {"MALLOC_ARENA_MAX": "2"} | dict(env)
        self.log = log
        self.crashes = crashes
        self.backoff_s = backoff_s
        self.hurry = threading.Event()
        """Set it to have `stop` kill what has not ended yet."""
        self.echo: Callable[[str], None] | None = None
        """Also gets each line of the log; called from several threads."""
        self._units: list[_Running] = []
        self._sweeper: subprocess.Popen[str] | None = None
        self._file: IO[str] | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, unit: Unit) -> None:
        """Start one unit and supervise it from now on; it need not answer yet."""
        if self._file is None:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.log.open("a", encoding="utf-8")
        running = _Running(unit)
        self._units.append(running)
        self._spawn(running)

    def wait_ready(self, *names: str, timeout_s: float = 30, stopping: threading.Event | None = None) -> None:
        """Supervise until these units answer, or until `stopping` is set.

        Raises:
            Crashed: one keeps ending, or does not answer in time.
        """
        waiting = [running.unit for running in self._units if running.unit.name in names]

        def ready() -> bool:
            self.turn()
            return bool(stopping and stopping.is_set()) or all(unit.answers() for unit in waiting if unit.answers)

        if not until(ready, time.monotonic() + timeout_s, step_s=0.02):
            silent = next(unit.name for unit in waiting if unit.answers and not unit.answers())
            raise Crashed(f"{silent} does not answer within {timeout_s:g} s; see {self.log}")

    def turn(self) -> None:
        """Look after every unit once: note who ended, start again who has waited long enough.

        Raises:
            Crashed: a unit keeps ending; the text holds its last lines.
        """
        now = time.monotonic()
        if self._sweeper is not None and self._sweeper.poll() is not None:
            self._start_sweeper()
        for running in self._units:
            if running.process is None:
                if now >= running.again_at:
                    self._spawn(running)
            elif running.process.poll() is not None:
                self._ended(running, now)

    def kill(self, pid: int, why: str) -> bool:
        """End the unit that this process belongs to; the next turn starts it again. False if it is nobody's here."""
        for running in self._units:
            if running.process is not None and leash.session(pid) == running.process.pid:
                self._write(f"{running.unit.name:>9} │ {why}; ending it")
                return leash.send(running.process.pid, SIGKILL)
        return False

    def pids(self) -> dict[str, int]:
        """The pid of every running unit by its name."""
        return {running.unit.name: running.process.pid for running in self._units if running.process}

    def stop(self) -> None:
        """End the units, the last started first and `worker-1`, `worker-2` … together; nothing of them is left then."""
        for _, group in itertools.groupby(reversed(self._units), _kind):
            self._end(list(group))
        self._units.clear()
        if self._sweeper is not None:
            self._sweeper.communicate()
            self._sweeper = None
        if self._file is not None:
            self._file.close()
            self._file = None

    def _spawn(self, running: _Running) -> None:
        if self._sweeper is None:
            self._start_sweeper()
        running.started = time.monotonic()
        running.process = subprocess.Popen(
            [sys.executable, "-I", "-S", _LEASH, "run", str(os.getpid()), *running.unit.command],
            cwd=ROOT,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self._tell_sweeper(f"+{running.process.pid}")
        running.reader = threading.Thread(target=self._read, args=(running, running.process.stdout), daemon=True)
        running.reader.start()

    def _start_sweeper(self) -> None:
        if self._sweeper is not None and self._sweeper.stdin:
            self._sweeper.stdin.close()
        self._sweeper = subprocess.Popen(
            [sys.executable, "-I", "-S", _LEASH, "sweep"],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        for pid in self.pids().values():
            self._tell_sweeper(f"+{pid}")

    def _tell_sweeper(self, line: str) -> None:
        if self._sweeper is None or self._sweeper.stdin is None:
            return
        try:
            self._sweeper.stdin.write(f"{line}\n")
            self._sweeper.stdin.flush()
        except BrokenPipeError:
            return  # It was killed; the next turn starts another one with the whole list.

    def _read(self, running: _Running, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                text = line.rstrip()
                running.said.append(text)
                self._write(f"{running.unit.name:>9} │ {text}")

    def _write(self, line: str) -> None:
        with self._lock:
            if self._file is not None and not self._file.closed:
                self._file.write(f"{line}\n")
                self._file.flush()
            if self.echo is not None:
                self.echo(line)

    def _ended(self, running: _Running, now: float) -> None:
        process = running.process
        if process is None:
            return
        self._clean(running, process)
        running.failures = 1 if now - running.started > _STEADY_S else running.failures + 1
        status = process.returncode
        how = f"ended with status {status}" if status >= 0 else f"was ended by signal {-status}"
        if running.failures >= self.crashes:
            last = "\n".join(f"  {line}" for line in running.said)
            raise Crashed(f"{running.unit.name} {how}, {running.failures} times in a row; its last lines:\n{last}")
        wait_s = min(self.backoff_s * 2 ** (running.failures - 1), _MAX_WAIT_S)
        running.again_at = now + wait_s
        self._write(f"{running.unit.name:>9} │ {how}; starting it again in {wait_s:g} s")

    def _end(self, group: Sequence[_Running]) -> None:
        for running in group:
            if running.process is not None and running.process.poll() is None:
                running.process.send_signal(SIGTERM)
        deadline = time.monotonic() + max(running.unit.stop_s for running in group)
        until(lambda: self.hurry.is_set() or all(_over(running) for running in group), deadline)
        for running in group:
            if running.process is not None:
                self._clean(running, running.process)

    def _clean(self, running: _Running, process: subprocess.Popen[str]) -> None:
        """End what a unit left behind in its session, and itself if it still runs."""
        leash.send(process.pid, SIGKILL)
        process.wait()
        self._tell_sweeper(f"-{process.pid}")
        running.process = None
        if running.reader is not None:
            running.reader.join(1)


def _over(running: _Running) -> bool:
    return running.process is None or running.process.poll() is not None


def _kind(running: _Running) -> str:
    return running.unit.name.partition("-")[0]
