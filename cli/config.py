"""`lps config`: whether the settings can be used, and each with where it came from."""

from __future__ import annotations

import pathlib

import click

from cli import place
from config import load


@click.group()
def config() -> None:
    """Check the settings, or show them."""


@config.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
def check(file: pathlib.Path | None) -> int:
    """Say whether the settings can be used; all mistakes at once, exit status 1. FILE is read on top of the others."""
    settings = load(file, env=place.environment())
    print(f"the settings can be used ({settings.origin})")
    return 0


@config.command()
@click.argument("block", required=False, default="")
def show(block: str) -> int:
    """Each setting (or those of one BLOCK): name, value, and the file or variable it came from. Secrets are hidden."""
    rows = [row for row in load(env=place.environment()).explain() if not block or row[0].startswith(f"{block}.")]
    if not rows:
        raise click.UsageError(f"there is no block {block!r} in config.toml")
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, value, source in rows:
        print(f"{name:<{widths[0]}}  {value:<{min(widths[1], 48)}}  {source}".rstrip())
    return 0
