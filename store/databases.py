"""Databases of a server: made when they are missing, dropped when they were for one run only."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from errors import DatabaseDown
from store.pool import DatabaseError, connect, describe
from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Callable

    from store.pool import Cursor

SQL = beside(__file__)
_MAINTENANCE = "postgres"


def ensure(dsn: Callable[[str], str], name: str) -> bool:
    """Make the database unless it is there; True when it was made.

    Args:
        dsn: the libpq URI of a database of the server, by its name.
        name: the database.

    Raises:
        DatabaseDown: the server cannot be reached, refuses the login, or does not let us make databases.
    """
    try:
        connect(dsn(name), application="lps").close()
    except DatabaseDown as unreachable:
        # The server's words for "no such database" come in its own language: ask its catalogue instead.
        return _create(dsn, name, unreachable)
    return False


def _create(dsn: Callable[[str], str], name: str, unreachable: DatabaseDown) -> bool:
    try:
        connection = connect(dsn(_MAINTENANCE), application="lps")
    except DatabaseDown:
        raise unreachable from None
    with closing(connection):
        connection.autocommit = True
        cur = connection.cursor()
        if _exists(cur, name):
            raise unreachable
        cur.execute(SQL["create_text"], (name,))
        try:
            cur.execute(cur.fetchone()[0])
        except DatabaseError as error:
            # Another start may have been quicker; which error that gives depends on the moment.
            if not _exists(cur, name):
                raise DatabaseDown(f"there is no database {name}, and making it failed: {describe(error)}") from error
            return False
    return True


def _exists(cur: Cursor, name: str) -> bool:
    cur.execute(SQL["exists"], (name,))
    return bool(cur.fetchone()[0])


def drop(dsn: Callable[[str], str], name: str) -> None:
    """Drop the database, if it is there, with everybody who is connected to it.

    Raises:
        DatabaseDown: as in `ensure`.
    """
    with closing(connect(dsn(_MAINTENANCE), application="lps")) as connection:
        connection.autocommit = True
        cur = connection.cursor()
        cur.execute(SQL["drop_text"], (name,))
        cur.execute(cur.fetchone()[0])


def beginning_with(dsn: Callable[[str], str], prefix: str) -> list[str]:
    """Names of the server's databases that begin so.

    Raises:
        DatabaseDown: as in `ensure`.
    """
    with closing(connect(dsn(_MAINTENANCE), application="lps")) as connection:
        cur = connection.cursor()
        cur.execute(SQL["names"], (prefix,))
        return [row[0] for row in cur.fetchall()]
