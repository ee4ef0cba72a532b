"""What the queue's tests run on: brokers with own pools, workers here and in real processes, a line that can be cut."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit, urlunsplit

import dramatiq
import psutil
import pytest

from store.pool import Pool
from tasks.middleware import chain
from tasks.queue import LpsBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tasks.queue import Delivery
    from tests.conftest import Database

ROOT = Path(__file__).parents[3]
PROGRAM = """
import signal, sys, threading, time
import dramatiq
from store.pool import Pool
from tasks.middleware import chain
from tasks.queue import LeaseLost, LpsBroker, current_message

pool = Pool({url!r}, size=6, application="lps queue test")
broker = LpsBroker(pool=pool, middleware=chain(), **{timing!r})
dramatiq.set_broker(broker)

def note(action, subject=""):
    with pool.autocommit() as cur:
        cur.execute("INSERT INTO audit (who, action, subject) VALUES (%s, %s, %s)",
                    (current_message().worker, action, str(subject)))
"""


SKEW = """
import datetime, time

def moved(clock, by):
    return lambda: clock() + by

time.time = moved(time.time, {skew_s})
time.time_ns = moved(time.time_ns, int({skew_s} * 10**9))

class Moved(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls):
        return cls.now(datetime.UTC).replace(tzinfo=None)

datetime.datetime = Moved
"""


class Line:
    """A loopback forwarder to the database that can be cut and mended."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self._server = socket.create_server(("127.0.0.1", 0))
        port = self._server.getsockname()[1]
        credentials = parts.netloc.rpartition("@")[0]
        self.url = urlunsplit(parts._replace(netloc=f"{credentials}@127.0.0.1:{port}"))
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._server, selectors.EVENT_READ)
        self._whole = threading.Event()
        self._whole.set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """Break every connection and refuse new ones."""
        self._whole.clear()

    def mend(self) -> None:
        """Carry again."""
        self._whole.set()

    def close(self) -> None:
        """End the forwarder."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            for key, _ in self._selector.select(0.02):
                if not self._whole.is_set():
                    break
                self._carry(cast("socket.socket", key.fileobj), key.data)
            if not self._whole.is_set():
                self._hang_up()
        self._hang_up()
        self._server.close()
        self._selector.close()

    def _carry(self, end: socket.socket, other: socket.socket | None) -> None:
        if end is self._server:
            client = self._server.accept()[0]
            server = socket.create_connection(self._target)
            self._selector.register(client, selectors.EVENT_READ, server)
            self._selector.register(server, selectors.EVENT_READ, client)
            return
        data = b""
        with contextlib.suppress(OSError):
            data = end.recv(65536)
        if not (data and other):
            self._drop(end, other)
            return
        with contextlib.suppress(OSError):
            other.sendall(data)

    def _drop(self, *ends: socket.socket | None) -> None:
        for end in ends:
            if end is not None and end.fileno() >= 0:
                self._selector.unregister(end)
                end.close()

    def _hang_up(self) -> None:
        for key in list(self._selector.get_map().values()):
            if key.fileobj is not self._server:
                self._drop(cast("socket.socket", key.fileobj))


class Rig:
    """Makes brokers, workers and processes on one database, and ends them all."""

    def __init__(self, db: Database, folder: Path) -> None:
        self.db = db
        self._folder = folder
        self._stack = contextlib.ExitStack()

    def broker(self, *, url: str = "", **options: Any) -> LpsBroker:
        """A broker with a pool of its own."""
        pool = Pool(url or self.db.url, size=8, timeout_s=2, application="lps queue test")
        options = {"lease_s": 30.0, "min_backoff_s": 0.3, "middleware": chain(), **options}
        broker = LpsBroker(pool=pool, **options)
        self._stack.callback(pool.close)
        self._stack.callback(broker.close)
        return broker

    def work(self, broker: LpsBroker, threads: int = 4) -> dramatiq.Worker:
        """Start dramatiq's worker on it, in this process."""
        worker = dramatiq.Worker(broker, worker_threads=threads, worker_timeout=100)
        worker.start()
        self._stack.callback(worker.stop)
        return worker

    def process(self, actors: str, *args: str, skew_s: float = 0, **timing: float) -> psutil.Process:
        """Start the dramatiq command on a module with these actors; its worker processes are its children.

        `skew_s`: by how much the clock of their machine is wrong.
        """
        name = f"actors_{time.monotonic_ns()}"
        (self._folder / f"{name}.py").write_text(PROGRAM.format(url=self.db.url, timing=timing) + actors)
        command = [sys.executable, "-m", "dramatiq", name, "--path", str(self._folder), str(ROOT)]
        log = (self._folder / f"{name}.log").open("wb")
        env = os.environ | ({"PYTHONPATH": self._wrong_clock(skew_s)} if skew_s else {})
        process = subprocess.Popen([*command, *(args or ("-p", "1", "-t", "2"))], stdout=log, stderr=log, env=env)
        log.close()
        self._stack.callback(kill, process)
        return psutil.Process(process.pid)

    def _wrong_clock(self, skew_s: float) -> str:
        """A folder whose sitecustomize moves an interpreter's wall clock."""
        folder = self._folder / f"skew_{skew_s:g}"
        folder.mkdir(exist_ok=True)
        (folder / "sitecustomize.py").write_text(SKEW.format(skew_s=skew_s))
        return str(folder)

    def line(self) -> Line:
        """A way to the database that can be cut."""
        line = Line(self.db.url)
        self._stack.callback(line.close)
        return line

    def wait(self, true: Callable[[], Any], seconds: float = 10) -> Any:
        """Wait until something holds, and return it."""
        deadline, tick = time.monotonic() + seconds, threading.Event()
        while time.monotonic() < deadline:
            answer = true()
            if answer:
                return answer
            tick.wait(0.01)
        raise AssertionError(f"not within {seconds} s; queue: {self.db.rows('SELECT * FROM dramatiq.queue')}")

    def overtake(self, delivery: Delivery) -> None:
        """Have the lease of this try run out, and the message brought back.

        Said again until it is so: a heartbeat may renew the lease in between, and one reaper at a time works.
        """
        reaping = self.broker()

        def gone() -> bool:
            mine = "message_id = %s AND fence = %s AND state = 'consumed'"
            values = (delivery.message_id, delivery.fence)
            self.db.rows(f"UPDATE dramatiq.queue SET lease_until = lps.now() - interval '1 s' WHERE {mine}", *values)
            reaping.reap()
            return not self.db.rows(f"SELECT 1 FROM dramatiq.queue WHERE {mine}", *values)

        self.wait(gone)

    def states(self) -> list[str]:
        """The state of every message, in order of their creation."""
        return [str(row[0]) for row in self.db.rows("SELECT state FROM dramatiq.queue ORDER BY enqueued_at, eta")]

    def notes(self, action: str) -> list[tuple[object, ...]]:
        """What processes noted under this word."""
        return self.db.rows("SELECT who, subject, at FROM audit WHERE action = %s ORDER BY audit_id", action)

    def close(self) -> None:
        """End everything."""
        self._stack.close()


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and its children, whatever state they are in."""
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()
    process.kill()
    process.wait()


@pytest.fixture
def rig(db: Database, tmp_path: Path) -> Iterator[Rig]:
    """The tests' tools, on an empty database."""
    rig = Rig(db, tmp_path)
    yield rig
    rig.close()
