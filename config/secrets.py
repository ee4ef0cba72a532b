"""The texts that no log, page or bundle may show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from config.kinds import HIDDEN, NaverKey
from config.settings import LEAVES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from config.settings import Settings

SHORTEST = 6
"""A shorter text is hidden where it is a setting; in free text it would hide half the words."""


def known(settings: Settings) -> tuple[str, ...]:
    """Every secret text in force, the longest first: whole values, and the passwords within addresses."""
    found = {text for path in LEAVES for text in _of(settings.value(path)) if len(text) >= SHORTEST}
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def hidden(text: str, secrets: tuple[str, ...]) -> str:
    """The text without them."""
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


def _of(value: Any) -> Iterator[str]:
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
        yield from _passwords(value.get_secret_value())
    elif isinstance(value, tuple):
        yield from (key.secret.get_secret_value() for key in value if isinstance(key, NaverKey))
    elif isinstance(value, str):
        yield from _passwords(value)


def _passwords(text: str) -> Iterator[str]:
    try:
        password = urlsplit(text).password if "://" in text else None
    except ValueError:
        return
    if password:
        yield from (password, unquote(password))
