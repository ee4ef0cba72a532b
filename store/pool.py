"""The one owner of psycopg2: a bounded, blocking, fork-safe pool, and transactions on it.

A connection that broke is thrown away, never handed out again. `OperationalError` and `InterfaceError` leave here as
`DatabaseDown`, so that the queue backs off; every other database error is a bug or a conflict and keeps its class.
"""

from __future__ import annotations

import os
import re
import select
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg2
import psycopg2.extensions
import psycopg2.extras
from psycopg2 import errorcodes
from psycopg2.extensions import TRANSACTION_STATUS_IDLE

from errors import BadConfig, DatabaseDown, NoRights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

psycopg2.extras.register_uuid()
Json = psycopg2.extras.Json
execute_values = psycopg2.extras.execute_values
UniqueViolation = psycopg2.errors.UniqueViolation
LockTimeout = psycopg2.errors.LockNotAvailable
DatabaseError = psycopg2.DatabaseError
DuplicateObject = (
    psycopg2.errors.DuplicateTable,
    psycopg2.errors.DuplicateObject,
    psycopg2.errors.DuplicateColumn,
    psycopg2.errors.DuplicateFunction,
    psycopg2.errors.DuplicateSchema,
)
UndefinedObject = (psycopg2.errors.UndefinedColumn, psycopg2.errors.UndefinedTable)
Cursor = Any
Connection = Any


