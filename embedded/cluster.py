"""One PostgreSQL cluster in its own folder: made, started, shared, stopped."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple, Self

from embedded import guard
from embedded.carrier import ENV, MAJOR, SYSTEM_DIR, Account, binaries, run, server_account, system_dir
from embedded.waiting import free_port, gone, lock, locked, try_lock, until
from errors import PortTaken, Setup

_START_S = 60.0
_ABANDONED_S = 3600.0
_INITDB = (
    *("-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8"),
    # PostgreSQL's own C.UTF-8: the same on every machine, whatever locales it has.
    *("--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"),
    *("-c", "max_connections=100", "-c", "timezone=UTC", "-c", "log_timezone=UTC"),
)


class Postmaster(NamedTuple):
    """What a living cluster's postmaster.pid says."""

    pid: int
    port: int
    ready: bool


def default_home(checkout: Path) -> Path:
    """Where the cluster of one checkout lives; two checkouts never share one."""
    if os.geteuid() == 0:
        return SYSTEM_DIR / hashlib.sha256(str(checkout.resolve()).encode()).hexdigest()[:12]
    return checkout / ".lps" / "pg"


def test_home() -> Path:
    """A fresh home for a test's cluster, reachable for its account; the caller removes it."""
    folder, prefix = (system_dir(), "test-") if os.geteuid() == 0 else (Path(tempfile.gettempdir()), "lps-test-")
    for old in folder.glob(f"{prefix}*"):
        if _abandoned(old):
            shutil.rmtree(old, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=prefix, dir=folder))


