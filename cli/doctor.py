"""`lps doctor`: what a start would stumble over, a line each."""

from __future__ import annotations

import contextlib
import platform
import shutil
import socket
import sys
import time
from typing import TYPE_CHECKING

import click

import config
import embedded
from cli import machine, place, ready, running, units
from errors import LpsError
from model import MALLS
from store import migrate, ops

if TYPE_CHECKING:
    from collections.abc import Callable

    from config import Settings

_ROOM_MB = 1000
SKEW_S = 5


@click.command()
def doctor() -> int:
    """Look at the machine and the settings; exit status 1 when something would keep LPS from starting."""
    wrong = 0
    for name, look in LOOKS.items():
        try:
            said, good = look(), True
        except LpsError as error:
            said, good = str(error), False
            wrong += 1
        print(f"{'ok ' if good else 'BAD'}  {name:<9} {said}")
    return 1 if wrong else 0


def _python() -> str:
    return f"{platform.python_version()} ({sys.prefix})"


def _settings() -> str:
    settings = _load()
    asked = [name for name in MALLS if not settings.mall(name).why_disabled]
    return f"can be used; live searches ask: {', '.join(asked) or 'no mall yet (keys, operator_accepts_terms)'}"


def _load() -> Settings:
    return config.load(env=place.environment())


def _browser() -> str:
    block = _load().browser
    lacking = machine.missing(chromium=block.chromium, driver=block.driver, headless=block.headless)
    if lacking:
        raise LpsError(f"missing: {', '.join(lacking)} (apt-get install {' '.join(lacking)})")
    versions = [machine.version_of(block.chromium, *machine.BROWSERS), machine.version_of(block.driver, "chromedriver")]
    majors = {version.partition(".")[0] for version in versions}
    if len(majors) > 1:
        raise LpsError(f"Chromium {versions[0]} and chromedriver {versions[1]} differ: install both from one place")
    return f"Chromium {versions[0]} with its chromedriver, {'headless' if block.headless else 'Xvfb'}"


def _font() -> str:
    if not machine.korean_font():
        raise LpsError("no Korean font: apt-get install fonts-nanum")
    return "a Korean font is there"


def _port() -> str:
    block = _load().web
    up = running.find()
    if up is not None:
        return f"lps up runs (pid {up.pid}, {up.web})"
    ready.port_free(block.host, block.port)
    return f"{units.address(_load())} is free"


def _database() -> str:
    settings = _load()
    if not settings.database.external:
        return f"embedded, in {embedded.default_home(place.ROOT)}, programs in {embedded.binaries()}"
    with contextlib.closing(place.pool(settings, "lps doctor")) as pool:
        migrate.check(pool, settings.origin)
    return f"{settings.database.name} answers and its schema fits"


def _room() -> str:
    free = shutil.disk_usage(place.ROOT).free // 2**20
    if free < _ROOM_MB:
        raise LpsError(f"{free} MB left in {place.ROOT}, {_ROOM_MB} are wanted")
    return f"{free:,} MB left in {place.ROOT}"


def _keys() -> str:
    settings = _load()
    have = {
        "naver": f"{len(settings.naver.keys)} keys" if settings.naver.keys else "",
        "ai": "a key" if not settings.ai.why_off else "",
        "11st": "a key" if settings.st11.api_key.get_secret_value() else "",
        "alerts": "a webhook" if settings.alert.webhook.get_secret_value() else "",
    }
    there = [f"{name}: {what}" for name, what in have.items() if what]
    lacking = [name for name, what in have.items() if not what]
    return "; ".join([*there, *([f"none for {', '.join(lacking)}"] if lacking else [])])


def _proxy() -> str:
    block = _load().proxy
    if not block.host:
        return "none: malls are read directly"
    try:
        socket.create_connection((block.host, block.port), timeout=3).close()
    except OSError as error:
        raise LpsError(
            f"{block.host}:{block.port} does not answer ({error}); its login is tried as a worker starts"
        ) from error
    return f"{block.host}:{block.port} answers; its login is tried as a worker starts"


def _clock() -> str:
    settings = _load()
    if not settings.database.external:
        return "this machine's; the embedded database shares it"
    with contextlib.closing(place.pool(settings, "lps doctor")) as pool, pool.autocommit() as cur:
        asked = time.time()
        away_s = ops.server_time(cur) - asked
    if abs(away_s) > SKEW_S:
        raise LpsError(f"{abs(away_s):.0f} s away from the database's; leases do not mind, but logs will: set up NTP")
    return f"{abs(away_s):.1f} s from the database's"


LOOKS: dict[str, Callable[[], str]] = {
    "python": _python,
    "settings": _settings,
    "browser": _browser,
    "font": _font,
    "keys": _keys,
    "proxy": _proxy,
    "port": _port,
    "database": _database,
    "clock": _clock,
    "disk": _room,
}
