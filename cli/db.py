"""`lps migrate`, `lps psql`, `lps ops`: on the database of a running `lps up`, the operator's, or the embedded one."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import subprocess
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import click

import embedded
from cli import place, running
from cli.options import world_options
from errors import Setup
from store import databases, sizes
from store import migrate as schema
from store import ops as numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cli.place import Place, World


@click.command()
@world_options
@click.option("--check", is_flag=True, help="Only say whether the schema fits; exit status 1 when it does not.")
def migrate(*, world: World, check: bool) -> int:
    """Bring the database to this version's schema, making the database if it is missing."""
    with place.reached(world) as here, contextlib.closing(place.pool(here.settings, "lps migrate")) as pool:
        if check:
            schema.check(pool, here.settings.origin)
            print(f"{here.settings.database.name}: the schema fits")
            return 0
        databases.ensure(here.settings.database.dsn, here.settings.database.name)
        ran = schema.run(pool, here.settings.origin)
    print(f"{here.settings.database.name}: {', '.join(ran) if ran else 'nothing to do'}")
    return 0


@click.command(context_settings={"ignore_unknown_options": True})
@world_options
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def psql(*, world: World, arguments: Sequence[str]) -> int:
    """Open psql on the database; ARGUMENTS go to psql, for example -c 'TABLE worker'."""
    program = shutil.which("psql") or str(embedded.binaries() / "psql")
    with used(world) as here:
        parts = urlsplit(here.dsn)
        # The password goes through the environment: arguments can be read by every user of the machine.
        env = place.environment() | {"PGPASSWORD": unquote(parts.password or "")}
        address = parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", "@")).geturl()
        return subprocess.run([program, address, *arguments], env=env, check=False).returncode


@click.command()
@world_options
def ops(*, world: World) -> int:
    """Print the operators' numbers as JSON."""
    with (
        used(world) as here,
        contextlib.closing(place.pool(here.settings, "lps ops")) as pool,
        pool.autocommit() as cur,
    ):
        now = numbers.snapshot(cur, stuck_s=here.settings.worker.stuck_s, lease_s=here.settings.queue.lease_s)
        large = {one.table: one.size_bytes for one in sizes.sizes(cur)}
        print(json.dumps(dataclasses.asdict(now) | {"size_bytes": large}, ensure_ascii=False, indent=2, default=float))
    return 0


@contextlib.contextmanager
def used(world: World) -> Iterator[Place]:
    """The place of the running `lps up` of this world, else the operator's database, else the embedded one."""
    up = running.find()
    if up is not None and up.world == world:
        yield up.place
        return
    with place.reached(world) as here:
        if here.cluster is not None and not databases.beginning_with(here.settings.database.dsn, here.name):
            raise Setup(f"there is no database {here.name} yet: `lps up` or `lps migrate` makes it")
        yield here
