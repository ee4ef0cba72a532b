"""The rows of a database in one file, and back: a consistent copy that holds data alone.

A backup comes from outside like any other file. It names no statement: on the way back only our own COPY runs, into our
own tables as our own migrations made them, and every member is read as a stream, never unpacked to a path.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from errors import Setup, WrongOrigin
from store import migrate
from store.pool import DatabaseError, describe
from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    from store.pool import Cursor, Pool

SQL = beside(__file__)
FORMAT = 1
MANIFEST = "manifest.json"
MOST_MANIFEST_BYTES = 1 << 20
_CHUNK = 1 << 16
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)


class BadBackup(Setup):
    """This file cannot be restored."""


class TableKept(BaseModel):
    """One table of a backup."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    table: str
    """schema.name"""
    columns: tuple[str, ...] = Field(min_length=1)
    size_bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Manifest(BaseModel):
    """What a backup says of itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    format: int
    version: str
    origin: str
    made_at: datetime
    migrations: dict[int, str]
    """Number → sha256, as they had run."""
    tables: tuple[TableKept, ...]
    counters: dict[str, Annotated[int, Field(ge=1, lt=2**63)]] = Field(default_factory=dict)
    """Sequences that belong to no column → how far they are."""


def dump(pool: Pool, target: Path, *, origin: str, version: str) -> Manifest:
    """Write all rows to a new file that only its owner may read; a file of that name is replaced when all is written.

    Raises:
        DatabaseDown: nothing is left of the file.
        OSError: the file cannot be written.
    """
    partial = target.with_name(target.name + ".partial")
    partial.touch(mode=0o600)
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as file, pool.transaction() as cur:
            cur.execute(SQL["snapshot"])
            ran = migrate.applied(cur)
            tables = tuple(_dump(cur, file, f"{schema}.{name}", columns) for schema, name, columns in _tables(cur))
            manifest = Manifest(
                format=FORMAT,
                version=version,
                origin=origin,
                made_at=datetime.now(UTC),
                migrations=ran,
                tables=tables,
                counters={name: _counter(cur, name) for name in _sequences(cur)},
            )
            file.writestr(MANIFEST, manifest.model_dump_json(indent=1))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return manifest


def _tables(cur: Cursor) -> list[tuple[str, str, list[str]]]:
    cur.execute(SQL["tables"])
    return list(cur.fetchall())


def _sequences(cur: Cursor) -> list[str]:
    cur.execute(SQL["sequences"])
    return [name for (name,) in cur.fetchall()]


def _counter(cur: Cursor, name: str) -> int:
    cur.execute(SQL["counter"].format(table=name))
    return int(cur.fetchone()[0])


def _dump(cur: Cursor, file: zipfile.ZipFile, table: str, columns: list[str]) -> TableKept:
    with file.open(table, "w", force_zip64=True) as member:
        counted = _Counted(member)
        cur.copy_expert(_statement(SQL["dump"], table, columns), counted)
    return TableKept(table=table, columns=tuple(columns), size_bytes=counted.size, sha256=counted.sha256)


def read_manifest(source: Path) -> Manifest:
    """What a backup says of itself.

    Raises:
        BadBackup: it is none, or none of this version's.
    """
    with _opened(source) as file:
        return _manifest(file)


def load(pool: Pool, source: Path, *, origin: str, most_bytes: int) -> Manifest:
    """Fill an empty or missing schema with what a backup holds, in one transaction, and bring it to this version.

    Args:
        pool: of a database without any search.
        source: the backup.
        origin: `sandbox` or `live`, which must be the backup's.
        most_bytes: more than this unpacked is refused.

    Raises:
        BadBackup: damaged, larger, of a newer version, or not one of ours; nothing was changed.
        WrongOrigin: it belongs to the other world.
        Setup: the database is in use.
    """
    with _opened(source) as file:
        manifest = _manifest(file)
        if manifest.origin != origin:
            raise WrongOrigin(f"this backup is of the world {manifest.origin!r}, the database is {origin!r}")
        if sum(kept.size_bytes for kept in manifest.tables) > most_bytes:
            raise BadBackup(f"{source.name}: unpacked it is larger than {most_bytes:,} bytes; allow more with --max-gb")
        try:
            migrate.run(pool, origin, only=manifest.migrations)
            with pool.transaction() as cur:
                _load(cur, file, manifest)
        except DatabaseError as error:
            raise BadBackup(f"{source.name}: its rows do not fit: {describe(error)}") from error
    migrate.run(pool, origin)
    return manifest


def _load(cur: Cursor, file: zipfile.ZipFile, manifest: Manifest) -> None:
    cur.execute(SQL["patient"])
    cur.execute(SQL["rows"])
    if cur.fetchone()[0]:
        raise Setup("the database has searches already: restore into an empty one")
    ours = {f"{schema}.{name}": columns for schema, name, columns in _tables(cur)}
    kept = {table.table: table for table in manifest.tables}
    foreign = sorted(set(kept) - set(ours))
    if foreign:
        raise BadBackup(f"a table that LPS does not have: {foreign[0]!r}")
    for table in reversed(ours):
        cur.execute(SQL["empty"].format(table=table))
    for table, columns in ours.items():
        if table in kept:
            _load_table(cur, file, kept[table], columns)
    cur.execute(SQL["identities"])
    for schema, name, column in cur.fetchall():
        cur.execute(SQL["continue_at"].format(table=f"{schema}.{name}", column=column))
    for name in set(_sequences(cur)) & set(manifest.counters):
        cur.execute(SQL["count_on"].format(table=name), (manifest.counters[name],))


def _load_table(cur: Cursor, file: zipfile.ZipFile, kept: TableKept, ours: list[str]) -> None:
    foreign = [column for column in kept.columns if column not in ours]
    if foreign:
        raise BadBackup(f"a column that LPS does not have: {kept.table} {foreign[0]!r}")
    try:
        with file.open(kept.table) as member:
            counted = _Counted(member, most=kept.size_bytes)
            cur.copy_expert(_statement(SQL["load"], kept.table, list(kept.columns)), counted)
            whole = not counted.broken and counted.size == kept.size_bytes and not member.read(1)
    except (KeyError, *_DAMAGED) as error:
        raise BadBackup(f"{kept.table}: damaged or missing ({error})") from error
    if not whole or counted.sha256 != kept.sha256:
        raise BadBackup(f"{kept.table}: its rows are not those that were written {counted.broken}".rstrip())


def _statement(statement: str, table: str, columns: list[str]) -> str:
    # Names of our own catalogue, which are plain words; a backup's were compared with them before.
    return statement.format(table=table, columns=", ".join(f'"{column}"' for column in columns))


@contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(source) as file:
            yield file
    except (OSError, zipfile.BadZipFile) as error:
        raise BadBackup(f"{source.name}: {error}") from error


def _manifest(file: zipfile.ZipFile) -> Manifest:
    try:
        with file.open(MANIFEST) as member:
            raw = member.read(MOST_MANIFEST_BYTES + 1)
        found: dict[str, Any] = orjson.loads(raw)
        if isinstance(found, dict) and found.get("format") != FORMAT:
            raise BadBackup(f"it has format {found.get('format')!r}, this version reads {FORMAT}")
        return Manifest.model_validate(found)
    except (KeyError, ValueError, ValidationError, *_DAMAGED) as error:
        first = str(error).splitlines()[0]
        raise BadBackup(f"this is no backup of LPS: {first}") from error


class _Counted(io.RawIOBase):
    """A stream that counts and hashes what goes through it, and ends at `most` bytes."""

    def __init__(self, inner: IO[bytes], most: int | None = None) -> None:
        self._inner = inner
        self._left = most
        self._hash = hashlib.sha256()
        self.size = 0
        self.broken = ""

    @property
    def sha256(self) -> str:
        """Of what went through, hexadecimal."""
        return self._hash.hexdigest()

    def write(self, data: Any) -> int:
        """To the inner stream."""
        self._count(data)
        return self._inner.write(data)

    def read(self, size: int = -1) -> bytes:
        """From it; damage ends the stream, because an exception in here would end the connection."""
        most = _CHUNK if size < 0 else size
        try:
            data = self._inner.read(most if self._left is None else min(most, self._left))
        except _DAMAGED as error:
            self.broken = f"({error})"
            return b""
        if self._left is not None:
            self._left -= len(data)
        self._count(data)
        return data

    def _count(self, data: bytes) -> None:
        self.size += len(data)
        self._hash.update(data)
