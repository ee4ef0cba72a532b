"""The ten faults of undetected-chromedriver that were measured, each with what shows that it is cured here.

Its number stands in each test. Real Chromium, self-written pages on loopback.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import multiprocessing
import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from crawl import browser_driver, browser_flags
from tests.conftest import ROOT
from tests.crawl.browser_server import Proxy, Server, chromiums, family, fetching, get, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser
NOBODY = 65534
ONE_FETCH = """
import pathlib, sys
from tests.crawl.browser_server import Server, fetching, get, serving
with serving(Server()) as server, fetching(pathlib.Path(sys.argv[1]), headless=sys.argv[2]) as fetcher:
    print(get(fetcher, server, "/cards").status)
"""


def one_fetch(places: Path, command: tuple[str, ...] = (sys.executable,), **env: str) -> list[str]:
    """Fetch one page in a process of its own: what it prints, and its messages."""
    headless = env.pop("headless", "true")
    done = subprocess.run(
        [*command, "-c", ONE_FETCH, places, headless],
        cwd=ROOT,
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    return [done.stdout.strip(), done.stderr]


def test_1_a_start_looks_for_no_driver(tmp_path: Path) -> None:
    """Nothing is downloaded, and an operator's HTTP_PROXY does not come between us and our driver.

    Chromium itself asks its maker through such a proxy; through one of ours it does not (8, in test_browser_pool.py).
    """
    with serving(Proxy()) as proxy:
        way = f"http://{proxy.address}"
        assert "200" == one_fetch(tmp_path, http_proxy=way, https_proxy=way, no_proxy="127.0.0.1")[0]
    assert [] == [address for address in proxy.asked if address.partition(":")[0] not in browser_flags.OWN_HOSTS]


def test_2_the_systems_driver_is_only_read(tmp_path: Path) -> None:
    """Our copy is patched, not to be written again, and nobody else's business."""
    system = Path(shutil.which("chromedriver") or "")
    before = hashlib.sha256(system.read_bytes()).digest()
    copy = browser_driver.patched(system, tmp_path / "cache")
    assert before == hashlib.sha256(system.read_bytes()).digest()
    assert b"undetected chromedriver" in copy.read_bytes()
    assert 0o555 == stat.S_IMODE(copy.stat().st_mode)
    assert 0o700 == stat.S_IMODE(copy.parent.stat().st_mode)


