"""Makes .venv from the hash-locked file on first use, then runs the command in it: what ./lps hands over to.

Everything is said on stderr, so that a command's stdout is its own. A stamp in .venv holds the locks' sha256: while it
fits, a start costs one small read. Needs the standard library alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "lps.json"
UNFINISHED = VENV / "lps.unfinished"
LOCKS = {"run": ROOT / "requirements.lock", "dev": ROOT / "requirements-dev.lock"}
# Of an environment that is about to be made again, the interpreter it was made with; found before it goes.
BASE = str(Path(sys.executable).resolve()) if VENV in Path(sys.executable).parents else sys.executable
BROWSING = ("up", "search", "test", "setup")


class Failed(Exception):
    """The environment cannot be made; the text says why and what to do."""


def main(argv: list[str]) -> int:
    """Make the environment fit, then run `argv` in it; gives the exit status."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        return _fail(
            f"{sys.executable} is Python {sys.version.split()[0]}; 3.11, 3.12 or 3.13 is needed (remove .venv)"
        )
    kind = "dev" if argv[:1] in (["test"], ["setup"]) else "run"
    if not _fits(kind):
        try:
            _make(kind, browsing=bool(argv) and argv[0] in BROWSING)
        except (Failed, OSError) as error:
            return _fail(str(error))
        except KeyboardInterrupt:
            return _fail("stopped; the next start goes on from here")
    if argv[:1] == ["setup"]:
        return 0
    if Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(PYTHON, [str(PYTHON), __file__, *argv])  # noqa: S606 - no shell is wanted
    sys.argv = [str(ROOT / "lps"), *argv]
    from cli.__main__ import main as run  # noqa: PLC0415 - importable in .venv alone

    return run()


def _fail(text: str) -> int:
    sys.stderr.write(f"lps: {text}\n")
    return 1


def _say(text: str) -> None:
    sys.stderr.write(f"lps: {text}\n")
    sys.stderr.flush()


def _hashes() -> dict[str, str]:
    return {kind: hashlib.sha256(path.read_bytes()).hexdigest() for kind, path in LOCKS.items() if path.exists()}


def _fits(kind: str) -> bool:
    """Whether what is installed is what the locks say; the dev lock holds everything of the other one."""
    try:
        stamp, now = json.loads(STAMP.read_bytes()), _hashes()
        return bool(
            stamp["run"] == now["run"] and (kind == "run" or (stamp["kind"] == "dev" and stamp["dev"] == now["dev"]))
        )
    except (OSError, ValueError, KeyError):
        return False


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """One preparation at a time; whoever comes second waits and finds it done."""
    folder = ROOT / ".lps"
    folder.mkdir(exist_ok=True)
    with (folder / "setup.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another start is preparing .venv; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(kind: str, *, browsing: bool) -> None:
    with _alone():
        if _fits(kind):
            return
        packages = _prepare_machine() if browsing else None
        try:
            _make_venv()
            _install(kind)
        finally:
            if packages is not None:
                packages.wait()
        half = STAMP.with_suffix(".new")
        half.write_text(json.dumps({"kind": kind, **_hashes()}), encoding="utf-8")
        half.replace(STAMP)
        UNFINISHED.unlink(missing_ok=True)


def _prepare_machine() -> subprocess.Popen[bytes]:
    """Browser, display and font, meanwhile; what is still missing then, the command itself will say."""
    return subprocess.Popen([BASE, "-I", str(ROOT / "cli" / "machine.py")], stdin=subprocess.DEVNULL)


def _make_venv() -> None:
    if UNFINISHED.exists() or (VENV.exists() and not _works()):
        _say(".venv is half made (an earlier start was interrupted); making it again")
        _remove()
    if VENV.exists():
        return
    _say("first use: making .venv")
    VENV.mkdir()
    UNFINISHED.touch()
    # Setting up pip takes most of the time, and uv needs none.
    options = ["--without-pip"] if shutil.which("uv") else []
    if why := _run([BASE, "-m", "venv", *options, str(VENV)]):
        raise Failed(f"python -m venv failed: {why}")


def _works() -> bool:
    return PYTHON.exists() and not _run([str(PYTHON), "-c", "import ssl"])


def _remove() -> None:
    doomed = ROOT / ".lps" / "venv.old"
    shutil.rmtree(doomed, ignore_errors=True)  # Of a removal that was killed.
    VENV.rename(doomed)  # In one step, so that a kill in the middle leaves no environment that looks whole.
    shutil.rmtree(doomed, ignore_errors=True)


def _install(kind: str) -> None:
    lock = LOCKS[kind]
    count = sum("==" in line for line in lock.read_text(encoding="utf-8").splitlines())
    _say(f"installing {count} packages from {lock.name} (once, about a minute)")
    uv = shutil.which("uv")
    options = ["--require-hashes", "--no-deps", "-r", str(lock)]
    if uv and _run([uv, "pip", "install", "-q", "--python", str(PYTHON), *options], count) == "":
        return
    if _run([str(PYTHON), "-c", "import pip"]) and (why := _run([str(PYTHON), "-m", "ensurepip"])):
        raise Failed(f"pip cannot be set up: {why}")
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    said = _run([*pip, *options], count)
    if said:
        raise Failed(f"the packages cannot be installed: {said}")


def _run(command: list[str], count: int = 0) -> str:
    """Run a program, with a count of the packages it collects on a terminal; gives "" or why it failed."""
    done, said = 0, []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        for line in running.stdout or ():
            said.append(line.strip())
            if line.startswith("Collecting") and sys.stderr.isatty():
                done += 1
                sys.stderr.write(f"\rlps: {done}/{count} {line.split()[1][:40]:40}")
                sys.stderr.flush()
    if done:
        sys.stderr.write("\n")
    errors = [line for line in said if "error" in line.lower()] or said[-1:] or ["no message"]
    return errors[0] if running.returncode else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
