"""One try of one message, and what is left of it when no try is left."""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

from dramatiq import Message
from dramatiq.broker import MessageProxy

from errors import Lost
from model import MALLS
from tasks.queue.flag import Flag

if TYPE_CHECKING:
    from datetime import datetime


class Delivery(MessageProxy):
    """A claimed message: what dramatiq's worker carries around, and what an actor sees as the current message.

    Args:
        message: dramatiq's message, its id and queue taken from the row.
        fence: which claim of this message it is; every write of this try is conditional on it.
        attempt: 1-based number of this try.
        started_at: when it was claimed, the database's clock.
    """

    def __init__(self, message: Message[Any], *, fence: int, attempt: int, started_at: datetime) -> None:
        super().__init__(message)  # type: ignore[no-untyped-call]  # dramatiq annotates this class nowhere
        self.queue = message.queue_name
        self.message_id = message.message_id
        self.actor_name = message.actor_name
        self.args = message.args
        self.options = message.options
        self.fence = fence
        self.attempt = attempt
        self.started_at = started_at
        self.worker = ""
        """Who runs it, `host:pid/worker-0`; empty until a thread has taken it."""
        self.begun: float | None = None
        """When a thread began with it, `time.monotonic()`."""
        self.lost = Flag()
        """Set once another worker may own the message: long work looks here and stops."""
        self.ended = False
        """This try has left the state `consumed`, or is known to have lost it."""
        self.settling = False
        """An ending is being written: the row may change hands before `ended` says so."""
        self.deferred = False
        """It is done, and that is being written together with others: held until then."""
        self.outcome = "done"

    @property
    def attempts(self) -> int:
        """Tries so far, this one included."""
        return self.attempt

    @property
    def key(self) -> tuple[str, int]:
        """What identifies this try."""
        return self.message_id, self.fence

    @cached_property
    def job_id(self) -> UUID | None:
        """The job it works for: the first argument, when that is a job id."""
        return job_of(self.args)

    @property
    def round(self) -> int:
        """The job's round it was sent in."""
        return round_of(self.options)

    @property
    def mall(self) -> str | None:
        """The mall it reads, if it is a source."""
        return self.actor_name if self.actor_name in MALLS else None

    @property
    def subject(self) -> str:
        """What the log calls it: the job where there is one."""
        return str(self.job_id or self.message_id)

    def check(self) -> None:
        """Stop here if another worker owns the message by now; cheap, for between two steps of long work.

        Raises:
            Lost: it does.
        """
        if self.lost.is_set():
            raise Lost(f"{self.actor_name} {self.message_id}: lease {self.fence} was lost")


@dataclass(frozen=True, kw_only=True, slots=True)
class DeadMessage:
    """A message that will not be tried again."""

    message_id: str
    queue: str
    actor: str
    """Empty when the row could not be read."""
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    attempts: int
    error_type: str
    error: str
    exception: BaseException | None = None
    """What the last try raised; None when its worker vanished or the row could not be read."""

    @property
    def job_id(self) -> UUID | None:
        """The job it worked for."""
        return job_of(self.args)

    @property
    def round(self) -> int:
        """The job's round it was sent in."""
        return round_of(self.options)


def round_of(options: dict[str, Any]) -> int:
    """The job's round that a message was sent in; 0 when it names none."""
    number = options.get("round", 0)
    return number if isinstance(number, int) else 0


def job_of(args: Any) -> UUID | None:
    """The first argument, when it is a uuid."""
    if not args or not isinstance(args[0], str):
        return None
    try:
        return UUID(args[0])
    except ValueError:
        return None


def read(queue: str, row: tuple[Any, ...]) -> tuple[Delivery, str]:
    """A claimed row as a delivery, and why it cannot run ("" if it can).

    Args:
        queue: the row's.
        row: id, message text, fence, attempts, claimed at.

    The row's own id and queue count, whatever the stored message says of them: dramatiq's worker thread would die of
    a queue it does not consume.
    """
    message_id, text, fence, attempt, started_at = row
    fields = _fields(text)
    reason = "" if fields else "undecodable message"
    fields = fields or {"actor_name": "", "args": (), "kwargs": {}, "options": {}, "message_timestamp": 0}
    # dramatiq would hold a message with an eta back in memory; ours is a column.
    fields["options"].pop("eta", None)
    message: Message[Any] = Message(**{**fields, "queue_name": queue, "message_id": message_id})
    return Delivery(message, fence=fence, attempt=attempt, started_at=started_at), reason


_FIELDS = {"actor_name": str, "args": list, "kwargs": dict, "options": dict, "message_timestamp": int}


def _fields(text: str | None) -> dict[str, Any] | None:
    fields = json.loads(text) if text else None
    if not isinstance(fields, dict):
        return None
    for name, kind in _FIELDS.items():
        if not isinstance(fields.get(name), kind):
            return None
    return {name: fields[name] for name in _FIELDS}


_current: ContextVar[Delivery | None] = ContextVar("lps_current_message", default=None)


def set_current(delivery: Delivery | None) -> None:
    """Say which message this thread works on."""
    _current.set(delivery)


def current_message() -> Delivery:
    """The message this thread works on.

    Raises:
        LookupError: called outside an actor.
    """
    delivery = _current.get()
    if delivery is None:
        raise LookupError("no message is being worked on in this thread")
    return delivery
