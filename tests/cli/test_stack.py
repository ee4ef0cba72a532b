"""The supervisor with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cli.stack import Crashed, Stack, Unit
from embedded.waiting import gone, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent.parent
STAYS = (
    "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\nprint('up', flush=True)\n"
    "signal.sigwait([signal.SIGTERM])\nprint('{0} stopped', flush=True)"
)
DEAF = (
    "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\nwhile True: signal.pause()"
)
PARENT = (
    "import subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
    "print('child', child.pid, flush=True)\nchild.wait()"
)
OWNER = """
import sys, pathlib, threading
from cli.stack import Stack, Unit
with Stack(env={"PATH": "/usr/bin:/bin"}, log=pathlib.Path(sys.argv[1])) as stack:
    for number, text in enumerate(sys.argv[2:]):
        stack.start(Unit(name=f"unit-{number}", command=(sys.executable, "-c", text)))
    print(*stack.pids().values(), flush=True)
    threading.Event().wait()
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the stack writes."""
    return tmp_path / "state" / "stack.log"


@pytest.fixture
def stack(log: Path) -> Iterator[Stack]:
    """A stack that gives up soon."""
    with Stack(env={"PATH": "/usr/bin:/bin"}, log=log, crashes=3, backoff_s=0.05) as stack:
        yield stack


def unit(name: str, text: str, **rest: object) -> Unit:
    """A unit that runs a piece of Python."""
    return Unit(name=name, command=(sys.executable, "-c", text), **rest)  # type: ignore[arg-type]


def soon(true: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether it holds within some seconds."""
    return until(true, time.monotonic() + seconds)


def says(log: Path, text: str) -> Callable[[], bool]:
    """Whether the log holds it by now."""
    return lambda: log.exists() and text in log.read_text(encoding="utf-8")


def test_what_units_say_is_logged_under_their_name(stack: Stack, log: Path) -> None:
    """One file for all, a line each; `echo` gets the same."""
    lines: list[str] = []
    stack.echo = lines.append
    stack.start(unit("alpha", "print('햇반', flush=True); import sys; print('oops', file=sys.stderr)"))
    assert soon(says(log, "alpha │ oops"))
    assert "    alpha │ 햇반" in log.read_text(encoding="utf-8").splitlines()
    assert "    alpha │ 햇반" in lines


def test_units_stop_in_the_reverse_order(log: Path) -> None:
    """The last started is stopped first, and its stop is waited for."""
    with Stack(env={}, log=log) as stack:
        for name in ("first", "second", "third"):
            stack.start(unit(name, STAYS.format(name)))
        assert soon(lambda: log.read_text(encoding="utf-8").count("up") == 3)
    said = [line.split("│ ")[1] for line in log.read_text(encoding="utf-8").splitlines() if "stopped" in line]
    assert ["third stopped", "second stopped", "first stopped"] == said


def test_a_killed_unit_is_started_again(stack: Stack, log: Path) -> None:
    """After a short wait, under another pid."""
    stack.start(unit("worker-1", STAYS))
    first = stack.pids()["worker-1"]
    assert soon(says(log, "up"))
    os.kill(first, signal.SIGKILL)
    assert soon(lambda: stack.turn() or stack.pids().get("worker-1", first) != first)  # type: ignore[func-returns-value]
    assert "was ended by signal 9; starting it again in 0.05 s" in log.read_text(encoding="utf-8")


def test_a_unit_that_keeps_ending_is_given_up_with_its_last_words(stack: Stack) -> None:
    """A loop of crashes ends with the reason in the error."""
    stack.start(unit("web", "raise SystemExit('no such module: webb')"))
    with pytest.raises(Crashed, match=r"web ended with status 1, 3 times in a row(.|\n)*no such module: webb"):
        assert soon(lambda: bool(stack.turn()))  # type: ignore[func-returns-value]


def test_a_unit_that_does_not_answer_is_an_error(stack: Stack) -> None:
    """Waiting for readiness has an end."""
    stack.start(unit("web", STAYS, answers=lambda: False))
    with pytest.raises(Crashed, match=r"web does not answer within 0\.2 s"):
        stack.wait_ready("web", timeout_s=0.2)


def test_a_deaf_unit_is_killed_when_its_time_is_over(stack: Stack, log: Path) -> None:
    """SIGTERM first, SIGKILL after `stop_s`."""
    stack.start(unit("deaf", DEAF, stop_s=0.3))
    assert soon(says(log, "up"))
    pid, before = stack.pids()["deaf"], time.monotonic()
    stack.stop()
    assert gone(pid)
    assert 0.3 <= time.monotonic() - before < 3


def test_a_hurried_stop_waits_for_nobody(stack: Stack, log: Path) -> None:
    """The second Ctrl-C."""
    stack.start(unit("deaf", DEAF, stop_s=60))
    assert soon(says(log, "up"))
    pid, before = stack.pids()["deaf"], time.monotonic()
    stack.hurry.set()
    stack.stop()
    assert gone(pid)
    assert time.monotonic() - before < 3


def test_what_a_killed_unit_left_behind_is_ended_too(stack: Stack, log: Path) -> None:
    """A worker of dramatiq outlives its killed master: the whole session goes."""
    stack.start(unit("worker-1", PARENT))
    assert soon(says(log, "child"))
    child = int(log.read_text(encoding="utf-8").split("child ")[1].split()[0])
    os.kill(stack.pids()["worker-1"], signal.SIGKILL)
    assert soon(lambda: bool(stack.turn()) or gone(child))  # type: ignore[func-returns-value]


@pytest.mark.chaos
@pytest.mark.parametrize("texts", [(STAYS, PARENT), (DEAF,)], ids=["obedient", "deaf"])
def test_nothing_outlives_a_killed_supervisor(log: Path, texts: tuple[str, ...]) -> None:
    """The kernel and the sweeper end units and their children."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(log), *texts], cwd=ROOT, text=True, stdout=subprocess.PIPE
    )
    with owner:
        assert owner.stdout is not None
        pids = [int(pid) for pid in owner.stdout.readline().split()]
        assert soon(says(log, "up"))
        if PARENT in texts:
            assert soon(says(log, "child"))
            pids.append(int(log.read_text(encoding="utf-8").split("child ")[1].split()[0]))
        owner.kill()
    assert soon(lambda: all(map(gone, pids)))


@pytest.mark.chaos
def test_a_killed_sweeper_is_replaced(stack: Stack, log: Path) -> None:
    """Both would have to be killed in the same moment for a unit to be left."""
    stack.start(unit("one", STAYS))
    assert soon(says(log, "up"))
    sweeper = stack._sweeper
    assert sweeper is not None
    sweeper.kill()
    sweeper.wait()
    stack.turn()
    assert stack._sweeper is not None
    assert stack._sweeper.poll() is None
