"""`lps up` and what works beside it, with every process real."""

from __future__ import annotations

import json
import signal
import socket
import time
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit

import psutil
import pytest

from embedded.waiting import free_port, gone, until
from store import databases
from store.pool import Pool

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import Checkout

pytestmark = pytest.mark.browser  # A start wants Chromium to be there, though none is opened here.


@pytest.fixture
def database(server_url: str) -> Iterator[dict[str, str]]:
    """An operator's own database, not yet made."""
    name = f"lps_test_up_{free_port()}"
    yield {"LPS_DATABASE__URL": f"{server_url.rsplit('/', 1)[0]}/{name}"}
    databases.drop(lambda _: server_url, name)


@contextmanager
def up(checkout: Checkout, *arguments: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A running `lps up` whose pages answer; killed if the test has not stopped it."""
    with checkout.start("up", "--no-search", *arguments, **env) as process:
        try:
            assert process.stderr is not None
            first = process.stderr.readline()
            assert "http://127.0.0.1:" in first, first + process.stderr.read()
            yield process
        finally:
            process.kill()


def family(process: subprocess.Popen[str]) -> list[int]:
    """The pids of a process and all its descendants."""
    return [process.pid, *(child.pid for child in psutil.Process(process.pid).children(recursive=True))]


def address(checkout: Checkout) -> str:
    """Where the pages are."""
    return f"http://127.0.0.1:{checkout.env['LPS_WEB__PORT']}"


def status(url: str) -> int:
    """The HTTP status of a page."""
    with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - a page of the stack under test
        return int(answer.status)


def test_it_prints_a_link_and_keeps_a_key_for_its_own_user(checkout: Checkout, database: dict[str, str]) -> None:
    """The link signs in once; the key opens the API, only its user can read it, and it ends with the start."""
    with up(checkout, LPS_WEB__OPEN="never", **database) as process:
        assert process.stderr is not None
        link = process.stderr.readline().split()[-1]
        assert f"{address(checkout)}/login/link?t=" in link
        token = urlsplit(link).query.removeprefix("t=")
        request = urllib.request.Request(f"{address(checkout)}/login/link", data=urlencode({"t": token}).encode())  # noqa: S310 - the stack under test
        jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert 200 == jar.open(request, timeout=5).status
        file = checkout.folder / ".lps" / "api.key"
        assert 0o600 == file.stat().st_mode & 0o777
        header = {"Authorization": f"Bearer {file.read_text(encoding='utf-8')}"}
        asked = urllib.request.Request(f"{address(checkout)}/v1/lps/ops", headers=header)  # noqa: S310 - as above
        assert 200 == urllib.request.urlopen(asked, timeout=5).status  # noqa: S310 - as above
        asked = urllib.request.Request(f"{address(checkout)}/v1/lps/callback-secret", headers=header)  # noqa: S310 - as above
        with urllib.request.urlopen(asked, timeout=5) as answer:  # noqa: S310 - as above
            secrets = json.loads(answer.read())["signing_secrets"]
        assert secrets[0].startswith("whsec_")
        with pytest.raises(HTTPError, match="401"):
            status(f"{address(checkout)}/v1/lps/ops")
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(30)
    assert not file.exists()


def all_gone(pids: list[int], seconds: float = 15) -> bool:
    """Whether all these processes end in time."""
    return until(lambda: all(map(gone, pids)), time.monotonic() + seconds)


def test_it_starts_everything_and_stops_everything(checkout: Checkout, database: dict[str, str]) -> None:
    """Pages answer, other commands find it, and after SIGTERM no process, port or state is left."""
    with up(checkout, **database) as process:
        assert 200 == status(f"{address(checkout)}/readyz")
        state = checkout.folder / ".lps" / "up.json"
        assert 0o600 == state.stat().st_mode & 0o777
        numbers = checkout.run("ops", **database)
        assert {"counts", "oldest_pending_sec", "stages"} <= set(json.loads(numbers.stdout)), numbers.stderr
        second = checkout.run("up", **database)
        assert (1, True) == (second.returncode, "lps up runs already" in second.stderr)
        pids = family(process)
        assert len(pids) >= 7
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(30)
    assert all_gone(pids)
    assert not state.exists()
    assert free_port(int(checkout.env["LPS_WEB__PORT"]))


def test_a_worker_joins_the_running_stack(checkout: Checkout, database: dict[str, str]) -> None:
    """`lps worker` needs no settings of its own beside a running `lps up`."""
    with up(checkout, **database), checkout.start("worker", "-Q", "match", "-Q", "persist") as worker:
        assert worker.stderr is not None
        said = ""
        while "ready for action" not in said:
            line = worker.stderr.readline()
            assert line, said
            said += line
        worker.send_signal(signal.SIGINT)
        assert 0 == worker.wait(20)
        worker.stderr.read()


def test_it_brings_its_own_database(checkout: Checkout) -> None:
    """Without one set, PostgreSQL comes out of the wheel and goes when the stack does."""
    with up(checkout) as process:
        assert 200 == status(f"{address(checkout)}/readyz")
        query = checkout.run("psql", "-At", "-c", "TABLE lps.origin")
        assert "t|sandbox\n" == query.stdout, query.stderr
        pids = family(process)
        assert [] != [pid for pid in pids if psutil.Process(pid).name() == "postgres"]
        process.send_signal(signal.SIGINT)
        assert 0 == process.wait(30)
    assert all_gone(pids)


@pytest.mark.chaos
def test_nothing_is_left_when_it_is_killed(checkout: Checkout) -> None:
    """SIGKILL on the supervisor ends workers, clock, web, market and PostgreSQL; the next start finds no obstacle."""
    with up(checkout) as process:
        pids = family(process)
        process.kill()
        process.wait()
    # At once: it waits for the port that the web process of the killed one still holds.
    with up(checkout) as again:
        assert all_gone(pids)
        assert 200 == status(f"{address(checkout)}/readyz")
        again.send_signal(signal.SIGTERM)
        assert 0 == again.wait(30)


@pytest.mark.chaos
def test_a_second_ctrl_c_is_quick_and_leaves_nothing(checkout: Checkout, database: dict[str, str]) -> None:
    """Whoever is impatient still gets everything cleaned up."""
    with up(checkout, **database) as process:
        pids = family(process)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "lps: stopping\n" in process.stderr
        process.send_signal(signal.SIGINT)
        process.wait(10)
    assert all_gone(pids)


@pytest.mark.chaos
def test_a_killed_web_process_comes_back(checkout: Checkout, database: dict[str, str]) -> None:
    """One process's end is not the others' end."""
    with up(checkout, **database) as process:
        web = [one for one in psutil.Process(process.pid).children() if "web:create_app()" in one.cmdline()]
        web[0].kill()

        def answers() -> bool:
            try:
                return status(f"{address(checkout)}/healthz") == 200
            except OSError:
                return False

        assert until(lambda: not answers(), time.monotonic() + 5)
        assert until(answers, time.monotonic() + 15)
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(30)


@pytest.mark.chaos
def test_a_worker_that_stands_still_is_replaced(checkout: Checkout, database: dict[str, str]) -> None:
    """SIGSTOP on the only one: it lives, so nobody sees it end; three silent leases later there is a new one."""
    with up(checkout, LPS_QUEUE__LEASE_S="1", LPS_WORKER__PROCESSES="1", **database) as process:
        pool = Pool(database["LPS_DATABASE__URL"], size=1)

        def workers() -> list[int]:
            with pool.autocommit() as cur:
                cur.execute("SELECT pid FROM worker WHERE stopped_at IS NULL")
                return [row[0] for row in cur.fetchall()]

        assert until(lambda: len(workers()) == 1, time.monotonic() + 20)
        (stopped,) = workers()
        psutil.Process(stopped).send_signal(signal.SIGSTOP)
        assert until(lambda: workers() not in ([], [stopped]), time.monotonic() + 20)
        assert all_gone([stopped])
        # The new one has buried it.
        assert until(lambda: stopped not in workers(), time.monotonic() + 5)
        pool.close()
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(30)


def refused(checkout: Checkout, *arguments: str, **env: str) -> str:
    """The one line that a start which cannot work says; nothing is left of it."""
    done = checkout.run(*arguments, **env)
    assert (1, "") == (done.returncode, done.stdout)
    assert 1 == len(done.stderr.splitlines()), done.stderr

    def left() -> list[int]:
        return [one.pid for one in psutil.process_iter(["cwd"]) if one.info["cwd"] == str(checkout.folder)]

    # What an earlier test has just killed may still be on its way out.
    assert until(lambda: not left(), time.monotonic() + 5), left()
    return done.stderr


def test_a_taken_port_is_said_with_its_owner(checkout: Checkout) -> None:
    """Before anything is started."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"cannot listen on 127.0.0.1:{port} (Address already in use: " in refused(checkout, "up", "--port", port)


@pytest.mark.parametrize("command", [("up",), ("search", "x")])
def test_a_database_that_is_down_is_said(checkout: Checkout, command: tuple[str, ...]) -> None:
    """Nothing is started."""
    assert "refused" in refused(checkout, *command, DB_HOST="127.0.0.1", DB_PORT=str(free_port()), DB_USER="x")


@pytest.mark.parametrize("command", [("up",), ("search", "x")])
def test_a_missing_browser_is_said(checkout: Checkout, command: tuple[str, ...]) -> None:
    """With what the operator set, or with the command that installs it."""
    assert "there is no /nowhere/chromium" in refused(checkout, *command, LPS_BROWSER__CHROMIUM="/nowhere/chromium")


def test_a_missing_display_is_said_with_the_command(checkout: Checkout, tmp_path: Path) -> None:
    """Where there is no apt to do it."""
    for name in ("chromium", "chromedriver"):
        (tmp_path / name).touch(mode=0o755)
    assert "xvfb missing; on Debian or Ubuntu: sudo apt-get install" in refused(checkout, "up", PATH=str(tmp_path))


def test_a_worker_without_any_database_says_what_to_do(checkout: Checkout) -> None:
    """There is no `lps up`, and nothing is set."""
    assert "no database: start `lps up`, or set DB_HOST" in refused(checkout, "worker")


def test_a_worker_refuses_a_database_without_schema(checkout: Checkout, server_url: str) -> None:
    """It is for `lps migrate` to make it."""
    assert "run `lps migrate`" in refused(
        checkout, "worker", LPS_DATABASE__URL=server_url, LPS_DATABASE__NAME="postgres"
    )
