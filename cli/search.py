"""`lps search`: one product, one result.

Uses a running `lps up` of the same world; otherwise brings up its own PostgreSQL, market and worker, and ends them.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING

import click

from cli import place, progress, render, running, units
from cli.follow import Stopping, follow, require_usable
from cli.options import model_option, world_options
from cli.ready import machine_ready
from cli.stack import Stack
from embedded.waiting import gone
from model import Product
from store.jobs import derived_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cli.place import World
    from config import Settings


@click.command()
@click.argument("name")
@click.option("--spec", default="", metavar="TEXT", help="What the name leaves open: pack count, size, colour …")
@click.option("--code", default="", metavar="TEXT", help="Your own product code; by default made of name and spec.")
@click.option("--again", is_flag=True, help="Search even if a fresh answer is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@world_options
@model_option
@click.option("--deadline", type=click.FloatRange(min=1), metavar="SECONDS", help="For the whole search.")
def search(name: str, spec: str, code: str, *, again: bool, as_json: bool, world: World, deadline: float | None) -> int:
    """Search NAME and print the lowest price that is certain.

    Exit status: 0 found, 3 not found or no safe match, 1 error, 2 usage.
    """
    product = Product(code=code or derived_code(name, spec), name=name, specification=spec)
    place.adopt(world)
    require_usable(product)
    stopping = Stopping()
    with stopping.on_signals(), somewhere(world, stopping) as (settings, turn):
        found = follow(
            product, settings, stopping, turn=turn, shown=progress.choose(), again=again, deadline_s=deadline
        )
    if as_json:
        print(json.dumps(render.document(found), ensure_ascii=False, indent=2, default=str))
    else:
        print("\n".join(render.text(found)))
    return found.status


@contextlib.contextmanager
def somewhere(world: World, stopping: Stopping) -> Iterator[tuple[Settings, Callable[[], None]]]:
    """Settings of a place with workers, and what must be called now and then while it is used."""
    up = running.find()
    if up is not None and up.world == world:
        if world.ai and up.place.settings.ai.why_off:
            print("lps: the running lps up asks no model: start it with --ai", file=sys.stderr, flush=True)
        yield up.place.settings, lambda: None
        return
    machine_ready(place.base_settings(world))
    with place.prepared(world, shared=False) as here:
        print(
            f"lps: {world.label}; no lps up runs, so a worker is started for this search", file=sys.stderr, flush=True
        )
        for old in place.STATE.glob("search-*.log"):
            if gone(int(old.stem.removeprefix("search-"))):
                old.unlink(missing_ok=True)
        log = place.STATE / f"search-{os.getpid()}.log"
        with Stack(env=here.env, log=log, crashes=2) as stack:
            stack.hurry = stopping.hurry
            stack.start(units.worker(1, here.settings))
            if here.market_port:
                stack.start(units.market(here.market_port, world.fixtures, here.settings.sandbox.latency_ms, here.gate))
                stack.wait_ready("sandbox", stopping=stopping.asked)
            yield here.settings, stack.turn
        log.unlink(missing_ok=True)  # Only kept when something went wrong.
