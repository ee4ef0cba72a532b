"""Running LPS: numbers, dead letters, queues and malls, workers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from web import auth, present, service, submission
from web.api import models, operating_models
from web.api.kit import Api, Query, Strict
from web.parts import here
from web.problem import Problem

api = Api("operating", "Operations")
Reason = Annotated[submission.Text, Field(min_length=1, max_length=500)]
Id = Annotated[str, Field(pattern=r"^[0-9a-fA-F][0-9a-fA-F-]{3,35}$")]


@api.route("GET", "/ops", "viewer", answers={200: models.Ops})
def ops() -> dict[str, Any]:
    """The operators' numbers."""
    return {"origin": here().settings.origin} | asdict(service.ops())


class WhichDead(Query):
    """Which dead letters."""

    queue: Annotated[str, Field(max_length=40)] | None = None
    group: Id | None = None
    """Key of a group, or its beginning."""
    limit: Annotated[int, Field(ge=1, le=500)] = 50


@api.route("GET", "/dead", "operator", query=WhichDead, answers={200: operating_models.DeadLetters})
def dead(query: WhichDead) -> dict[str, Any]:
    """Stages that failed for good, the latest first."""
    operate = here().operate
    which = operate.Which(queue=submission.storable(query.queue, "queue"), group=query.group)
    return {"items": [_letter(one) for one in operate.dead_letters(which, limit=query.limit)]}


@api.route("GET", "/dead/groups", "operator", answers={200: operating_models.DeadGroups})
def dead_groups() -> dict[str, Any]:
    """Dead letters by what went wrong, the most frequent first."""
    return {"items": [_plain(asdict(one)) for one in here().operate.dead_groups()]}


@api.route("GET", "/dead/<message_id>", "operator", answers={200: operating_models.DeadLetterDetail})
def dead_letter(message_id: str) -> dict[str, Any]:
    """One dead letter by its id or the beginning of it: every try, and what people did to it."""
    operate = here().operate
    try:
        letter, tries, notes = operate.dead_letter(message_id)
    except (operate.NotFound, ValueError):
        raise Problem("LPS_NOT_FOUND") from None
    return _letter(letter) | {
        "tries": [_plain(asdict(one)) for one in tries],
        "notes": [_plain(asdict(one)) for one in notes],
    }


def _letter(one: Any) -> dict[str, Any]:
    message = one.message
    return {
        "message_id": str(message.message_id),
        "job_id": str(message.job_id) if message.job_id else None,
        "queue": message.queue,
        "actor": message.actor,
        "attempts": message.attempts,
        "error": present.without_login(f"{message.error_type}: {message.error}"),
        "enqueued_at": one.enqueued_at.isoformat(),
        "died_at": one.died_at.isoformat(),
    }


def _plain(members: dict[str, Any]) -> dict[str, Any]:
    """Times as ISO 8601, no login in an error."""
    found = {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in members.items()}
    return found | ({"error": present.without_login(found["error"])} if "error" in found else {})


class Chosen(Strict):
    """Which dead letters something is done to; at least one of queue, group, ids."""

    queue: Annotated[submission.Text, Field(max_length=40)] | None = None
    group: Id | None = None
    ids: Annotated[list[Id], Field(max_length=1000)] | None = None
    dry_run: bool = False
    """Only count."""
    cap: Annotated[int, Field(ge=1, le=1000)] = 100
    """Letters at most; the rest waits for the next call."""


class Replay(Chosen):
    """A replay."""

    stagger_s: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)] = 1.0
    """Seconds between two of them."""


class Discard(Chosen):
    """Giving dead letters up."""

    reason: Reason


@api.route("POST", "/dead/replay", "operator", body=Replay, answers={200: operating_models.Changed})
def replay(body: Replay) -> dict[str, Any]:
    """Queue dead letters again; their searches go on as if they had not failed."""
    who = auth.current().who
    done = here().operate.replay(_which(body), who=who, dry_run=body.dry_run, cap=body.cap, stagger_s=body.stagger_s)
    return _changed(done, dry_run=body.dry_run)


@api.route("POST", "/dead/discard", "operator", body=Discard, answers={200: operating_models.Changed})
def discard(body: Discard) -> dict[str, Any]:
    """Give dead letters up for good, with a reason; their tries stay on record."""
    who = auth.current().who
    done = here().operate.discard(_which(body), who=who, reason=body.reason, dry_run=body.dry_run, cap=body.cap)
    return _changed(done, dry_run=body.dry_run)


def _which(body: Chosen) -> Any:
    if body.queue is None and body.group is None and body.ids is None:
        raise Problem("LPS_BAD_INPUT", errors=[submission.error("ids", "required")])
    return here().operate.Which(queue=body.queue, group=body.group, ids=body.ids)


def _changed(done: Any, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "matching": done.matching,
        "taken": len(done.letters),
        "changed": done.outcomes.changed,
        "refused": done.outcomes.refused,
    }


@api.route("GET", "/queues", "viewer", answers={200: operating_models.Queues})
def queues() -> dict[str, Any]:
    """Every queue (a mall is one): what waits, runs, is dead, and whether it is held back."""
    operate = here().operate
    held = {one.name: one for one in operate.paused()}
    stats = {one.name: asdict(one) for one in operate.queue_stats()}
    empty = {"ready": 0, "delayed": 0, "running": 0, "dead": 0, "oldest_s": 0.0}
    names = sorted({*operate.queue_names(), *stats})
    return {
        "items": [
            {"name": name} | stats.get(name, empty) | {"paused": _plain(asdict(held[name])) if name in held else None}
            for name in names
        ]
    }


class Why(Strict):
    """Why something is done, for the record."""

    reason: Reason


@api.route("POST", "/queues/<name>/pause", "operator", body=Why, answers={200: operating_models.Paused})
def pause(name: str, body: Why) -> dict[str, Any]:
    """Hold a queue back, on every machine and across restarts; the name of a mall holds the mall back."""
    operate = here().operate
    try:
        operate.pause(name, who=auth.current().who, reason=body.reason)
    except operate.NotFound:
        raise Problem("LPS_NOT_FOUND") from None
    return {"name": name, "paused": True, "changed": True}


@api.route("POST", "/queues/<name>/resume", "operator", answers={200: operating_models.Paused})
def resume(name: str) -> dict[str, Any]:
    """Let a queue go on; `changed` is false if it was not held back."""
    operate = here().operate
    if name not in operate.queue_names():
        raise Problem("LPS_NOT_FOUND")
    return {"name": name, "paused": False, "changed": operate.resume(name, who=auth.current().who)}


@api.route("GET", "/workers", "viewer", answers={200: operating_models.Workers})
def workers() -> dict[str, Any]:
    """Worker processes that have not stopped in order."""
    return {"items": service.ops().workers}


class Drain(Strict):
    """Which workers finish what they have and end: one, or all of a host."""

    worker_id: Id | None = None
    host: Annotated[submission.Text, Field(max_length=200)] | None = None


@api.route("POST", "/workers/drain", "operator", body=Drain, answers={200: operating_models.Drained})
def drain(body: Drain) -> dict[str, Any]:
    """Have workers finish what they have and end; a supervisor starts them anew."""
    if body.worker_id is None and body.host is None:
        raise Problem("LPS_BAD_INPUT", errors=[submission.error("worker_id", "required")])
    done = here().operate.drain(who=auth.current().who, worker=body.worker_id, host=body.host)
    return {"worker_ids": [str(one) for one in done]}
