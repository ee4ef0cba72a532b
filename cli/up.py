"""`lps up`: everything, until Ctrl-C.

Order    checks (nothing is started while one fails) · PostgreSQL · migrations · sandbox market, web, workers, clock
Then     one search, its result, and the log of all processes
Stop     clock → workers → web → market → PostgreSQL; a second Ctrl-C waits for nobody
"""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

import click

from cli import place, progress, render, running, units
from cli.account import local_access
from cli.follow import Stopped, Stopping, follow
from cli.options import model_option, world_options
from cli.ready import machine_ready, port_free
from cli.silence import Silence
from cli.stack import Stack
from model import Product
from store.jobs import derived_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.place import Place, World

FIRST = Product(code="", name="햇반 백미밥 210g", specification="24개")
FIRST_SAVED = Product(code="", name="노트북", specification="")
_TURN_S = 0.2
_SIGNS = "callback.secret"
"""File of .lps: what callbacks are signed with, unless the operator has set it."""


@click.command()
@world_options
@model_option
@click.option("--port", type=click.IntRange(1, 65535), help="Of the web pages, instead of [web] port.")
@click.option("--search/--no-search", "searches", default=True, help="Run one search at the start (sandbox only).")
def up(*, world: World, port: int | None, searches: bool) -> int:
    """Start everything, run one search, and stay until Ctrl-C."""
    env = place.environment() | ({"LPS_WEB__PORT": str(port)} if port else {})
    stopping = Stopping()
    with place.only_one("up"), stopping.on_signals():
        settings = place.base_settings(world, env)
        if not settings.outbox.secret.get_secret_value():
            env["LPS_OUTBOX__SECRET"] = running.lasting_secret(_SIGNS)
        port_free(settings.web.host, settings.web.port)
        machine_ready(settings)
        with place.prepared(world, shared=True, env=env) as here:
            _run(here, world, stopping, searches=searches and not world.live)
    _say("lps: stopped")
    return 0


def _run(here: Place, world: World, stopping: Stopping, *, searches: bool) -> None:
    log = place.STATE / "up.log"
    if log.exists():
        log.replace(log.with_name("up.log.1"))
    with Stack(env=here.env, log=log) as stack, Silence(stack, here.settings) as silence:
        stack.hurry = stopping.hurry
        if here.market_port:
            stack.start(units.market(here.market_port, world.fixtures, here.settings.sandbox.latency_ms, here.gate))
        for unit in (units.web(here.settings), *units.workers(here.settings), units.scheduler()):
            stack.start(unit)
        stack.wait_ready("web", "sandbox", stopping=stopping.asked)
        with running.announced(here, world, units.address(here.settings)), local_access(here) as link:
            _greet(here, world, link)
            turn = _turn(stack, silence, here)
            if searches and not stopping.asked.is_set():
                _first_search(here, world, stopping, turn)
            stack.echo = _say
            while not stopping.asked.wait(_TURN_S):
                turn()
        _say("lps: stopping")


def _greet(here: Place, world: World, link: str) -> None:
    _say(f"lps: {units.address(here.settings)}   {world.label}")
    if link:
        _say(f"lps: sign in as admin, once: {link}")
    _say("lps: a key for curl and programs of yours is in .lps/api.key while this runs")
    if not world.live:
        _say("lps: the malls are an invented market on this machine: no price is real; --live asks the real ones")
    _say("lps: the log of all processes is in .lps/up.log; Ctrl-C stops everything")


def _first_search(here: Place, world: World, stopping: Stopping, turn: Callable[[], None]) -> None:
    wanted = FIRST_SAVED if world.fixtures else FIRST
    product = Product(
        code=derived_code(wanted.name, wanted.specification), name=wanted.name, specification=wanted.specification
    )
    try:
        found = follow(product, here.settings, stopping, turn=turn, shown=progress.choose(), again=True)
    except Stopped:
        return
    print("\n".join(render.text(found)), flush=True)
    _say(f"lps: {units.address(here.settings)}/jobs/{found.job.job_id}")


def _turn(stack: Stack, silence: Silence, here: Place) -> Callable[[], None]:
    """Look after the processes, and once a second after PostgreSQL."""
    next_look = [0.0]

    def turn() -> None:
        silence.turn()
        stack.turn()
        if here.cluster is not None and time.monotonic() > next_look[0]:
            next_look[0] = time.monotonic() + 1
            if here.cluster.postmaster() is None:
                _say("lps: PostgreSQL has ended; starting it again")
                here.cluster.start()

    return turn


_lock = threading.Lock()


def _say(line: str) -> None:
    with _lock:
        print(line, file=sys.stderr, flush=True)