class _Connection(psycopg2.extensions.connection):  # type: ignore[misc]  # psycopg2 carries no types
    """Knows which statements `store.prepared` has prepared on it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.prepared: set[str] = set()


_ALIVE = {
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
"""A server whose machine vanished is noticed within 25 s, not after the two hours that TCP would wait by itself."""
_BROKEN = (psycopg2.OperationalError, psycopg2.InterfaceError)


@contextmanager
def guard(connection: Connection) -> Iterator[None]:
    """Around the use of a `dedicated` connection: if it breaks, it is closed.

    Raises:
        DatabaseDown: it broke.
    """
    try:
        yield
    except _BROKEN as error:
        connection.close()
        raise DatabaseDown(describe(error)) from error


def describe(error: Exception) -> str:
    """A database error in one line, without its trailing newline and the DSN."""
    return " ".join(str(error).split()) or type(error).__name__


def _unread(error: Exception) -> str:
    """Why an address cannot be read, where that names a parameter; other texts quote it, with the password in it."""
    found = re.search(r'invalid (?:URI query parameter|connection option)[: ]+"\w*"', str(error))
    return found[0] if found else "it cannot be read"


def connect(dsn: str, *, application: str, statement_timeout_s: float = 0, connect_timeout_s: int = 5) -> Connection:
    """Open one connection.

    Raises:
        DatabaseDown: refused, unreachable, wrong password, no such database.
        BadConfig: the address cannot be read.
    """
    options = f"-c statement_timeout={int(statement_timeout_s * 1000)} -c idle_in_transaction_session_timeout=60000"
    try:
        return psycopg2.connect(
            dsn,
            application_name=application,
            connect_timeout=connect_timeout_s,
            options=options,
            client_encoding="UTF8",
            connection_factory=_Connection,
            **_ALIVE,
        )
    except psycopg2.OperationalError as error:
        raise DatabaseDown(describe(error)) from error
    except psycopg2.ProgrammingError as error:
        raise BadConfig(f"[database] url is no address that PostgreSQL knows: {_unread(error)}") from None


class Pool:
    """At most `size` connections in this process; whoever comes when all are out waits.

    Args:
        dsn: libpq connection string or URI.
        size: connections at most.
        timeout_s: how long a caller waits for a free one before `DatabaseDown`.
        application: shown in pg_stat_activity.
        statement_timeout_s: 0 = none.
        cursor_factory: a psycopg2 cursor class, for whoever wants to watch the statements.
    """

    def __init__(
        self,
        dsn: str,
        *,
        size: int,
        timeout_s: float = 10,
        application: str = "lps",
        statement_timeout_s: float = 30,
        cursor_factory: type | None = None,
    ) -> None:
        self.dsn = dsn
        self.size = size
        self.timeout_s = timeout_s
        self.application = application
        self.statement_timeout_s = statement_timeout_s
        self.cursor_factory = cursor_factory
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._free = threading.Semaphore(self.size)

    def dedicated(self, application: str | None = None) -> Connection:
        """A connection outside the pool, in autocommit, for LISTEN; the caller closes it.

        Raises:
            DatabaseDown: it cannot be opened.
        """
        connection = connect(self.dsn, application=application or f"{self.application} listen")
        connection.autocommit = True
        return connection

    def _take(self) -> Connection:
        if self._pid != os.getpid():
            # The parent's sockets must not be used, nor closed, from a forked child.
            self._reset()
        if not self._free.acquire(timeout=self.timeout_s):
            raise DatabaseDown(f"no free database connection within {self.timeout_s:g} s (pool of {self.size})")
        try:
            while self._idle:
                with self._lock:
                    connection = self._idle.pop() if self._idle else None
                if connection is not None and _quiet(connection):
                    return connection
                if connection is not None:
                    connection.close()
            return connect(self.dsn, application=self.application, statement_timeout_s=self.statement_timeout_s)
        except BaseException:
            self._free.release()
            raise

    def _give(self, connection: Connection) -> None:
        try:
            if not connection.closed and connection.info.transaction_status == TRANSACTION_STATUS_IDLE:
                with self._lock:
                    self._idle.append(connection)
            else:
                connection.close()
        finally:
            self._free.release()

    @contextmanager
    def _lent(self, *, autocommit: bool) -> Iterator[tuple[Connection, Cursor]]:
        """A connection and a cursor on it: rolled back on any exception, thrown away when it broke, given back."""
        connection = self._take()
        try:
            connection.autocommit = autocommit
            with connection.cursor(cursor_factory=self.cursor_factory) as cur:
                yield connection, cur
        except _BROKEN as error:
            connection.close()
            raise DatabaseDown(describe(error)) from error
        except psycopg2.errors.InsufficientPrivilege as error:
            _rollback(connection)
            raise NoRights(f"the database role may not do this: {describe(error)}") from error
        except BaseException:
            _rollback(connection)
            raise
        finally:
            self._give(connection)

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        """A cursor in a transaction of its own: commits at the end, rolls back on any exception.

        Raises:
            DatabaseDown: the database is not there, or went away in between (nothing was committed, unless the
                connection broke during COMMIT itself: every caller's statements are written so that a repeat is safe).
        """
        with self._lent(autocommit=False) as (connection, cur):
            yield cur
            connection.commit()

    @contextmanager
    def opened(self, first: Callable[[Cursor], None]) -> Iterator[Cursor]:
        """A transaction that `first` opens with its own BEGIN, in the round trip of its first statement.

        Raises:
            DatabaseDown: as in `transaction`.
            DatabaseError: a statement failed unseen, so that COMMIT rolled back.
        """
        with self._lent(autocommit=True) as (_, cur):
            first(cur)
            yield cur
            cur.execute("COMMIT")
            _demand(cur, "COMMIT")

    @contextmanager
    def autocommit(self) -> Iterator[Cursor]:
        """A cursor whose every statement commits by itself: one round trip instead of three.

        Raises:
            DatabaseDown: as in `transaction`.
        """
        with self._lent(autocommit=True) as (_, cur):
            yield cur

    def close(self) -> None:
        """Close what is idle; connections still out are closed by their holders' return to a closed pool."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()


def _demand(cur: Cursor, status: str) -> None:
    if cur.statusmessage != status:
        raise DatabaseError("the transaction had failed, nothing was committed")


def _quiet(connection: Connection) -> bool:
    """Whether an idle connection is as it was left; the server's goodbye can be read where it restarted meanwhile."""
    if connection.closed:
        return False
    poller = select.poll()
    poller.register(connection.fileno(), select.POLLIN)
    return not poller.poll(0)


def _rollback(connection: Connection) -> None:
    try:
        if connection.autocommit and connection.info.transaction_status != TRANSACTION_STATUS_IDLE:
            # `opened` has begun it by itself, so psycopg2 knows of no transaction.
            with connection.cursor() as cur:
                cur.execute("ROLLBACK")
        else:
            connection.rollback()
    except _BROKEN:
        connection.close()


def is_missing_table(error: Exception) -> bool:
    """Whether a statement failed because the schema has never been made."""
    return getattr(error, "pgcode", None) in (errorcodes.UNDEFINED_TABLE, errorcodes.INVALID_SCHEMA_NAME)
