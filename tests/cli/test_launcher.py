"""./lps and launch.py in checkouts of their own, with empty locks, so that nothing is fetched."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from embedded.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent.parent
MAIN = """
import sys
def main():
    print(sys.prefix, *sys.argv[1:])
    return int(sys.argv[2]) if len(sys.argv) > 2 else 0
"""


def copied(folder: Path) -> Path:
    """A checkout whose command prints its environment's folder and its arguments."""
    (folder / "cli").mkdir(parents=True)
    for name in ("lps", "launch.py"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("requirements.lock", "requirements-dev.lock"):
        (folder / name).write_text("", encoding="utf-8")
    (folder / "cli" / "__init__.py").touch()
    (folder / "cli" / "__main__.py").write_text(MAIN, encoding="utf-8")
    (folder / "cli" / "machine.py").touch()
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that has never been used."""
    return copied(tmp_path / "a b")


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with an environment that works."""
    folder = copied(tmp_path_factory.mktemp("used") / "checkout")
    assert 0 == lps(folder, "x").returncode
    return folder


@pytest.fixture
def made(used: Path) -> Path:
    """The used checkout with its locks as they were, none of which counts as installed."""
    for name in ("requirements.lock", "requirements-dev.lock"):
        (used / name).write_text("", encoding="utf-8")
    (used / ".venv" / "lps.json").unlink(missing_ok=True)
    return used


def lps(checkout: Path, *arguments: str, path: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run ./lps as a newcomer would: an empty home, and nothing set but PATH."""
    home = checkout.parent / "home"
    home.mkdir(exist_ok=True)
    own = f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin"
    clean = {"PATH": path or own, "HOME": str(home), **env}
    command = [str(checkout / "lps"), *arguments]
    return subprocess.run(command, env=clean, capture_output=True, text=True, check=False, cwd="/")


def program(folder: Path, name: str, text: str) -> None:
    """An executable shell script."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


def test_the_first_use_makes_the_environment_and_later_ones_find_it(checkout: Path) -> None:
    """Said on stderr, so that stdout is the command's; exit status and arguments are passed on."""
    first = lps(checkout, "search", "3")
    assert (f"{checkout}/.venv search 3\n", 3) == (first.stdout, first.returncode)
    assert "first use" in first.stderr
    again = lps(checkout, "search", "0")
    assert (f"{checkout}/.venv search 0\n", "", 0) == (again.stdout, again.stderr, again.returncode)


def test_a_changed_lock_is_installed(made: Path) -> None:
    """The stamp holds the lock's sha256."""
    lps(made, "x")
    (made / "requirements.lock").write_text("# another\n", encoding="utf-8")
    assert "installing" in lps(made, "x").stderr
    assert lps(made, "x").stderr == ""


def test_tests_need_the_dev_lock_and_everything_else_is_in_it(made: Path) -> None:
    """`./lps test` installs the larger lock, after which `./lps up` has what it needs."""
    assert "requirements-dev.lock" in lps(made, "test").stderr
    assert "" == lps(made, "up").stderr
    assert "dev" == json.loads((made / ".venv" / "lps.json").read_text())["kind"]


def test_two_first_uses_at_once_make_one(checkout: Path) -> None:
    """The second waits for the first and finds it done."""
    env = {"PATH": f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin"}
    both = [
        subprocess.Popen([checkout / "lps", "x"], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [process.communicate() for process in both]
    assert [0, 0] == [process.returncode for process in both]
    assert 1 == sum("making .venv" in stderr for _, stderr in said)
    assert 1 == sum("waiting for it" in stderr for _, stderr in said)


def test_an_interrupted_first_use_is_done_again(checkout: Path) -> None:
    """A half-made environment is recognised, whenever the kill came."""
    process = subprocess.Popen(
        [checkout / "lps", "x"],
        env={"PATH": f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin"},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert until((checkout / ".venv" / "bin" / "python").exists, time.monotonic() + 20)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = lps(checkout, "x")
    assert "half made" in done.stderr
    assert (f"{checkout}/.venv x\n", 0) == (done.stdout, done.returncode)


def test_an_old_python_is_named(checkout: Path, tmp_path: Path) -> None:
    """Without a Python that fits the message says what there is and what is needed."""
    bin_ = tmp_path / "bin"
    program(bin_, "python3", 'case "$2" in *print*) echo 3.9 ;; *) exit 1 ;; esac')
    for tool in ("sh", "dirname", "readlink", "id"):
        (bin_ / tool).symlink_to(shutil.which(tool) or tool)
    done = lps(checkout, "x", path=str(bin_), LPS_PYTHON="python3")
    assert 1 == done.returncode
    assert "Python 3.11, 3.12 or 3.13 is needed" in done.stderr
    assert "python3 is Python 3.9" in done.stderr


def test_a_shim_that_refuses_to_run_is_passed_over(checkout: Path, tmp_path: Path) -> None:
    """A version manager puts names on PATH for versions it will not run."""
    bin_ = tmp_path / "bin"
    for name in ("python3.13", "python3.12", "python3.11"):
        program(bin_, name, "echo 'pyenv: command not found' >&2; exit 127")
    program(bin_, "python3", f'exec {sys.executable} "$@"')
    done = lps(checkout, "x", path=f"{bin_}:/usr/bin:/bin")
    assert 0 == done.returncode
    assert "pyenv" not in done.stderr


def test_what_is_set_for_other_programs_does_no_harm(made: Path) -> None:
    """PYTHONPATH, PIP_TARGET and the like are meant for others."""
    done = lps(made, "x", PYTHONPATH="/nowhere", PYTHONHOME="/nowhere", PIP_TARGET="/nowhere", PIP_USER="1")
    assert (0, f"{made}/.venv x\n") == (done.returncode, done.stdout)


def test_it_works_through_a_link_and_without_a_home(made: Path, tmp_path: Path) -> None:
    """`ln -s …/lps ~/bin/lps` is a fair thing to do."""
    (tmp_path / "link").symlink_to(made / "lps")
    own = f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin"
    done = subprocess.run([tmp_path / "link", "x"], env={"PATH": own}, capture_output=True, text=True, check=False)
    assert (0, f"{made}/.venv x\n") == (done.returncode, done.stdout)


def test_a_package_that_cannot_be_installed_is_one_line(made: Path) -> None:
    """The installer's own reason, exit status 1, and the next start tries again."""
    (made / "requirements.lock").write_text("nosuchpackage==1 --hash=sha256:" + "0" * 64 + "\n", encoding="utf-8")
    done = lps(made, "x", PIP_NO_INDEX="1")
    assert 1 == done.returncode
    assert "the packages cannot be installed: ERROR" in done.stderr
    assert not (made / ".venv" / "lps.json").exists()


@pytest.fixture
def uv(tmp_path: Path) -> Callable[[int], Path]:
    """A stand-in for uv that notes how it was called and ends with a given status."""

    def make(status: int) -> Path:
        program(tmp_path / "bin", "uv", f'echo "$@" > {tmp_path}/called; exit {status}')
        return tmp_path / "called"

    return make


@pytest.mark.parametrize("status", [0, 2])
def test_uv_installs_when_it_is_there_and_pip_when_it_fails(made: Path, uv: Callable[[int], Path], status: int) -> None:
    """The faster tool first; whatever keeps it from working must not keep LPS from it."""
    called = uv(status)
    path = f"{called.parent / 'bin'}:{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin"
    assert 0 == lps(made, "x", path=path).returncode
    assert "pip install" in called.read_text()
    assert "--require-hashes" in called.read_text()
