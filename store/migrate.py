"""Plain numbered SQL migrations: one transaction each, under an advisory lock, with checksums.

A file is `migrations/NNNN_what.sql`. What has run stands in `lps_migration` with its sha256: a file that was changed
afterwards, or a database that knows more than this code, is refused.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from errors import SchemaMismatch, WrongOrigin
from store.pool import DuplicateObject, UndefinedObject, describe
from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor, Pool

SQL = beside(__file__)
FOLDER = Path(__file__).parent / "migrations"
_FILE = re.compile(r"^(\d{4})_\w+\.sql$")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file."""

    number: int
    name: str
    sha256: str
    sql: str


def known() -> list[Migration]:
    """The migrations of this code, in order.

    Raises:
        SchemaMismatch: a file name is malformed or a number stands twice.
    """
    found: list[Migration] = []
    for path in sorted(FOLDER.glob("*.sql")):
        match = _FILE.match(path.name)
        if not match or (found and int(match[1]) == found[-1].number):
            raise SchemaMismatch(f"store/migrations/{path.name}: a name is NNNN_what.sql, each number once")
        text = path.read_text(encoding="utf-8")
        found.append(Migration(int(match[1]), path.stem, hashlib.sha256(text.encode()).hexdigest(), text))
    return found


def run(pool: Pool, origin: str, *, only: dict[int, str] | None = None) -> list[str]:
    """Bring the database to this code's schema and stamp its origin; safe to call from several processes at once.

    Args:
        pool: of the database.
        origin: `sandbox` or `live`.
        only: the migrations to stop at, number → sha256: the schema that a backup was made of.

    Returns:
        The names of the migrations that ran now.

    Raises:
        SchemaMismatch: the database is newer, a migration was changed after it ran, or it holds other tables of these
            names, or another encoding than UTF8.
        NoRights: the role may not make them.
        WrongOrigin: the database belongs to the other world (`sandbox` or `live`).
    """
    ran = []
    with pool.transaction() as cur:
        cur.execute(SQL["lock"])
        _check_encoding(cur)
        cur.execute(SQL["create_ledger"])
        done = _applied(cur)
        for migration in _chosen(_pending(done), only):
            _apply(cur, migration)
            ran.append(migration.name)
        cur.execute(SQL["stamp_origin"], (origin,))
        _check_origin(cur, origin)
    return ran


def applied(cur: Cursor) -> dict[int, str]:
    """The migrations that ran, number → sha256."""
    return {number: sha256 for number, (_, sha256) in _applied(cur).items()}


def _chosen(pending: list[Migration], only: dict[int, str] | None) -> list[Migration]:
    if only is None:
        return pending
    own = {migration.number: migration.sha256 for migration in known()}
    foreign = sorted(number for number, sha256 in only.items() if own.get(number) != sha256)
    if foreign:
        raise SchemaMismatch(f"the backup was made with migration {foreign[0]:04}, which this code has not: update LPS")
    return [migration for migration in pending if migration.number in only]


def check(pool: Pool, origin: str) -> None:
    """Refuse a database that this code cannot work with.

    Raises:
        SchemaMismatch: older, newer or changed schema; the text says which and what to do.
        WrongOrigin: as in `run`.
    """
    with pool.transaction() as cur:
        _check_encoding(cur)
        cur.execute(SQL["ledger_exists"])
        if cur.fetchone()[0] is None:
            raise SchemaMismatch("the database has no LPS schema yet: run `lps migrate`")
        pending = _pending(_applied(cur))
        if pending:
            raise SchemaMismatch(f"the database is older than this code (missing {pending[0].name}): run `lps migrate`")
        _check_origin(cur, origin)


def _apply(cur: Cursor, migration: Migration) -> None:
    try:
        cur.execute(migration.sql)
    except DuplicateObject as error:
        raise SchemaMismatch(
            f"migration {migration.name} meets what is there already ({describe(error)}): another program's tables, "
            "or LPS's own without their record in lps_migration; use an empty database, or restore this one"
        ) from error
    cur.execute(SQL["record"], (migration.number, migration.name, migration.sha256))


def _check_encoding(cur: Cursor) -> None:
    cur.execute(SQL["encoding"])
    encoding = cur.fetchone()[0]
    if encoding != "UTF8":
        raise SchemaMismatch(
            f"the database is encoded in {encoding} and cannot store Korean: make it with "
            "CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'"
        )


def _applied(cur: Cursor) -> dict[int, tuple[str, str]]:
    try:
        cur.execute(SQL["applied"])
    except UndefinedObject as error:
        raise SchemaMismatch(
            f"the table lps_migration is not LPS's: {describe(error)}; use another database"
        ) from error
    return {number: (name, sha256) for number, name, sha256 in cur.fetchall()}


def _pending(done: dict[int, tuple[str, str]]) -> list[Migration]:
    migrations = known()
    foreign = set(done) - {migration.number for migration in migrations}
    if foreign:
        name = done[max(foreign)][0]
        raise SchemaMismatch(f"the database is newer than this code (it has {name}): update LPS, nothing was touched")
    for migration in migrations:
        if migration.number in done and done[migration.number][1] != migration.sha256:
            raise SchemaMismatch(f"migration {migration.name} was changed after it ran on this database")
    return [migration for migration in migrations if migration.number not in done]


def _check_origin(cur: Cursor, origin: str) -> None:
    cur.execute(SQL["origin"])
    row = cur.fetchone()
    if row is None or row[0] != origin:
        have = row[0] if row else "no stamp"
        raise WrongOrigin(f"this database is stamped {have!r}, this start is {origin!r}: use another database name")
