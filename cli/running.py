"""The running `lps up` of this checkout: recorded while it runs, found by the other commands."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import config
from cli import place
from cli.place import Place, World
from config.sources import OPERATOR_NAMES
from embedded.waiting import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

STATE = "up.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Up:
    """What a running `lps up` says about itself."""

    pid: int
    web: str
    world: World
    place: Place


@contextlib.contextmanager
def announced(here: Place, world: World, web: str) -> Iterator[None]:
    """Record this `lps up`, readable for its own user alone because the database's password is in it."""
    document = {
        "pid": os.getpid(),
        "web": web,
        "live": world.live,
        "fixtures": str(world.fixtures) if world.fixtures else None,
        "settings": {name: value for name, value in here.env.items() if _is_setting(name)},
    }
    file = place.STATE / STATE
    private(file, json.dumps(document))
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def lasting_secret(name: str) -> str:
    """The secret in a file of .lps, made on its first use."""
    file = place.STATE / name
    if not file.exists():
        private(file, secrets.token_urlsafe(32))
    return file.read_text(encoding="utf-8").strip()


def private(file: Path, text: str) -> None:
    """Write a file that only its own user can read, whole or not at all."""
    half = file.with_name(f"{file.name}.{os.getpid()}")
    half.unlink(missing_ok=True)
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
    half.replace(file)


def _is_setting(name: str) -> bool:
    return name.startswith("LPS_") or name.removesuffix("_FILE") in OPERATOR_NAMES


def find() -> Up | None:
    """The running `lps up`; None when there is none, whatever file a killed one left."""
    try:
        descriptor = os.open(place.STATE / "up.lock", os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        if try_lock(descriptor, fcntl.LOCK_EX):
            return None
        return _read(json.loads((place.STATE / STATE).read_bytes()))
    except (OSError, ValueError, KeyError):
        return None
    finally:
        os.close(descriptor)


def _read(document: dict[str, Any]) -> Up:
    env = {name: value for name, value in place.environment().items() if not _is_setting(name)} | document["settings"]
    fixtures = Path(document["fixtures"]) if document["fixtures"] else None
    return Up(
        pid=document["pid"],
        web=document["web"],
        world=World(live=document["live"], fixtures=fixtures),
        place=Place(settings=config.load(env=env), env=env),
    )
