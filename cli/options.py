"""Options that several commands share."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
from typing import TYPE_CHECKING, Any

import click

from cli.place import World

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = click.Path(exists=True, file_okay=False, resolve_path=True, path_type=pathlib.Path)


def model_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --ai, below `world_options`: the sandbox's own model is asked."""

    @functools.wraps(command)
    def with_model(*args: Any, world: World, ai: bool, **rest: Any) -> Any:
        if ai and world.live:
            raise click.UsageError("--ai is the sandbox's invented model; with --live, OPENAI_API_KEY switches one on")
        return command(*args, world=dataclasses.replace(world, ai=ai), **rest)

    text = "The sandbox's invented model decides what rules leave open; it errs as often as recorded."
    return click.option("--ai", is_flag=True, help=text)(with_model)


def world_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --live and --fixtures; the command gets a `world`."""

    @functools.wraps(command)
    def with_world(*args: Any, live: bool, fixtures: pathlib.Path | None, **rest: Any) -> Any:
        if live and fixtures:
            raise click.UsageError("--live and --fixtures exclude each other")
        return command(*args, world=World(live=live, fixtures=fixtures), **rest)

    saved = click.option("--fixtures", type=FOLDER, metavar="FOLDER", help="The sandbox serves the saved pages in it.")
    real = click.option("--live", is_flag=True, help="The real malls instead of the sandbox.")
    return real(saved(with_world))
