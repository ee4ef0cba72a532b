"""What the operators' endpoints give."""

from __future__ import annotations

from typing import Any

from web.api.kit import Answer


class DeadLetter(Answer):
    """A stage that failed for good."""

    message_id: str
    job_id: str | None
    queue: str
    actor: str
    attempts: int
    error: str | None
    enqueued_at: str
    died_at: str


class DeadLetters(Answer):
    """Dead letters, the latest first."""

    items: list[DeadLetter]


class DeadLetterDetail(DeadLetter):
    """With all its tries, and what people did to it."""

    tries: list[dict[str, Any]]
    notes: list[dict[str, Any]]


class DeadGroup(Answer):
    """Dead letters that failed alike."""

    key: str
    queue: str
    actor: str
    error: str | None
    count: int
    first: str
    last: str


class DeadGroups(Answer):
    """Groups, the largest first."""

    items: list[DeadGroup]


class Changed(Answer):
    """What a replay or discard did, or would do."""

    dry_run: bool
    matching: int
    taken: int
    changed: list[str]
    refused: dict[str, str]


class Queue(Answer):
    """One queue now."""

    name: str
    ready: int
    delayed: int
    running: int
    dead: int
    oldest_s: float
    paused: dict[str, Any] | None


class Queues(Answer):
    """Every queue."""

    items: list[Queue]


class Paused(Answer):
    """A queue that was held back, or let go on."""

    name: str
    paused: bool
    changed: bool


class Workers(Answer):
    """Worker processes."""

    items: list[dict[str, Any]]


class Drained(Answer):
    """Workers that will end."""

    worker_ids: list[str]
