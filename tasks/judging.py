"""What the stages and the commands that look back ask of a stored search in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai.match import decide
from errors import NotFound
from store import jobs
from tasks.queue.delivery import job_of
from tasks.runtime import runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ai.match_open import Counsel
    from model import Job, Match, Offer
    from store.pool import Cursor


def found(cur: Cursor, job_id: str) -> Job:
    """The search of this id, however it was written.

    Raises:
        NotFound: there is none, or this can be no id.
    """
    job = jobs.get(cur, job_id) if job_of([job_id]) else None
    if job is None:
        raise NotFound(f"there is no job {job_id}")
    return job


def wishes(job: Job) -> tuple[bool, bool]:
    """Whether this search welcomes used goods, and goods from abroad."""
    return bool(job.options.get("allow_used")), bool(job.options.get("allow_overseas"))


def judged(job: Job, offers: Sequence[Offer], counsel: Counsel | None = None) -> Match:
    """These offers judged as this search wants it; without a counsel by the rules alone."""
    used, overseas = wishes(job)
    return decide(
        job.product,
        offers,
        shipping=runtime.assumed_shipping,
        allow_used=used,
        allow_overseas=overseas,
        counsel=counsel,
    )
