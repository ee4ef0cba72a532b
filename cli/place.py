"""Where a command works: which world (sandbox or live), which settings, which database, made and migrated.

What the units of a stack must know differently from the operator's own settings goes to them through their environment.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import random
import socket
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import config
import embedded
from embedded.waiting import free_port, gone, lock, try_lock
from errors import BadConfig, PortTaken, Setup
from model import MALLS
from store import databases, migrate
from store.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from config import Settings

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".lps"
GATE_PORTS = 10
# Another machine's runs on the same server are none of ours.
_PART = f"_tmp_{hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]}_"


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """What a command searches in."""

    live: bool = False
    fixtures: Path | None = None
    ai: bool = field(default=False, compare=False)
    """Whether the sandbox's own model, an invented one, is asked what rules leave open."""

    @property
    def label(self) -> str:
        """As people read it."""
        where = "live" if self.live else f"sandbox with {self.fixtures}" if self.fixtures else "sandbox"
        return f"{where}, asking its invented model" if self.ai else where


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Settings in force, and the same as an environment for child processes."""

    settings: Settings
    env: dict[str, str]
    market_port: int = 0
    """Where the sandbox market is to listen; 0 in the live world."""
    gate: str = ""
    """FIRST:COUNT, the ports of the sandbox's proxy gate; empty = none."""
    cluster: embedded.Cluster | None = None
    """The embedded PostgreSQL; None when the operator has one."""

    @property
    def name(self) -> str:
        """The database's name."""
        return self.settings.database.name

    @property
    def dsn(self) -> str:
        """The database's address."""
        return self.settings.database.dsn()


def environment() -> dict[str, str]:
    """This process's environment, for children and for settings."""
    return dict(os.environ)  # noqa: TID251 - config reads it alone; here it is handed on


def adopt(world: World) -> None:
    """Make the settings of this world those of the process, before the tasks are loaded.

    Raises:
        BadConfig, PortTaken: as in `settle`.
    """
    config.adopt(base_settings(world))


def base_settings(world: World, env: Mapping[str, str] | None = None) -> Settings:
    """The settings of a world before it has a database.

    Raises:
        BadConfig, PortTaken: as in `settle`.
    """
    return settle(environment() if env is None else env, world).settings


def settle(env: Mapping[str, str], world: World) -> Place:
    """The settings of this world, its sandbox market's addresses included.

    Raises:
        BadConfig: the operator's settings are wrong.
        PortTaken: the market's own port is.
    """
    if world.live:
        settings = config.load(env=env)
        if settings.sandbox.on:
            raise BadConfig("--live contradicts [sandbox] on = true: unset one of the two")
        return Place(settings=settings, env=dict(env))
    # A real key, proxy or webhook has no business in an invented market.
    without = (
        "DECODO_",
        "OPENAI_",
        "LPS_AI__API_KEY",
        "LPS_AI__BASE_URL",
        "LPS_AI__ENABLED",
        "NAVER_KEYS",
        "LPS_NAVER__KEYS",
        "LPS_ST11__API_KEY",
        "LPS_PROXY__",
        "LPS_ALERT_WEBHOOK",
        "LPS_ALERT__WEBHOOK",
    )
    env = {name: value for name, value in env.items() if not name.startswith(without)}
    sandbox = config.load(env={**env, "LPS_SANDBOX__ON": "true"}).sandbox
    port = free_port(sandbox.port)
    if not port:
        raise PortTaken(f"port {sandbox.port} is taken: [sandbox] port = 0 takes a free one")
    env |= {"LPS_SANDBOX__ON": "true", "LPS_SANDBOX__PORT": str(port), "NAVER_KEYS": "sandbox:sandbox"}
    env["LPS_AI__ENABLED"] = str(world.ai).lower()
    if world.ai:
        env |= {"LPS_AI__API_KEY": "sandbox", "LPS_AI__BASE_URL": f"http://127.0.0.1:{port}/ai/v1"}
    # An invented mall costs nothing to ask, and whoever tries LPS out wants to see all five.
    env.setdefault("LPS_SEARCH__FALLBACK", "always")
    for mall in MALLS:
        env |= {
            f"LPS_{mall.upper()}__ENABLED": "true",
            f"LPS_{mall.upper()}__BASE_URL": f"http://127.0.0.1:{port}/{mall}",
        }
        if mall != "naver":
            env[f"LPS_{mall.upper()}__OPERATOR_ACCEPTS_TERMS"] = "true"
    gate = _gate(env, wanted=sandbox.proxy)
    return Place(settings=config.load(env=env), env=env, market_port=port, gate=gate)


