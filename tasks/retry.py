"""Reading one mall of a search once more, because a person asks for it: "retry this source"."""

from __future__ import annotations

from errors import LpsError
from model import MALLS, JobStatus
from store import audit, jobs, offers, prices
from store.pool import UniqueViolation
from tasks import flow
from tasks.queue.dead import NotRevivableError
from tasks.runtime import runtime


class NotFound(LpsError):
    """There is nothing of that name."""


def retry_source(job_id: str, mall: str, *, who: str) -> int:
    """Open a mall that did not answer again, in a new round of a search that has ended; gives the round.

    Raises:
        NotFound: no such search, or no such mall in it.
        NotRevivableError: it answered, may not be asked, or the search runs or cannot go on; the text says why.
    """
    if mall not in MALLS:
        raise NotFound(f"there is no mall {mall!r}")
    try:
        with runtime.pool.transaction() as cur:
            job = jobs.hold(cur, job_id)
            if job is None:
                raise NotFound(f"there is no job {job_id}")
            if job.status is JobStatus.CANCELLED:
                raise NotRevivableError("the search was cancelled: start another one")
            why = runtime.settings.mall(mall).why_disabled
            if why:
                raise NotRevivableError(f"{mall} may not be asked: {why}")
            if not job.final:
                raise NotRevivableError("the search still runs: wait for its end")
            round_ = jobs.reopen(cur, job_id, rounds=1, seconds=runtime.settings.search.deadline_s)
            if not offers.reopen_source(cur, job_id, mall, round_):
                raise NotRevivableError(f"{mall} has answered, or was not asked in this search")
            prices.forget(cur, job_id)
            flow.send(cur, job_id, mall, round_, job.priority)
            audit.note(cur, who, "retry_source", job_id, {"mall": mall, "round": round_})
            return round_
    except UniqueViolation:
        raise NotRevivableError("the same product is being searched again; wait for that, or cancel it") from None
