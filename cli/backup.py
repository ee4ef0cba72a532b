"""`lps backup`, `lps restore`, `lps support-bundle`."""

from __future__ import annotations

import contextlib
import pathlib
from typing import TYPE_CHECKING

import click

from cli import db, place, running
from cli.options import world_options
from config.version import VERSION
from errors import LpsError, Setup
from store import backup as rows
from store import databases, migrate

if TYPE_CHECKING:
    from cli.place import World

FILE = click.Path(dir_okay=False, path_type=pathlib.Path)


@click.command()
@world_options
@click.argument("file", type=FILE)
def backup(*, world: World, file: pathlib.Path) -> int:
    """Write all rows of the database, as they are at this moment, to FILE (0600).

    Kept pages ([evidence] dir) and settings are files already: copy them beside it. Settings hold secrets.
    """
    with db.used(world) as here, contextlib.closing(place.pool(here.settings, "lps backup")) as pool:
        migrate.check(pool, here.settings.origin)
        try:
            kept = rows.dump(pool, file, origin=here.settings.origin, version=VERSION)
        except OSError as error:
            raise LpsError(f"{file}: {error.strerror}") from error
    size = sum(table.size_bytes for table in kept.tables)
    print(f"{file}: {len(kept.tables)} tables, {size:,} bytes, {file.stat().st_size:,} packed")
    return 0


@click.command()
@world_options
@click.argument("file", type=FILE)
@click.option("--replace", is_flag=True, help="Drop the database first if it is in use; nothing of it is kept.")
@click.option("--max-gb", type=click.FloatRange(0.001), default=20, show_default=True, help="Unpacked size at most.")
def restore(*, world: World, file: pathlib.Path, replace: bool, max_gb: float) -> int:
    """Fill the database of this world with what FILE holds, and bring it to this version.

    The database must be empty or missing. A backup holds rows alone: nothing in it is run.
    """
    kept = rows.read_manifest(file)
    up = running.find()
    if up is not None and up.world == world:
        raise Setup("`lps up` runs on this database: stop it first")
    with place.reached(world) as here:
        database = here.settings.database
        if replace:
            databases.drop(database.dsn, database.name)
        databases.ensure(database.dsn, database.name)
        with contextlib.closing(place.pool(here.settings, "lps restore")) as pool:
            rows.load(pool, file, origin=here.settings.origin, most_bytes=int(max_gb * 2**30))
    print(f"{database.name}: as it was at {kept.made_at.astimezone():%Y-%m-%d %H:%M:%S}, {len(kept.tables)} tables")
    return 0