def test_3_six_workers_start_at_once_on_a_fresh_machine(tmp_path: Path) -> None:
    """Nobody meets a busy file, nobody patches twice."""
    code = (
        "import pathlib, subprocess, sys; from crawl import browser_driver as d\n"
        "p = d.patched(d.found('', ('chromedriver',), 'driver'), pathlib.Path(sys.argv[1]))\n"
        "subprocess.run([p, '--version'], check=True, stdout=subprocess.DEVNULL); print(p.stat().st_ino)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "cache")]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    answers = [process.communicate(timeout=60)[0].strip() for process in running]
    assert [0] * 6 == [process.returncode for process in running]
    assert 1 == len(set(answers))


def test_4_nobody_waits_for_a_pipe_to_be_read(server: Server, tmp_path: Path) -> None:
    """What Chromium and its driver print goes to a file or nowhere, and stays short."""
    with fetching(tmp_path) as fetcher:
        for _ in range(12):
            get(fetcher, server, "/cards")
        said = []
        for process in family():
            if "chrom" not in process.name():
                continue
            folder = Path(f"/proc/{process.pid}/fd")
            said += [str((folder / number).readlink()) for number in "12" if (folder / number).is_symlink()]
        files = {Path(name) for name in said if name.endswith("program.log")}
        assert said
        assert not [name for name in said if name.startswith("pipe:")]
        assert sum(file.stat().st_size for file in files) < 2000


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder that no other process uses; its path is short, as sockets want it."""
    with tempfile.TemporaryDirectory(prefix="lps_t_") as name:
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


def test_5_nothing_is_left_of_a_browser(server: Server, folder: Path) -> None:
    """No process, no zombie, no half-closed connection, no open file, no folder, after ten starts and stops."""

    def left() -> tuple[int, int, int, set[str], int]:
        me = psutil.Process()
        waiting = [one for one in me.net_connections() if one.status == psutil.CONN_CLOSE_WAIT]
        folders = {path.name for path in folder.iterdir()}
        return len(family(psutil.STATUS_ZOMBIE)), len(family()), len(waiting), folders, me.num_fds()

    before: tuple[object, ...] = ()
    for turn in range(10):
        with fetching(folder / "places") as fetcher:
            get(fetcher, server, "/none")
        # The first start loads what stays loaded.
        before = left() if turn == 0 else before
    assert before == left()


def test_6_it_runs_without_root(tmp_path: Path) -> None:
    """Chromium's sandbox is off here as with the library; what guards the machine is an unprivileged user."""
    python = shutil.which("python3", path="/usr/bin")
    if os.getuid() != 0:
        pytest.skip("only root can become somebody else; every other test already runs unprivileged")
    if not python or not shutil.which("setpriv"):
        pytest.skip("no /usr/bin/python3 or no setpriv that an unprivileged user could run")
    if sys.version_info[:2] != _version(python):
        pytest.skip(f"{python} is of another version than the packages of this environment")
    places = tmp_path / "places"
    places.mkdir()
    os.chown(places, NOBODY, NOBODY)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder.is_relative_to("/tmp/pytest-of-root"):  # noqa: S108 - pytest's own
            folder.chmod(0o755)
    packages = sysconfig.get_paths()["purelib"]
    env = {"PYTHONPATH": packages, "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    user = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", python)
    for headless in ("true", "false"):
        assert ["200", ""] == one_fetch(places, user, headless=headless, **env)


def _version(python: str) -> tuple[int, ...]:
    code = "import json, sys; print(json.dumps(sys.version_info[:2]))"
    return tuple(json.loads(subprocess.run([python, "-c", code], capture_output=True, check=True).stdout))


def test_7_its_languages_are_korean(server: Server, tmp_path: Path) -> None:
    """For scripts too, not only in the request's header."""
    with fetching(tmp_path) as fetcher:
        assert "false ko-KR,ko" in str(get(fetcher, server, "/about").content)


def test_9_setuptools_comes_along_where_distutils_is_gone() -> None:
    """The library imports distutils, which Python lost in 3.12; setuptools brings it back, if it is locked."""
    locked = (ROOT / "requirements.lock").read_text("utf-8")
    assert "\nsetuptools==" in f"\n{locked}"
    assert importlib.metadata.version("setuptools")


def test_10_it_starts_in_a_daemonic_process(tmp_path: Path) -> None:
    """Such a process may have no child of multiprocessing's, which the library would make of the browser."""
    context = multiprocessing.get_context("spawn")
    ended = context.Process(target=functools.partial(_fetch_and_leave, str(tmp_path)), daemon=True)
    ended.start()
    ended.join(60)
    assert 0 == ended.exitcode


def _fetch_and_leave(places: str) -> None:
    with serving(Server()) as server, fetching(Path(places)) as fetcher:
        assert 200 == get(fetcher, server, "/cards").status


def test_a_worker_that_forks_does_not_share_its_browsers(server: Server, tmp_path: Path) -> None:
    """The child has none, and its end does not end the parent's."""
    with fetching(tmp_path) as fetcher:
        get(fetcher, server, "/none")
        mine = chromiums()
        # A fork is what is tested; it runs nothing but its own end.
        child = os.fork()
        if not child:
            os._exit(fetcher.standing)
        _, status = os.waitpid(child, 0)
        threading.Event().wait(0.3)
        assert 1 == os.waitstatus_to_exitcode(status)
        assert mine == chromiums()
        assert 200 == get(fetcher, server, "/cards").status
