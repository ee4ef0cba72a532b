"""Reading one mall of a finished search once more, or for the first time: one function for the pages and the API."""

from __future__ import annotations

from errors import LpsError
from model import MALLS, JobStatus
from store import audit, jobs, offers, prices
from store.pool import UniqueViolation
from tasks import flow
from tasks.operate import NotFound
from tasks.queue import pauses
from tasks.queue.delivery import job_of
from tasks.runtime import runtime

__all__ = ["NotFound", "NotNow", "reread"]


class NotNow(LpsError):
    """The mall cannot be read again now; the text says why."""


def reread(job_id: str, mall: str, *, who: str) -> int:
    """Take a finished search up again with one mall that did not answer, or was not asked; the rest stands.

    Match and persist run once more, so that result and price history have the last word. Gives the new round.

    Raises:
        NotFound: no such job or mall.
        NotNow: the search goes on, was cancelled or runs again elsewhere; the mall has answered, is paused or disabled.
    """
    if mall not in MALLS or not job_of([job_id]):
        raise NotFound(f"there is no job {job_id} with a mall {mall}")
    why = runtime.settings.mall(mall).why_disabled
    if why:
        raise NotNow(f"{mall} is not asked: {why}")
    try:
        return _reread(job_id, mall, who)
    except UniqueViolation:
        raise NotNow("the same product is being searched again by another job") from None


def _reread(job_id: str, mall: str, who: str) -> int:
    with runtime.pool.transaction() as cur:
        job = jobs.hold(cur, job_id)
        if job is None:
            raise NotFound(f"there is no job {job_id}")
        if not job.final or job.status is JobStatus.CANCELLED:
            raise NotNow(f"the search is {job.status.name}")
        held = [pause.reason for pause in pauses.paused(cur) if pause.name == mall]
        if held:
            raise NotNow(f"{mall} is paused: {held[0]}")
        round_ = jobs.reopen(cur, job_id, rounds=1, seconds=runtime.settings.search.deadline_s)
        if not offers.asked(cur, job_id, [mall]):
            offers.open_sources(cur, job_id, [mall], round_)
        elif not offers.reopen_source(cur, job_id, mall, round_):
            raise NotNow(f"{mall} has answered already")
        prices.forget(cur, job_id)
        flow.send(cur, job_id, mall, round_, job.priority)
        audit.note(cur, who, "reread", job_id, {"mall": mall, "round": round_})
        return round_
