"""What commands share that ask malls themselves: settings of a world whose malls answer."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from cli import place, running
from sandbox import server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cli.place import Place, World
    from config import Settings


@contextlib.contextmanager
def market(here: Place | None, world: World) -> Iterator[Settings]:
    """Settings under which the malls of this world answer; a sandbox market is served meanwhile if none runs.

    Args:
        here: the place of a running `lps up`, or None.
        world: which one.

    Raises:
        BadConfig, PortTaken: as `place.settle`.
    """
    if here is not None:
        yield here.settings
        return
    settled = place.settle(place.environment(), world)
    with served(settled, world):
        yield settled.settings


@contextlib.contextmanager
def served(here: Place, world: World) -> Iterator[None]:
    """The sandbox market of this place, in this process; nothing in the live world."""
    if not here.market_port:
        yield
        return
    latency_ms = here.settings.sandbox.latency_ms
    with server.serve(port=here.market_port, fixtures=world.fixtures, latency_ms=latency_ms):
        yield


@contextlib.contextmanager
def working(world: World) -> Iterator[Settings]:
    """Settings of a world with its database and answering malls: the running `lps up`'s, else made for this command."""
    up = running.find()
    if up is not None and up.world == world:
        yield up.place.settings
        return
    with place.prepared(world, shared=world.live) as here, served(here, world):
        yield here.settings