def _gate(env: dict[str, str], *, wanted: bool) -> str:
    """Ports for the sandbox's proxy gate, as settings too; whatever stands in a file does not count.

    Raises:
        PortTaken: no ten free ports lie side by side.
    """
    env |= dict.fromkeys(("LPS_PROXY__HOST", "LPS_PROXY__USER", "LPS_PROXY__PASSWORD"), "") | {"LPS_PROXY__PORT": "0"}
    if not wanted:
        return ""
    for _ in range(50):
        # Below the ports that outgoing connections are given: there a free stretch is soon found.
        first = random.SystemRandom().randrange(20_000, 32_000)
        if all(free_port(first + n) for n in range(GATE_PORTS)):
            env |= {"LPS_PROXY__HOST": "127.0.0.1", "LPS_PROXY__PORT": str(first), "LPS_PROXY__PORTS": str(GATE_PORTS)}
            env |= {"LPS_PROXY__USER": "sandbox", "LPS_PROXY__PASSWORD": "sandbox"}
            env["LPS_PROXY__IP_URL"] = "http://ip.decodo.com/json"
            return f"{first}:{GATE_PORTS}"
    raise PortTaken(f"no {GATE_PORTS} free ports lie side by side: unset [sandbox] proxy")


@contextlib.contextmanager
def reached(world: World, env: Mapping[str, str] | None = None) -> Iterator[Place]:
    """A place whose server runs, whether or not the database is there and fits.

    Args:
        world: which one.
        env: the operator's environment; None is this process's.

    Raises:
        Setup: the settings are wrong, or the embedded PostgreSQL, started unless the operator has one, does not start.
    """
    place = settle(environment() if env is None else env, world)
    with contextlib.ExitStack() as stack:
        if not place.settings.database.external:
            cluster = stack.enter_context(embedded.Cluster(embedded.default_home(ROOT)))
            place = replace(_with_database(place, cluster.url(place.name)), cluster=cluster)
        yield _named(place, place.name + _suffix(world))


@contextlib.contextmanager
def prepared(world: World, *, shared: bool, env: Mapping[str, str] | None = None) -> Iterator[Place]:
    """A place with its database, made and migrated.

    Args:
        world: which one.
        shared: the world's own database, whoever works on it; else one that nobody else of this checkout uses.
        env: as in `reached`.

    Raises:
        Setup: settings, server, schema or origin do not fit; the text says what to do.
        DatabaseDown: the operator's database does not answer.
    """
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(reached(world, env))
        if not shared:
            place = _named(place, stack.enter_context(_own(place.settings, place.name)))
        databases.ensure(place.settings.database.dsn, place.name)
        with contextlib.closing(pool(place.settings, "lps setup")) as setup:
            migrate.run(setup, place.settings.origin)
        yield place


def _named(place: Place, name: str) -> Place:
    return place if name == place.name else _with_database(place, place.settings.database.dsn(name))


def pool(settings: Settings, application: str) -> Pool:
    """Two connections for a command; the caller closes it."""
    return Pool(settings.database.dsn(), size=2, timeout_s=10, application=application)


def _suffix(world: World) -> str:
    """Results from saved pages must not answer for the invented market: another folder, another database."""
    if world.fixtures is None:
        return ""
    return "_" + hashlib.sha256(str(world.fixtures).encode()).hexdigest()[:8]


def _with_database(place: Place, url: str) -> Place:
    parts = urlsplit(url)
    names = ("DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD", "LPS_DATABASE__HOST", "LPS_DATABASE__PORT")
    env = {name: value for name, value in place.env.items() if name.removesuffix("_FILE") not in names}
    env |= {"LPS_DATABASE__URL": url, "LPS_DATABASE__NAME": unquote(parts.path[1:]), "LPS_DATABASE__HOST": ""}
    env |= {"LPS_DATABASE__USER": "", "LPS_DATABASE__PASSWORD": ""}
    return replace(place, settings=config.load(env=env), env=env)


@contextlib.contextmanager
def _own(settings: Settings, name: str) -> Iterator[str]:
    """The database of this name if nobody else of this checkout has it, else a new one, dropped at the end."""
    STATE.mkdir(exist_ok=True)
    descriptor = os.open(STATE / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if try_lock(descriptor, fcntl.LOCK_EX):
            _drop_orphans(settings, name)
            yield name
            return
        own = f"{name}{_PART}{os.getpid()}"
        try:
            yield own
        finally:
            databases.drop(settings.database.dsn, own)
    finally:
        os.close(descriptor)


def _drop_orphans(settings: Settings, name: str) -> None:
    """Drop what a killed command left."""
    for found in databases.beginning_with(settings.database.dsn, f"{name}{_PART}"):
        pid = found.removeprefix(f"{name}{_PART}")
        if pid.isdigit() and gone(int(pid)):
            databases.drop(settings.database.dsn, found)


@contextlib.contextmanager
def only_one(what: str) -> Iterator[None]:
    """Hold the checkout's lock of this kind.

    Raises:
        Setup: another process holds it.
    """
    STATE.mkdir(exist_ok=True)
    try:
        descriptor = lock(STATE / f"{what}.lock", fcntl.LOCK_EX, time.monotonic() + 0.5)
    except Setup:
        raise Setup(f"lps {what} runs already in this folder") from None
    try:
        yield
    finally:
        os.close(descriptor)
