"""Dead letters: look, group, replay, discard. Every change is row by row, conditional, and on record in `audit`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from errors import LpsError
from store.sql import beside
from tasks.queue.delivery import DeadMessage, read
from tasks.queue.payload import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from store.pool import Cursor, Pool

SQL = beside(__file__)
CAP = 1000
"""Messages one replay or discard takes at most."""
_ID = re.compile(r"[0-9a-f][0-9a-f-]{3,35}", re.IGNORECASE)


class NotRevivableError(LpsError):
    """This message cannot be replayed now."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One dead message with its times."""

    message: DeadMessage
    enqueued_at: datetime
    died_at: datetime


@dataclass(frozen=True, slots=True)
class DeadGroup:
    """Dead messages of one actor that failed alike."""

    key: str
    """8 hex digits, what `listed` and `replay` take."""
    queue: str
    actor: str
    error: str
    """With `#` for every number and id."""
    count: int
    first: datetime
    last: datetime


@dataclass(slots=True)
class Outcomes:
    """What became of each message, row by row."""

    changed: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Message id → why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Which:
    """Which dead messages are meant; all that is given must hold, nothing given means all of them."""

    queue: str | None = None
    group: str | None = None
    """A group's key, or its beginning."""
    ids: Sequence[str] | None = None
    """Message ids or their beginnings (4 characters at least), or the ids of jobs."""

    def __post_init__(self) -> None:
        for text in (*(self.ids or ()), *filter(None, [self.group])):
            if not _ID.fullmatch(text):
                raise ValueError(f"{text!r} is no id: hexadecimal digits, 4 at least")

    @property
    def values(self) -> dict[str, Any]:
        """As the statements take it."""
        ids = None if self.ids is None else [text.lower() for text in self.ids]
        return {"queue": self.queue, "group": self.group and self.group.lower(), "ids": ids}


def listed(cur: Cursor, which: Which | None = None, *, limit: int = 50) -> list[DeadLetter]:
    """Dead messages, the latest first; an unknown id is simply not among them."""
    cur.execute(SQL["listed"], {**(which or Which()).values, "limit": limit})
    return [_letter(row) for row in cur.fetchall()]


def counted(cur: Cursor, which: Which | None = None) -> int:
    """How many there are."""
    cur.execute(SQL["counted"], (which or Which()).values)
    return int(cur.fetchone()[0])


@dataclass(frozen=True, slots=True)
class Try:
    """One ended try of a message."""

    number: int
    worker: str
    started_at: datetime
    ended_at: datetime
    outcome: str
    error: str


@dataclass(frozen=True, slots=True)
class Note:
    """What a person did to it."""

    at: datetime
    who: str
    action: str
    detail: dict[str, Any]


def history(cur: Cursor, message: DeadMessage) -> tuple[list[Try], list[Note]]:
    """Every try of one message, those before a replay too, and what people did to it."""
    cur.execute(SQL["tries"], {"message_id": message.message_id, "job_id": message.job_id})
    tries = [Try(*row) for row in cur.fetchall()]
    cur.execute(SQL["noted"], {"subject": message.message_id})
    return tries, [Note(*row) for row in cur.fetchall()]


def groups(cur: Cursor) -> list[DeadGroup]:
    """Dead messages by what went wrong, the most frequent first."""
    cur.execute(SQL["groups"])
    return [DeadGroup(*row) for row in cur.fetchall()]


def replay(
    pool: Pool,
    letters: Sequence[DeadLetter],
    *,
    who: str,
    revive: Callable[[Cursor, DeadMessage, float], None],
    stagger_s: float = 0,
) -> Outcomes:
    """Queue dead messages again, each in its own transaction with what it belongs to.

    Args:
        pool: connections.
        letters: what `listed` gave, `CAP` at most; one that is not dead any more is left alone.
        who: for the audit.
        revive: brings the message's job back to life in the same transaction, told in how many seconds the message is
            due; raises `NotRevivableError` to refuse.
        stagger_s: seconds between two of them, so that a mall that just came back is not run over.

    Raises:
        ValueError: more than `CAP`.
        DatabaseDown: those before it are replayed, a second call does the rest.
    """
    return _each(
        pool,
        letters,
        lambda cur, index, dead: _revive(cur, dead, who, index * stagger_s, revive),
    )


def discard(pool: Pool, letters: Sequence[DeadLetter], *, who: str, reason: str) -> Outcomes:
    """Give dead messages up for good; they leave the list, their attempts stay.

    Raises:
        ValueError: more than `CAP`, or no reason.
    """
    if not reason.strip():
        raise ValueError("discarding needs a reason")
    return _each(
        pool,
        letters,
        lambda cur, _index, dead: _change(cur, SQL["discarded"], dead, {"who": who, "reason": clean(reason)}),
    )


def _each(pool: Pool, letters: Sequence[DeadLetter], change: Callable[[Cursor, int, DeadMessage], bool]) -> Outcomes:
    if len(letters) > CAP:
        raise ValueError(f"{len(letters)} messages are more than {CAP} at once")
    outcomes = Outcomes()
    for letter in letters:
        message_id = letter.message.message_id
        try:
            with pool.transaction() as cur:
                # A refused one makes no gap in what is staggered.
                if change(cur, len(outcomes.changed), letter.message):
                    outcomes.changed.append(message_id)
                else:
                    outcomes.refused[message_id] = "not dead any more"
        except NotRevivableError as refusal:
            outcomes.refused[message_id] = str(refusal)
    return outcomes


def _revive(
    cur: Cursor, dead: DeadMessage, who: str, delay_s: float, revive: Callable[[Cursor, DeadMessage, float], None]
) -> bool:
    if not _change(cur, SQL["revived"], dead, {"who": who, "attempts": dead.attempts, "delay_s": delay_s}):
        return False
    revive(cur, dead, delay_s)
    return True


def _change(cur: Cursor, statement: str, dead: DeadMessage, values: dict[str, Any]) -> bool:
    cur.execute(statement, {**values, "message_id": dead.message_id})
    return bool(cur.rowcount)


def _letter(row: tuple[Any, ...]) -> DeadLetter:
    message_id, queue, text, attempts, last_error, enqueued_at, died_at = row
    delivery, _ = read(queue, (message_id, text, 0, attempts, died_at))
    error_type, _, error = (last_error or "").partition(": ")
    message = DeadMessage(
        message_id=message_id,
        queue=queue,
        actor=delivery.actor_name,
        args=delivery.args,
        kwargs=delivery.kwargs,
        options=delivery.options,
        attempts=attempts,
        error_type=error_type,
        error=error,
    )
    return DeadLetter(message, enqueued_at, died_at)
