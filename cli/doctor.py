"""`lps doctor`: what a start would stumble over, a line each."""

from __future__ import annotations

import contextlib
import platform
import shutil
import sys
from typing import TYPE_CHECKING

import click

import config
import embedded
from cli import machine, place, ready, running, units
from errors import LpsError
from model import MALLS
from store import migrate

if TYPE_CHECKING:
    from collections.abc import Callable

    from config import Settings

_ROOM_MB = 1000


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
    return "Chromium, chromedriver and Xvfb are there"


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


LOOKS: dict[str, Callable[[], str]] = {
    "python": _python,
    "settings": _settings,
    "browser": _browser,
    "font": _font,
    "port": _port,
    "database": _database,
    "disk": _room,
}
