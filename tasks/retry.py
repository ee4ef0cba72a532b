"""Reading one mall of a search once more, or for the first time, because a person asks for it: "retry this source"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors import NotFound
from model import MALLS, JobStatus
from store import audit, jobs, offers, prices
from store.pool import UniqueViolation
from tasks import flow
from tasks.queue import pauses
from tasks.queue.dead import NotRevivableError
from tasks.runtime import runtime

if TYPE_CHECKING:
    from model import Job
    from store.pool import Cursor


def retry_source(job_id: str, mall: str, *, who: str) -> int:
    """Open a mall that did not answer, or was not asked, in a new round of a search that has ended; gives the round.

    Match and persist run once more, so that result and price history have the last word.

    Raises:
        NotFound: no such search, or no such mall.
        NotRevivableError: it answered, may not be asked, or the search runs or cannot go on; the text says why.
    """
    if mall not in MALLS:
        raise NotFound(f"there is no mall {mall!r}")
    try:
        with runtime.pool.transaction() as cur:
            job = jobs.hold(cur, job_id)
            if job is None:
                raise NotFound(f"there is no job {job_id}")
            _check(cur, job, mall)
            round_ = jobs.reopen(cur, job_id, rounds=1, seconds=runtime.settings.search.deadline_s)
            if not offers.asked(cur, job_id, [mall]):
                offers.open_sources(cur, job_id, [mall], round_)
            elif not offers.reopen_source(cur, job_id, mall, round_):
                raise NotRevivableError(f"{mall} has answered already")
            prices.forget(cur, job_id)
            flow.send(cur, job_id, mall, round_, job.priority)
            audit.note(cur, who, "retry_source", job_id, {"mall": mall, "round": round_})
            return round_
    except UniqueViolation:
        raise NotRevivableError("the same product is being searched again; wait for that, or cancel it") from None


def _check(cur: Cursor, job: Job, mall: str) -> None:
    if job.status is JobStatus.CANCELLED:
        raise NotRevivableError("the search was cancelled: start another one")
    if not job.final:
        raise NotRevivableError("the search still runs: wait for its end")
    why = runtime.settings.mall(mall).why_disabled
    if why:
        raise NotRevivableError(f"{mall} may not be asked: {why}")
    for pause in pauses.paused(cur):
        if pause.name == mall:
            raise NotRevivableError(f"{mall} is paused: {pause.reason}")