def _abandoned(home: Path) -> bool:
    """Whether a killed test run left this home: an hour old, and nobody uses it."""
    try:
        if time.time() - home.stat().st_mtime < _ABANDONED_S:
            return False
        descriptor = os.open(home / "users", os.O_RDWR)
    except OSError:
        return False
    try:
        return try_lock(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(descriptor)


def remove(home: Path) -> None:
    """Delete a stopped cluster with everything in it."""
    shutil.rmtree(home)


class Cluster:
    """One PostgreSQL cluster in its own folder.

    Args:
        home: the cluster's folder, made if it is missing; as root it must be reachable for the system user.
        port: 0 = the remembered one if it is free, else any.
    """

    def __init__(self, home: Path, port: int = 0) -> None:
        self.home = home.absolute()
        self.data = self.home / "data"
        self._wanted = port
        self._users: int | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Make the cluster if it is new, start it unless it runs, and use it until `stop`; again is harmless.

        Raises:
            Setup: it cannot be made or started; the text says why.
            PortTaken: another program listens on the wanted port.
        """
        account = server_account()
        if not self.home.exists():
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.chown(self.home, *account)
        deadline = time.monotonic() + _START_S
        if self._users is None:
            self._users = lock(self.home / "users", fcntl.LOCK_SH, deadline)
        try:
            with locked(self.home / "lock"):
                if not self._settled(deadline):
                    programs = binaries()
                    self._initialise(programs, account)
                    self._launch(programs, account, deadline)
        except BaseException:
            self.stop()
            raise

    def url(self, database: str = "postgres") -> str:
        """The URI of a database in this cluster, with user and password."""
        password = (self.home / "password").read_text(encoding="ascii").strip()
        port = (self.home / "port").read_text(encoding="ascii").strip()
        return f"postgresql://postgres:{password}@127.0.0.1:{port}/{database}"

    def postmaster(self) -> Postmaster | None:
        """The running server; None when there is none, whatever a file left by a killed one says."""
        try:
            lines = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
            if not lines:
                return None  # The server has made its file and not written it yet; it will look different in a moment.
            pid = int(lines[0])
            if Path(f"/proc/{pid}/cwd").readlink() != self.data.resolve():
                return None
            return Postmaster(pid, int(lines[3]), lines[7].strip() == "ready")
        except IndexError:
            return Postmaster(pid, 0, ready=False)
        except (OSError, ValueError):
            return None

    def stop(self) -> None:
        """Use it no longer; the last user's stop ends PostgreSQL and returns when it is gone."""
        users, self._users = self._users, None
        if users is None:
            return
        deadline = time.monotonic() + _START_S
        try:
            if try_lock(users, fcntl.LOCK_EX):
                # Nobody else uses it, and whoever comes now waits for this lock.
                self._end(deadline)
            elif not try_lock(users, fcntl.LOCK_SH):
                until(lambda: self.postmaster() is None, deadline)  # The guard was quicker.
        finally:
            os.close(users)

    def _end(self, deadline: float) -> None:
        server = self.postmaster()
        if server is None:
            return
        stat = Path(f"/proc/{server.pid}/stat").read_text(encoding="utf-8")
        parent = int(stat.rpartition(")")[2].split()[1])
        os.kill(server.pid, signal.SIGINT)
        if not until(lambda: gone(server.pid), deadline - _START_S / 2):
            os.kill(server.pid, signal.SIGQUIT)
        until(lambda: gone(server.pid) and (parent == 1 or gone(parent)), deadline)

    def _settled(self, deadline: float) -> bool:
        """Whether it runs; one that is starting or stopping is waited for."""

        def settled() -> bool:
            server = self.postmaster()
            return server is None or server.ready

        until(settled, deadline)
        return self.postmaster() is not None

    def _initialise(self, programs: Path, account: Account) -> None:
        if self.data.exists():
            version = (self.data / "PG_VERSION").read_text(encoding="ascii").strip()
            if version != MAJOR:
                raise Setup(
                    f"{self.data} is of PostgreSQL {version}, this LPS brings {MAJOR}; dump it with the old one"
                )
            (self.data / "postmaster.pid").unlink(missing_ok=True)  # Left by a killed server; its pid may be reused.
            return
        half = self.home / "data.new"
        shutil.rmtree(half, ignore_errors=True)
        password = self.home / "password"
        password.unlink(missing_ok=True)
        descriptor = os.open(password, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            os.fchown(descriptor, *account)
            file.write(secrets.token_urlsafe(24) + "\n")
        command = [str(programs / "initdb"), *_INITDB, f"--pwfile={password}", "-D", str(half)]
        run(command, account, f"PostgreSQL cannot be set up in {self.home}")
        half.rename(self.data)

    def _launch(self, programs: Path, account: Account, deadline: float) -> None:
        while said := self._try_launch(programs, account, deadline):
            # The backends of a killed server linger for a moment, and a free port can be taken in between.
            passing = "shared memory block" in said or ("could not create any TCP" in said and not self._wanted)
            if not passing or time.monotonic() > deadline:
                raise Setup(f"PostgreSQL does not start ({self.home / 'log'}): {said}")
            threading.Event().wait(0.2)

    def _try_launch(self, programs: Path, account: Account, deadline: float) -> str:
        """Start the server and wait until it is ready; else gives the line that says why it is not."""
        port = self._choose_port()
        (self.home / "port").write_text(f"{port}\n", encoding="ascii")
        log = self.home / "log"
        before = log.stat().st_size if log.exists() else 0
        parent = self._spawn(programs, account, port, log)
        until(lambda: gone(parent) or self._ready(port), deadline)
        if self._ready(port):
            return ""
        said = log.read_bytes()[before:].decode(errors="replace").strip().splitlines() or ["no message"]
        return next((line for line in said if "FATAL" in line), said[-1])

    def _ready(self, port: int) -> bool:
        server = self.postmaster()
        return server is not None and server.ready and server.port == port

    def _choose_port(self) -> int:
        if self._wanted:
            if not free_port(self._wanted):
                raise PortTaken(f"port {self._wanted} is taken: PostgreSQL cannot listen there")
            return self._wanted
        try:
            remembered = int((self.home / "port").read_text(encoding="ascii"))
        except (OSError, ValueError):
            remembered = 0
        return free_port(remembered) or free_port()

    def _spawn(self, programs: Path, account: Account, port: int, log: Path) -> int:
        """Start the guard, which starts PostgreSQL, in a session of its own: a Ctrl-C here must not reach them."""
        if log.exists() and log.stat().st_size > 10**7:
            log.replace(log.with_name("log.1"))
        settings = ("listen_addresses=127.0.0.1", "unix_socket_directories=", f"port={port}")
        server = [str(programs / "postgres"), "-D", str(self.data), *(x for value in settings for x in ("-c", value))]
        users = str(self.home / "users")
        command = [sys.executable, "-I", "-S", guard.__file__, users, *map(str, account), *server]
        files = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ]
        return os.posix_spawn(sys.executable, command, ENV, file_actions=files, setsid=True)
