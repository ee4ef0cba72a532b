"""The path of a search as one table, and the steps along it.

Each step runs inside the transaction that stores what led to it, and sends the next messages there: all of it is
committed, or none. A message's id is made of (job, step, round), so that a step taken twice sends nothing twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from model import FALLBACK, FIRST, Outcome, Reason, SourceOutcome, SourceReport
from store import attempts, jobs, offers
from tasks import ends
from tasks.queue import pauses
from tasks.result import ordered
from tasks.runtime import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from model import Job, Match, Product
    from store.pool import Cursor
    from tasks.queue import DeadMessage

PATH = {
    "submit": FIRST,
    "naver": ("match",),
    "coupang": ("match",),
    "match": (*FALLBACK, "persist"),
    "gmarket": ("match",),
    "auction": ("match",),
    "st11": ("match",),
    "persist": ("outbox",),
    "outbox": (),
    "canary": (),
}
"""Stage → what may come next. A stage is an actor, a queue, a config block and a word in the log."""


def send(cur: Cursor, job_id: str, stage: str, round_: int, priority: int) -> None:
    """Put one stage of a job on the queue, in this transaction."""
    message = runtime.broker.message(stage, job=job_id, round=round_)
    runtime.broker.enqueue_in(cur, message, priority=priority)


def read_malls(cur: Cursor, job_id: str, malls: tuple[str, ...], at: jobs.Open) -> bool:
    """Start reading these malls, and note those that are not to be asked; False when none is."""
    paused = {pause.name: pause.reason for pause in pauses.paused(cur)}
    asked = []
    for mall in malls:
        reason = not_asked(mall, paused)
        if reason is None:
            asked.append(mall)
        else:
            offers.skip_source(cur, job_id, reason, at.round)
    if asked:
        offers.open_sources(cur, job_id, asked, at.round)
        messages = [runtime.broker.message(mall, job=job_id, round=at.round) for mall in asked]
        runtime.broker.enqueue_in(cur, *messages, priority=at.priority)
    return bool(asked)


def not_asked(mall: str, paused: dict[str, str]) -> SourceReport | None:
    """Why a mall is left out of a search; None when it is asked."""
    why = runtime.settings.mall(mall).why_disabled
    if why:
        return SourceReport(mall=mall, outcome=SourceOutcome.DISABLED, error=why)
    if mall in paused:
        return SourceReport(mall=mall, outcome=SourceOutcome.PAUSED, error=paused[mall])
    return None


def submitted(cur: Cursor, job_id: str, priority: int) -> None:
    """A new job: ask the first malls; with none to ask, match what is there, which is nothing."""
    if not read_malls(cur, job_id, FIRST, jobs.Open(0, priority)):
        send(cur, job_id, "match", 0, priority)


def source_done(cur: Cursor, job_id: str, report: SourceReport, fence: int) -> None:
    """A mall has been read, or given up: the last one to finish sends the match."""
    job = jobs.lock(cur, job_id)
    if job is None or not offers.close_source(cur, job_id, report, fence):
        return
    if offers.waiting(cur, job_id) == 0:
        send(cur, job_id, "match", job.round, job.priority)


def matched(cur: Cursor, job: Job, match: Match) -> None:
    """Verdicts are in: on to the fallback malls, or to the end."""
    at = jobs.lock(cur, job.job_id)
    if at is None or at.round != job.round:
        return
    if look_again(cur, job.job_id, match, jobs.Open(job.round + 1, at.priority)):
        jobs.advance(cur, job.job_id, job.round)
        return
    if wants_fallback(match, job.options) and not offers.asked(cur, job.job_id, FALLBACK):
        later = jobs.Open(job.round + 1, at.priority)
        jobs.advance(cur, job.job_id, job.round)
        if read_malls(cur, job.job_id, FALLBACK, later):
            return
        at = later
    offers.decide(cur, job.job_id, ordered(match))
    send(cur, job.job_id, "persist", at.round, at.priority)


def look_again(cur: Cursor, job_id: str, match: Match, at: jobs.Open) -> bool:
    """Read the malls with a price too good to be true once more, each once in a search; False when there is none."""
    doubted = {one.offer.mall for one in match.decisions if one.reason is Reason.PRICE}
    paused = {pause.name: pause.reason for pause in pauses.paused(cur)} if doubted else {}
    malls = [mall for mall in doubted if not_asked(mall, paused) is None]
    opened = offers.look_again(cur, job_id, malls, at.round) if malls else []
    for mall in opened:
        send(cur, job_id, mall, at.round, at.priority)
    return bool(opened)


def wants_fallback(match: Match, options: Mapping[str, Any]) -> bool:
    """Whether the fallback malls are to be asked after this match, if they were not yet."""
    policy = options.get("fallback") or runtime.settings.search.fallback
    return policy == "always" or (policy == "when_unmatched" and match.outcome is not Outcome.FOUND)


def overdue(cur: Cursor, limit: int = 500) -> int:
    """Searches past their deadline go on with what is there; returns how many sources were given up."""
    closed = 0
    for job_id in jobs.overdue(cur, limit):
        for mall, pause in offers.open_malls(cur, job_id):
            if pause is None:
                attempts.deadline(cur, job_id, mall, "the search's deadline passed while this mall was being read")
                report = SourceReport(
                    mall=mall, outcome=SourceOutcome.DEADLINE, kind="search", error="JobDeadlineExceeded"
                )
            else:
                report = SourceReport(mall=mall, outcome=SourceOutcome.PAUSED, error=pause)
            source_done(cur, job_id, report, 0)
            closed += 1
    return closed


def held_back(cur: Cursor, limit: int = 500) -> int:
    """Searches go on without a mall that an operator holds back; one that reads it just now may finish."""
    found = offers.held_back(cur, limit)
    for job_id, mall, reason in found:
        source_done(cur, job_id, SourceReport(mall=mall, outcome=SourceOutcome.PAUSED, error=reason), 0)
    return len(found)


def care(cur: Cursor) -> int:
    """What each heartbeat of a worker does for the searches; returns how many sources it closed."""
    return overdue(cur) + held_back(cur)


def dead(cur: Cursor, message: DeadMessage) -> None:
    """A stage will not be tried again: its source is given up, or its job dies, in the same transaction."""
    job_id = message.job_id
    if job_id is None:
        return
    if message.actor in (*FIRST, *FALLBACK):
        outcome = getattr(message.exception, "outcome", SourceOutcome.NET)
        kind = getattr(message.exception, "kind", "")
        error = f"{message.error_type}: {message.error}"
        source_done(cur, str(job_id), SourceReport(mall=message.actor, outcome=outcome, kind=kind, error=error), 0)
    elif message.actor in ("match", "persist"):
        at = jobs.lock(cur, str(job_id))
        if at is None or at.round != message.round:
            # The search has gone on without it: a source was taken up again.
            return
        jobs.die(cur, str(job_id), f"{message.actor} failed {message.attempts} times: {message.error}")
        ends.ended(cur, str(job_id))


def title(product: Product) -> str:
    """A product in one line, for the log."""
    return f"{product.name} {product.specification}".strip()
