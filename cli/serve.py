"""`lps worker`, `lps scheduler`, `lps web`: one kind of process by itself.

The database is the operator's (DB_HOST, LPS_DATABASE__URL), else that of the running `lps up`; its schema is checked
before anything starts.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

import click

import config
from cli import place, running, units
from cli.follow import Stopping
from cli.ready import machine_ready, port_free
from cli.silence import Silence
from cli.stack import Stack
from errors import Setup
from store import migrate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cli.place import Place
    from cli.stack import Unit

BROWSER_MALLS = {"coupang", "gmarket", "auction"}
_TURN_S = 0.2


def run_workers(queues: Sequence[str], processes: int | None) -> int:
    """Run worker processes until Ctrl-C: all queues, or those named."""
    here = _here({"LPS_WORKER__PROCESSES": str(processes)} if processes else {})
    if not queues or BROWSER_MALLS & set(queues):
        machine_ready(here.settings)
    names = range(1, here.settings.worker.processes + 1)
    return _run(here, [units.worker(number, here.settings, queues) for number in names])


@click.command()
def scheduler() -> int:
    """Run the clock until Ctrl-C."""
    return _run(_here({}), [units.scheduler()])


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), help="Instead of [web] port.")
@click.option("--host", help="Instead of [web] host.")
def web(port: int | None, host: str | None) -> int:
    """Serve pages and API until Ctrl-C."""
    more = {"LPS_WEB__PORT": str(port)} if port else {}
    here = _here(more | ({"LPS_WEB__HOST": host} if host else {}))
    port_free(here.settings.web.host, here.settings.web.port)
    print(f"lps: {units.address(here.settings)}", file=sys.stderr, flush=True)
    return _run(here, [units.web(here.settings)])


def _here(more: Mapping[str, str]) -> Place:
    """The operator's place, or that of the running `lps up`, with a schema that fits."""
    env = place.environment() | dict(more)
    settings = config.load(env=env)
    if settings.database.external:
        here = place.Place(settings=settings, env=env)
    else:
        up = running.find()
        if up is None:
            raise Setup("no database: start `lps up`, or set DB_HOST or LPS_DATABASE__URL")
        env = up.place.env | dict(more)
        here = place.Place(settings=config.load(env=env), env=env)
    with contextlib.closing(place.pool(here.settings, "lps check")) as pool:
        migrate.check(pool, here.settings.origin)
    return here


def _run(here: Place, wanted: Sequence[Unit]) -> int:
    stopping = Stopping()
    log = place.STATE / f"{wanted[0].name.partition('-')[0]}-{os.getpid()}.log"
    with stopping.on_signals(), Stack(env=here.env, log=log) as stack, Silence(stack, here.settings) as silence:
        stack.hurry = stopping.hurry
        stack.echo = lambda line: print(line, file=sys.stderr, flush=True)
        for unit in wanted:
            stack.start(unit)
        while not stopping.asked.wait(_TURN_S):
            silence.turn()
            stack.turn()
    log.unlink(missing_ok=True)
    return 0
