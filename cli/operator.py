"""What the operator's commands share: the runtime of the tasks on the database that is meant, who acts, and tables."""

from __future__ import annotations

import contextlib
import functools
import getpass
import os
import socket
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

import config
from cli.db import used
from cli.options import world_options
from store import migrate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from cli.place import World


def operated(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --live, --fixtures and --who; the command gets `who`, and runs with `tasks.runtime` on that database."""

    @functools.wraps(command)
    def run(*args: Any, world: World, who: str, **rest: Any) -> Any:
        with _runtime(world):
            try:
                return command(*args, who=who, **rest)
            except ValueError as error:
                raise click.UsageError(str(error)) from None

    option = click.option("--who", default=me, show_default="user@host", help="Who acts, for the record.")
    return world_options(option(run))


@contextlib.contextmanager
def _runtime(world: World) -> Iterator[None]:
    with used(world) as here:
        config.adopt(here.settings)
        from tasks.runtime import runtime  # noqa: PLC0415 - reads the settings as it is loaded

        runtime.use(here.settings, role="cli")
        try:
            migrate.check(runtime.pool, here.settings.origin)
            yield
        finally:
            runtime.close()


def me() -> str:
    """Who runs this command, for the record: user@host."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their columns; whatever a mall wrote is text, not markup."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        grid.add_column(column, overflow="fold")
    for row in rows:
        grid.add_row(*[_cell(value) for value in row])
    Console(markup=False, highlight=False, soft_wrap=False).print(grid)


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone():%m-%d %H:%M:%S}"
    text = "" if value is None else str(value)
    return "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)
