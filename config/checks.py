"""What must fit together across settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from model import MALLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from config.settings import KeyPath, Settings
    from config.sources import Leaf

OTHER_WORLD = {"live": "lps_sandbox", "sandbox": "lps_db"}
Finding = tuple[tuple["KeyPath", ...], str]
"""The keys that do not fit (the first is named as the place) and what is wrong with them."""


def findings(settings: Settings, leaves: Mapping[KeyPath, Leaf]) -> Iterator[Finding]:
    """Everything that does not fit."""
    for key in settings.database.conflicts():
        text = f"names another {key} than {leaves['database', key].where}; keep one of the two"
        yield (("database", "url"), ("database", key)), text
    if settings.database.name == OTHER_WORLD[settings.origin]:
        text = f"is the other world's database, this start is {settings.origin}: leave it out, or switch [sandbox] on"
        yield (("database", "name"), ("sandbox", "on")), text
    yield from _proxy(settings)
    yield from _model(settings)
    yield from _times(settings, leaves)


def _proxy(settings: Settings) -> Iterator[Finding]:
    proxy = settings.proxy
    said = {"port": proxy.port, "user": proxy.user, "password": proxy.password.get_secret_value()}
    missing = [key for key, value in said.items() if not value]
    if proxy.host and missing:
        yield (("proxy", "host"),), f"needs {', '.join(missing)} too: set them, or unset host"
    elif not proxy.host and len(missing) < len(said):
        key = next(key for key in said if key not in missing)
        yield (("proxy", key),), f"needs [proxy] host too: set it, or unset {key}"
    if proxy.last_port > 65535:
        text = f"is too many: {proxy.port} + {proxy.ports} ports end at {proxy.last_port}, beyond 65535"
        yield (("proxy", "ports"), ("proxy", "port")), text
    if settings.session.cooldown_s > settings.session.cooldown_max_s:
        text = f"is more than [session] cooldown_max_s ({settings.session.cooldown_max_s:g}): make it smaller"
        yield (("session", "cooldown_s"), ("session", "cooldown_max_s")), text


def _model(settings: Settings) -> Iterator[Finding]:
    known = {price.model for price in settings.ai.prices}
    name = settings.ai.model
    if not any(name == model or re.fullmatch(rf"{re.escape(model)}-\d{{4}}-\d\d-\d\d", name) for model in known):
        text = f"has no price: add a row for it to [ai] prices (known are {', '.join(sorted(known)) or 'none'})"
        yield (("ai", "model"), ("ai", "prices")), text
    if settings.ai.timeout_s > settings.ai.deadline_s:
        text = f"is longer than [ai] deadline_s ({settings.ai.deadline_s:g}): make it shorter"
        yield (("ai", "timeout_s"), ("ai", "deadline_s")), text


def _times(settings: Settings, leaves: Mapping[KeyPath, Leaf]) -> Iterator[Finding]:
    whole = settings.search.deadline_s
    late = [name for name in MALLS if settings.mall(name).deadline_s >= whole]
    if late:
        shares = ", ".join(f"{leaves[name, 'deadline_s'].where} is {settings.mall(name).deadline_s:g}" for name in late)
        text = f"is {whole:g}, but {shares}: a mall's share must be shorter than the whole search"
        yield (("search", "deadline_s"), *((name, "deadline_s") for name in late)), text
    if settings.naver.timeout_s > settings.naver.deadline_s:
        text = f"is longer than [naver] deadline_s ({settings.naver.deadline_s:g}): make it shorter"
        yield (("naver", "timeout_s"), ("naver", "deadline_s")), text
    if settings.queue.min_backoff_s > settings.queue.max_backoff_s:
        text = f"is more than [queue] max_backoff_s ({settings.queue.max_backoff_s:g}): make it smaller"
        yield (("queue", "min_backoff_s"), ("queue", "max_backoff_s")), text
