"""What may stand in a message, and under which id it is stored.

A message id says what the message is for, so that sending it twice is a no-op: `uuid5(job, step, round)` for a stage,
`uuid5(actor, minute)` for a tick of the clock.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

import structlog

from model import Priority

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dramatiq import Message

NAMESPACE = UUID("5f8d6c0e-9c1f-5a3e-8a6b-1c70b6a1f0d2")
PRIORITIES = sorted(int(priority) for priority in Priority)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def message_id(job: UUID | str, step: str, round_no: int) -> str:
    """The id of the message that runs `step` of `job` in its round."""
    return str(uuid5(NAMESPACE, f"lps/{job}/{step}/{round_no}"))


def tick_id(actor: str, scheduled_at: str) -> str:
    """The id of one actor's tick: the same from every scheduler, in whatever time zone it runs.

    A scheduler fires once as it starts, seconds into the minute, so only the minute counts.

    Raises:
        ValueError: `scheduled_at` is not an ISO time with its offset.
    """
    at = datetime.fromisoformat(scheduled_at)
    if at.tzinfo is None:
        raise ValueError(f"scheduled_at of {actor} has no offset: {scheduled_at!r}")
    minute = at.astimezone(UTC).replace(second=0, microsecond=0)
    return str(uuid5(NAMESPACE, f"lps/tick/{actor}/{minute.isoformat()}"))


def clean(text: str, limit: int = 2000) -> str:
    """A text that PostgreSQL can store: no NUL, no lone surrogate, at most `limit` characters."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)[:limit]


def identified(message: Message[Any]) -> Message[Any]:
    """Give a tick of the clock its one id, and every message the trace it belongs to."""
    trace_id = structlog.contextvars.get_contextvars().get("trace_id")
    if trace_id and "trace_id" not in message.options:
        message = message.copy(options={"trace_id": trace_id})
    scheduled_at = message.options.get("scheduled_at")
    if scheduled_at:
        message = message.copy(message_id=tick_id(message.actor_name, scheduled_at))
    return message


def priority(message: Message[Any], wanted: int | None) -> int:
    """The priority a message is stored with: the one wanted, else its own option.

    Raises:
        ValueError: it is none of `model.Priority`: the claim statement looks for those alone.
    """
    return int(Priority(message.options.get("priority", Priority.INTERACTIVE) if wanted is None else wanted))


def check(message: Message[Any]) -> None:
    """Refuse what JSON or PostgreSQL cannot carry, before it is anywhere.

    Raises:
        ValueError: names the argument, e.g. `naver: args[0].title holds a NUL character`.
    """
    fields = (("args", message.args), ("kwargs", message.kwargs), ("options", message.options))
    for name, value in fields:
        for where, why in _faults(name, value):
            raise ValueError(f"{message.actor_name}: {where} {why}")


def _faults(where: str, value: Any) -> Iterable[tuple[str, str]]:
    match value:
        case None | bool() | int():
            return
        case str():
            yield from _text_faults(where, value)
        case float():
            if not math.isfinite(value):
                yield where, f"is {value}, which JSON cannot say"
        case dict():
            yield from _dict_faults(where, value)
        case list() | tuple():
            for index, item in enumerate(value):
                yield from _faults(f"{where}[{index}]", item)
        case _:
            yield where, f"is a {type(value).__name__}, which JSON cannot say"


def _dict_faults(where: str, value: dict[Any, Any]) -> Iterable[tuple[str, str]]:
    for key, item in value.items():
        if isinstance(key, str):
            yield from _text_faults(f"{where} key {key!r}", key)
            yield from _faults(f"{where}.{key}", item)
        else:
            yield where, f"has the key {key!r}, which is no text"


def _text_faults(where: str, text: str) -> Iterable[tuple[str, str]]:
    found = _UNSTORABLE.search(text)
    if found:
        yield where, "holds a NUL character" if found[0] == "\0" else "holds half a surrogate pair"
