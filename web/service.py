"""What the views read, each in one visit to the database."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import store.attempts
import store.evidence
import store.jobs
import store.offers
import store.ops
import store.prices
from web.parts import here
from web.problem import Problem

if TYPE_CHECKING:
    from model import Decision, Job, JobSource, Ops
    from store.attempts import Attempt
    from store.evidence import Evidence
    from store.prices import PricePoint

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One job with everything that became of it."""

    job: Job
    sources: list[JobSource]
    attempts: list[Attempt]
    decisions: list[Decision]


def is_id(text: str) -> bool:
    """Whether this can be an id of a job, batch, message."""
    return bool(_UUID.fullmatch(text))


def stamp(job_id: str) -> str:
    """What changes whenever the search moves; much cheaper than the search itself.

    Raises:
        Problem: LPS_JOB_NOT_FOUND.
    """
    if not is_id(job_id):
        raise Problem("LPS_JOB_NOT_FOUND")
    with here().pool.autocommit() as cur:
        found = store.jobs.stamp(cur, job_id)
    if found is None:
        raise Problem("LPS_JOB_NOT_FOUND")
    return found


def search(job_id: str, *, with_decisions: bool) -> Found:
    """One job; the job row is read first, so a final job is never shown with sources still open.

    Raises:
        Problem: LPS_JOB_NOT_FOUND, also for what is no job id at all.
    """
    if not is_id(job_id):
        raise Problem("LPS_JOB_NOT_FOUND")
    with here().pool.autocommit() as cur:
        job = store.jobs.get(cur, job_id)
        if job is None:
            raise Problem("LPS_JOB_NOT_FOUND")
        return Found(
            job=job,
            sources=store.offers.outline(cur, job_id),
            attempts=store.attempts.of_job(cur, job_id),
            decisions=store.offers.decisions(cur, job_id) if with_decisions else [],
        )


def evidence(job_id: str) -> list[Evidence]:
    """What is kept of the malls' answers to a search."""
    with here().pool.autocommit() as cur:
        return store.evidence.of_job(cur, job_id)


def recent(limit: int) -> list[Job]:
    """The newest jobs, newest first."""
    with here().pool.autocommit() as cur:
        return store.jobs.recent(cur, limit)


def of_product(code: str, limit: int) -> list[Job]:
    """The newest jobs of a product, newest first."""
    with here().pool.autocommit() as cur:
        return store.jobs.of_product(cur, code, limit)


def history(code: str) -> list[PricePoint]:
    """The prices of one product, newest first.

    Raises:
        Problem: LPS_PRODUCT_NOT_FOUND.
    """
    with here().pool.autocommit() as cur:
        points = store.prices.history(cur, code) if "\0" not in code else []
    if not points:
        raise Problem("LPS_PRODUCT_NOT_FOUND")
    return points[::-1]


def ops() -> Ops:
    """The operators' numbers."""
    settings = here().settings
    with here().pool.autocommit() as cur:
        return store.ops.snapshot(cur, stuck_s=settings.worker.stuck_s, lease_s=settings.queue.lease_s)
