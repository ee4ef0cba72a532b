"""The systems that `bench.queue` compares: how each is set up, filled, worked off, and asked what is left."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import psycopg2
from dramatiq_pg import generate_init_sql

from store import migrate
from store.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
_FILL = """INSERT INTO dramatiq.queue (message_id, queue_name, state, message)
  SELECT id, 'work', 'queued', jsonb_build_object('queue_name', 'work', 'actor_name', 'work', 'args',
    jsonb_build_array(0.5), 'kwargs', '{}'::jsonb, 'options', '{}'::jsonb, 'message_id', id, 'message_timestamp',
    (extract(epoch FROM now()) * 1000)::bigint)
  FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, %s)) AS new"""


class System:
    """One system on a database of its own."""

    tables = "dramatiq.queue"
    open = "SELECT count(*) FROM dramatiq.queue WHERE state IN ('queued', 'consumed')"

    def __init__(self, name: str, url: str, python: str = sys.executable) -> None:
        self.name = name
        self.url = url
        self.python = python
        self._connection = psycopg2.connect(url)
        self._connection.autocommit = True
        self._cur = self._connection.cursor()

    def setup(self) -> None:
        """Make its tables."""
        self._cur.execute(generate_init_sql())

    def clear(self) -> None:
        """Empty its tables."""
        self._cur.execute(f"TRUNCATE {self.tables}")

    def fill(self, n: int) -> None:
        """Queue n tasks, quickly."""
        self._cur.execute(_FILL, (n,))
        self._cur.execute(f"ANALYZE {self.tables}")
        self._cur.execute("CHECKPOINT")

    def left(self) -> int:
        """Tasks not yet acknowledged."""
        self._cur.execute(self.open)
        return int(self._cur.fetchone()[0])

    def connections(self) -> int:
        """Connections of its workers now."""
        self._cur.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(self._cur.fetchone()[0])

    def send_rate(self, n: int, how: str) -> float:
        """Messages a second of one producer process."""
        command = [self.python, "-m", "bench.queue_send", self.name, self.url, str(n), how]
        return float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)

    @contextmanager
    def workers(self, processes: int, threads: int, kind: str = "plain") -> Iterator[list[Worker]]:
        """Worker processes that are ready; ended with the block."""
        command = [self.python, "-m", "bench.queue_worker", self.name, self.url, str(threads), kind]
        started = [Worker(command) for _ in range(processes)]
        try:
            for worker in started:
                worker.wait_ready()
            yield started
        finally:
            for worker in started:
                worker.close()


class Ours(System):
    """LPS's queue on LPS's schema."""

    tables = "dramatiq.queue, attempt, worker"

    def setup(self) -> None:
        """The whole migrated schema: its indexes and checks cost what they cost."""
        pool = Pool(self.url, size=2)
        migrate.run(pool, "sandbox")
        pool.close()


class PgQueuer(System):
    """PgQueuer in a database of its own, run by the interpreter of `peers`."""

    tables = "pgqueuer, pgqueuer_log"
    open = "SELECT count(*) FROM pgqueuer"

    def setup(self) -> None:
        """Its own installer."""
        code = (
            "import asyncio, asyncpg, sys; from pgqueuer import AsyncpgDriver, Queries\n"
            "async def main(): await Queries(AsyncpgDriver(await asyncpg.connect(sys.argv[1]))).install()\n"
            "asyncio.run(main())"
        )
        subprocess.run([self.python, "-c", code, self.url], cwd=ROOT, check=True)

    def fill(self, n: int) -> None:
        """By its own batch call."""
        self.send_rate(n, "batch")
        self._cur.execute("CHECKPOINT")


class Redis(System):
    """dramatiq on Redis; a socket is enough to ask the server."""

    def __init__(self, url: str, python: str) -> None:
        self.name, self.url, self.python = "redis", url, python
        port = int(url.rsplit(":", 1)[1].split("/", maxsplit=1)[0])
        self._socket = socket.create_connection(("127.0.0.1", port))

    def _ask(self, command: str) -> str:
        self._socket.sendall(f"{command}\r\n".encode())
        return self._socket.recv(4096).decode().strip()

    def setup(self) -> None:
        """Nothing to make."""

    def clear(self) -> None:
        """Empty the server."""
        self._ask("FLUSHALL")

    def fill(self, n: int) -> None:
        """It knows no batch."""
        self.send_rate(n, "one")

    def left(self) -> int:
        """Messages are in this hash until they are acknowledged."""
        return int(self._ask("HLEN dramatiq:work.msgs").removeprefix(":"))

    def connections(self) -> int:
        """Not of PostgreSQL."""
        return 0


class Worker:
    """One worker process."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def _say(self, word: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def _hear(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a worker of {self._process.args!r} is gone")
        return line

    def wait_ready(self) -> None:
        """Until its threads hold their first tasks."""
        self._hear()

    def go(self) -> None:
        """Let the tasks end."""
        self._say("go")

    def starts(self) -> list[float]:
        """Seconds from send to start of every task since the last time."""
        self._say("report")
        return [float(number) for number in json.loads(self._hear())]

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def wait(condition: object, seconds: float, tick_s: float = 0.01) -> None:
    """Until a call answers with something true.

    Raises:
        TimeoutError: it did not in time.
    """
    deadline, tick = time.monotonic() + seconds, Event()
    while not condition():  # type: ignore[operator]
        if time.monotonic() > deadline:
            raise TimeoutError
        tick.wait(tick_s)


def peers_python() -> str:
    """An interpreter that has Redis's and PgQueuer's packages, made on first use outside the project.

    Raises:
        CalledProcessError: they cannot be installed.
    """
    home = Path(tempfile.gettempdir()) / "lps-bench-peers"
    python = home / "bin" / "python"
    if not (home / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        packages = ["dramatiq==1.18.0", "redis", "pgqueuer", "asyncpg"]
        subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
        (home / "complete").touch()
    return str(python)


@contextmanager
def redis_server() -> Iterator[str]:
    """A Redis without persistence, on a free port; gives its URL.

    Raises:
        FileNotFoundError: there is none on this machine.
    """
    program = shutil.which("redis-server")
    if program is None:
        raise FileNotFoundError("no redis-server on this machine")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=tempfile.gettempdir()) as process:
        wait(lambda: _answers(port), 10)
        yield f"redis://127.0.0.1:{port}/0"
        process.terminate()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
