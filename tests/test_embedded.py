"""The cluster out of the wheel: made, shared, killed, started again."""

from __future__ import annotations

import fcntl
import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg2
import pytest

import embedded
from embedded.waiting import gone, until
from errors import PortTaken, Setup

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
USER = """
import sys, embedded, pathlib
with embedded.Cluster(pathlib.Path(sys.argv[1])) as cluster:
    print(cluster.url(), flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A home whose cluster was made once for this file."""
    home = embedded.test_home()
    with embedded.Cluster(home):
        pass
    yield home
    embedded.remove(home)


@pytest.fixture
def cluster(made: Path) -> Iterator[embedded.Cluster]:
    """A running cluster that nobody else uses."""
    with embedded.Cluster(made) as running:
        yield running


def ask(url: str, sql: str) -> list[tuple[object, ...]]:
    """Run one statement over a connection of its own."""
    with closing(psycopg2.connect(url)) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


def user(home: Path) -> subprocess.Popen[str]:
    """Another process that uses the cluster until its standard input closes."""
    return subprocess.Popen(
        [sys.executable, "-c", USER, str(home)], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def server(cluster: embedded.Cluster) -> int:
    """The postmaster's pid."""
    found = cluster.postmaster()
    assert found is not None
    return found.pid


def parent(pid: int) -> int:
    """The pid of a process's parent."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    return int(stat.rpartition(")")[2].split()[1])


def ends(pid: int) -> bool:
    """Whether the process ends within ten seconds."""
    return until(lambda: gone(pid), time.monotonic() + 10)


def test_it_listens_on_loopback_alone_and_wants_the_password(cluster: embedded.Cluster) -> None:
    """Nobody gets in without the generated password."""
    assert ask(cluster.url(), "SHOW listen_addresses") == [("127.0.0.1",)]
    assert ask(cluster.url(), "SHOW fsync") == [("on",)]
    assert (cluster.home / "password").stat().st_mode & 0o777 == 0o600
    with pytest.raises(psycopg2.OperationalError, match="password authentication failed"):
        ask(cluster.url().replace("//postgres:", "//postgres:not"), "SELECT 1")


def test_it_sorts_and_folds_korean_the_same_on_every_machine(cluster: embedded.Cluster) -> None:
    """The locale is PostgreSQL's own C.UTF-8, the clock UTC."""
    found = ask(cluster.url(), "SELECT datlocprovider::text, datlocale FROM pg_database WHERE datname = 'postgres'")
    assert found == [("b", "C.UTF-8")]
    assert ask(cluster.url(), "SELECT upper('é햇반'), current_setting('timezone')") == [("É햇반", "UTC")]


def test_data_and_port_outlive_a_restart(made: Path) -> None:
    """What was written is there again, at the same address."""
    with embedded.Cluster(made) as first:
        url, pid = first.url(), server(first)
        ask(url, "CREATE TABLE IF NOT EXISTS kept AS SELECT 7 AS n")
    assert gone(pid)
    with embedded.Cluster(made) as second:
        assert (url, [(7,)]) == (second.url(), ask(url, "SELECT DISTINCT n FROM kept"))


def test_the_last_user_stops_it(made: Path) -> None:
    """A second user finds the running server, and it stays until both have left."""
    with user(made) as other, embedded.Cluster(made) as mine:
        assert other.stdout is not None
        url, pid = other.stdout.readline().strip(), server(mine)
        assert url == mine.url()
        other.communicate("")
        assert ask(url, "SELECT 1") == [(1,)]
    assert gone(pid)


def test_a_killed_user_leaves_no_server(made: Path) -> None:
    """The kernel frees the dead user's lock, and the guard stops PostgreSQL and itself."""
    with user(made) as other:
        assert other.stdout is not None
        other.stdout.readline()
        pid = server(embedded.Cluster(made))
        guard = parent(pid)
        other.kill()
    assert ends(pid)
    assert ends(guard)


def test_a_killed_guard_leaves_no_server(made: Path) -> None:
    """PostgreSQL shuts down when its parent dies; the user can start it again."""
    with embedded.Cluster(made) as cluster:
        pid = server(cluster)
        os.kill(parent(pid), signal.SIGKILL)
        assert ends(pid)
        cluster.start()
        assert ask(cluster.url(), "SELECT 1") == [(1,)]


def test_a_killed_server_starts_again(made: Path) -> None:
    """The stale postmaster.pid, even with a living other process's pid in it, does not stop the next start."""
    with embedded.Cluster(made) as cluster:
        pid, url = server(cluster), cluster.url()
        os.kill(pid, signal.SIGKILL)
        assert ends(pid)
        stale = (cluster.data / "postmaster.pid").read_text(encoding="utf-8")
        (cluster.data / "postmaster.pid").write_text(stale.replace(str(pid), str(os.getpid()), 1), encoding="utf-8")
        cluster.start()
        assert url == cluster.url()
        assert ask(url, "SELECT 1") == [(1,)]


def test_another_port_is_taken_when_the_remembered_one_is_not_free(made: Path) -> None:
    """The remembered port is a habit, not a condition."""
    port = int((made / "port").read_text(encoding="ascii"))
    with socket.create_server(("127.0.0.1", port)), embedded.Cluster(made) as cluster:
        found = cluster.postmaster()
        assert found is not None
        assert found.port != port
        assert ask(cluster.url(), "SELECT 1") == [(1,)]


def test_a_wanted_port_that_is_taken_is_an_error(made: Path) -> None:
    """The operator's port is not exchanged silently, and nothing is left running."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=str(port)):
            embedded.Cluster(made, port).start()
    assert embedded.Cluster(made).postmaster() is None


def test_a_half_made_cluster_is_made_again() -> None:
    """A setup that was killed leaves only `data.new`, which the next one removes."""
    home = embedded.test_home()
    (home / "data.new" / "base").mkdir(parents=True)
    (home / "password").write_text("old", encoding="ascii")
    with embedded.Cluster(home) as cluster:
        assert ask(cluster.url(), "SELECT 1") == [(1,)]
    embedded.remove(home)


def test_data_of_another_major_version_is_refused(made: Path) -> None:
    """The text names both versions, and the data stay as they are."""
    version = made / "data" / "PG_VERSION"
    version.write_text("16\n", encoding="ascii")
    try:
        with pytest.raises(Setup, match=r"PostgreSQL 16.*brings 18"):
            embedded.Cluster(made).start()
    finally:
        version.write_text("18\n", encoding="ascii")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another account")
def test_as_root_it_runs_as_an_unprivileged_user(cluster: embedded.Cluster) -> None:
    """PostgreSQL never runs as root, and its data belong to that user."""
    uid = Path(f"/proc/{server(cluster)}").stat().st_uid
    assert uid == pwd.getpwnam("lps").pw_uid != 0
    assert (cluster.data.stat().st_uid, cluster.data.stat().st_mode & 0o777) == (uid, 0o700)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's folders can be closed to the server's account")
def test_as_root_an_unreachable_home_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    """No parent folder's mode is touched; the text says what is wrong."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(Setup, match="Permission denied"):
        embedded.Cluster(closed / "home").start()
    assert closed.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests of this file already run as a normal user")
def test_a_normal_user_needs_no_copy() -> None:
    """Without root the binaries run where they are installed, in a home of the user's own."""
    site = next(path for path in sys.path if path.endswith("site-packages"))
    env = {"PYTHONPATH": f"{ROOT}:{site}", "PYTHONDONTWRITEBYTECODE": "1"}
    program = """
import embedded
home = embedded.test_home()
with embedded.Cluster(home) as cluster:
    print(embedded.binaries())
embedded.remove(home)
"""
    found = [f"/usr/bin/python3.{minor}" for minor in (13, 12, 11) if Path(f"/usr/bin/python3.{minor}").exists()]
    if not found:
        pytest.skip("no system-wide Python from 3.11 on that another user can run")

    def as_nobody(text: str) -> subprocess.CompletedProcess[str]:
        who = {"user": "nobody", "group": "nogroup", "extra_groups": ()}
        command = [found[0], "-c", text]
        return subprocess.run(command, env=env, check=False, cwd="/", capture_output=True, text=True, **who)  # type: ignore[call-overload,no-any-return]

    if as_nobody("import embedded").returncode:
        pytest.skip("another user may not read this checkout")
    done = as_nobody(program)
    assert done.stdout.startswith(site), done.stderr


def test_a_pid_file_in_the_making_is_no_server(tmp_path: Path) -> None:
    """PostgreSQL makes the file before it writes into it: whoever looks in between looks again."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "postmaster.pid").touch()
    assert embedded.Cluster(tmp_path).postmaster() is None


def test_a_home_that_a_killed_run_left_is_removed(made: Path) -> None:
    """An hour later, and only if nobody uses it."""
    left, used = embedded.test_home(), embedded.test_home()
    for home in (left, used):
        (home / "users").touch()
        os.utime(home, (0, 0))
    with (used / "users").open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        fresh = embedded.test_home()
    assert [False, True, True, True] == [home.exists() for home in (left, used, fresh, made)]
    embedded.remove(used)
    embedded.remove(fresh)
