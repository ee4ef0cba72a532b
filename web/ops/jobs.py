"""All searches: filtered, a page at a time, cancelled together; and one with everything that became of it."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from flask import request

import store.evidence
import store.listing
import store.spend
from model import JobStatus
from store.listing import Filter
from tasks import operate
from web import present, service
from web.auth import current
from web.ops import blueprint
from web.ops.frame import back, page, reason
from web.parts import here
from web.roles import needs

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

    from store.listing import JobLine

PER_PAGE = 50
MAX_CANCEL = 500
"""Searches that one press cancels at most."""
OPEN = (JobStatus.PENDING, JobStatus.RUNNING)
_STATES = {status.name.lower(): status for status in JobStatus}
_AFTER = re.compile(r"(\S{10,40})_([0-9a-f-]{36})")


@blueprint.get("/ops/jobs")
@needs("operator")
def jobs() -> str:
    """The newest first; `?status=`, `?q=` (name, code or id), `?after=` the last one of the page before."""
    which = _which(request.args.get("status"), request.args.get("q"))
    with here().pool.autocommit() as cur:
        found = store.listing.jobs(cur, which, limit=PER_PAGE + 1, after=_after(request.args.get("after", "")))
    return page(
        "jobs",
        jobs=found[:PER_PAGE],
        states=[status.name.lower() for status in JobStatus],
        names={int(status): status.name.lower() for status in JobStatus},
        status=request.args.get("status", ""),
        q=which.text or "",
        after=_mark(found[PER_PAGE - 1]) if len(found) > PER_PAGE else None,
        open_states=[int(status) for status in OPEN],
    )


@blueprint.post("/ops/jobs")
@needs("operator")
def cancel_jobs() -> Response:
    """Cancel the searches that were ticked, or with `all` those that the filter matches and that have not ended."""
    why, ids = reason(), request.form.getlist("id")[:MAX_CANCEL]
    if request.form.get("all") == "1":
        ids = _matching(_which(request.form.get("status"), request.form.get("q")))
    done = 0
    for job_id in ids:
        try:
            done += operate.cancel(job_id, who=current().who, reason=why).changed
        except operate.NotFound:
            continue
    return back("ops.jobs", "cancelled", n=done, status=request.form.get("status") or None)


@blueprint.get("/ops/jobs/<job_id>")
@needs("operator")
def job_detail(job_id: str) -> str:
    """Every try, the dead letters, the evidence, and what people did to one search."""
    found = service.search(job_id, with_decisions=False)
    with here().pool.autocommit() as cur:
        kept = store.evidence.of_job(cur, job_id)
        notes = store.listing.audit(cur, limit=50, subject=job_id)
        payments = store.spend.ledger(cur, job_id)
    return page(
        "job",
        job=present.search(found),
        found=found.job,
        tries=present.timeline(found),
        letters=operate.dead_letters(operate.Which(ids=[job_id])),
        evidence=kept,
        notes=notes,
        payments=payments,
    )


def _which(status: str | None, text: str | None) -> Filter:
    state = _STATES.get(status or "")
    words = "".join(char for char in (text or "") if char.isprintable()).strip()[:100]
    return Filter(status=int(state) if state else None, text=words or None)


def _matching(which: Filter) -> list[str]:
    """Ids of the searches that match and have not ended, MAX_CANCEL at most."""
    states = [int(state) for state in OPEN if which.status in (None, int(state))]
    ids: list[str] = []
    with here().pool.autocommit() as cur:
        for state in states:
            narrowed = Filter(status=state, text=which.text)
            ids += [line.job_id for line in store.listing.jobs(cur, narrowed, limit=MAX_CANCEL)]
    return ids[:MAX_CANCEL]


def _mark(line: JobLine) -> str:
    return f"{line.created_at.isoformat()}_{line.job_id}"


def _after(mark: str) -> tuple[datetime, str] | None:
    """What `_mark` wrote; anything else is the first page."""
    parts = _AFTER.fullmatch(mark.replace(" ", "+"))
    if parts is None:
        return None
    try:
        return datetime.fromisoformat(parts[1]), parts[2]
    except ValueError:
        return None
