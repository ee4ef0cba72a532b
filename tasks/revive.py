"""Bringing the job of a replayed dead letter back to life, in the transaction that queues the message again.

A source that died left its search going on without it, often to the end: it is opened again, in a new round unless the
round's match is still to come, so that match and persist run once more with what it brings. A match or persist that
died took the job with it: it goes on where it stood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import FALLBACK, FIRST, JobStatus
from store import jobs, offers, prices
from store.pool import UniqueViolation
from tasks.queue.dead import NotRevivableError
from tasks.runtime import runtime

if TYPE_CHECKING:
    from model import Job
    from store.pool import Cursor
    from tasks.queue import DeadMessage


def revive(cur: Cursor, message: DeadMessage, delay_s: float) -> None:
    """Let the message's search go on as if it had not failed.

    Args:
        cur: of the transaction in which the message is queued again.
        message: which.
        delay_s: seconds until it is due.

    Raises:
        NotRevivableError: it cannot; the text says why.
    """
    if not message.actor:
        raise NotRevivableError("the message cannot be read: discard it")
    if message.actor not in (*FIRST, *FALLBACK, "match", "persist"):
        # Deliveries and ticks of the clock hold no search up.
        return
    job = _held(cur, message)
    seconds = delay_s + runtime.settings.search.deadline_s
    try:
        if message.actor in (*FIRST, *FALLBACK):
            _reopen_source(cur, job, message.actor, seconds)
        else:
            _reopen_step(cur, job, message, seconds)
    except UniqueViolation:
        raise NotRevivableError("the same product is being searched again; wait for that, or cancel it") from None


def _held(cur: Cursor, message: DeadMessage) -> Job:
    job = jobs.hold(cur, str(message.job_id)) if message.job_id else None
    if job is None:
        raise NotRevivableError("its job is not there any more")
    if job.status is JobStatus.CANCELLED:
        raise NotRevivableError(f"its search was cancelled: {job.error}")
    other = jobs.active(cur, job.dedupe_key)
    if other and other.job_id != job.job_id:
        raise NotRevivableError(
            f"the same product is being searched again by job {other.job_id}; wait for that, or cancel it"
        )
    return job


def _reopen_source(cur: Cursor, job: Job, mall: str, seconds: float) -> None:
    # Somebody still reads in this round: its match is to come, and will wait for this mall too.
    match_to_come = not job.final and offers.waiting(cur, job.job_id) > 0
    round_ = jobs.reopen(cur, job.job_id, rounds=0 if match_to_come else 1, seconds=seconds)
    if not offers.reopen_source(cur, job.job_id, mall, round_):
        raise NotRevivableError(f"{mall} has been read meanwhile, or is being read")
    if job.final:
        prices.forget(cur, job.job_id)


def _reopen_step(cur: Cursor, job: Job, message: DeadMessage, seconds: float) -> None:
    if job.status is not JobStatus.DEAD or job.round != message.round:
        raise NotRevivableError(f"its search has gone on without it, and is {job.status.name}")
    jobs.reopen(cur, job.job_id, rounds=0, seconds=seconds)
