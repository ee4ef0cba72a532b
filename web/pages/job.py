"""A search: as it goes, then its result; cancelling it, and reading one of its malls again."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import Response, redirect, render_template, request, url_for

from model import Same
from tasks import operate
from web import answers, filters, order, present, service
from web.auth import current
from web.language import text
from web.pages import blueprint
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from werkzeug.wrappers import Response as AnyResponse

    from model import Decision

MAX_KEPT, MAX_REJECTED = 30, 20
"""Offers on a result's page, not rejected and rejected: a page stays below 60 kB; all of them are one click away."""
NOTES = ("stored", "joined", "cancelled", "ended", "reread", "refused", "corrected")


@blueprint.get("/jobs/<job_id>")
@needs("viewer")
def job(job_id: str) -> Response:
    """A search: as it goes, then its result."""
    found = service.search(job_id, with_decisions=True)
    view = present.search(found)
    sort = order.chosen(request.args.get("sort"))
    rows = order.by(view["offers"], sort)
    rejected = [row for row in rows if row["verdict"] == Same.DIFFERENT]
    kept = [row for row in rows if row["verdict"] != Same.DIFFERENT]
    every = request.args.get("all") == "1"
    page = render_template(
        "job.html",
        job=view,
        missing=[source for source in view["sources"] if source["failed"]],
        unread=[source for source in view["sources"] if source["failed"] or source["outcome"] is None],
        kept=kept if every else kept[:MAX_KEPT],
        kept_count=len(kept),
        rejected=rejected if every else rejected[:MAX_REJECTED],
        rejected_count=len(rejected),
        show_all=every,
        sort=sort,
        winner=present.winner(view),
        lowest=present.lowest_by_mall(view["offers"]),
        costs=costs(view["result"]),
        tries=present.timeline(found),
        elapsed_s=_elapsed_s(found),
        limit_s=round((found.job.deadline_at - found.job.created_at).total_seconds()),
        numbers=numbers(found.decisions) if found.job.final and current().may("buyer") else {},
        evidence=service.evidence(job_id) if found.job.final else [],
        note=next((note for note in NOTES if note == request.args.get("note")), None),
    )
    return answers.unless_known(Response(page))


@blueprint.post("/jobs/<job_id>/cancel")
@needs("buyer")
def cancel(job_id: str) -> AnyResponse:
    """End a search that waits or runs; one that has ended stays as it is."""
    try:
        done = operate.cancel(job_id, who=current().who, reason="on its page")
    except operate.NotFound:
        raise Problem("LPS_JOB_NOT_FOUND") from None
    return _back(job_id, "cancelled" if done.changed else "ended")


@blueprint.post("/jobs/<job_id>/malls/<mall>")
@needs("buyer")
def read_again(job_id: str, mall: str) -> AnyResponse:
    """Read one mall of a finished search once more."""
    if not service.is_id(job_id):
        raise Problem("LPS_JOB_NOT_FOUND")
    try:
        operate.retry_source(job_id, mall, who=current().who)
    except operate.NotFound:
        raise Problem("LPS_JOB_NOT_FOUND") from None
    except operate.NotRevivableError:
        return _back(job_id, "refused")
    return _back(job_id, "reread")


def _back(job_id: str, note: str) -> AnyResponse:
    return redirect(url_for("pages.job", job_id=job_id, note=note), HTTPStatus.SEE_OTHER)


def numbers(decisions: Sequence[Decision]) -> dict[tuple[str, int, str], int]:
    """(mall, rank, title) → the number by which an offer is corrected."""
    return {(one.offer.mall, one.offer.rank, one.offer.name): n for n, one in enumerate(decisions, 1)}


def _elapsed_s(found: service.Found) -> int:
    end = found.job.finished_at or datetime.now(UTC)
    return max(0, round((end - found.job.created_at).total_seconds()))


def costs(result: Mapping[str, Any] | None) -> list[str]:
    """The time and cost line, part by part."""
    metrics = (result or {}).get("metrics")
    if not metrics:
        return []
    calls = metrics["ai"]["calls"]
    # Without a proxy nothing is billed, but something came all the same.
    size = metrics["crawl"]["proxy_bytes"] or sum(
        source.get("bytes", 0) for source in (result or {})["sources"].values()
    )
    return [
        text("cost.time", s=filters.seconds(metrics["duration_ms"])),
        text("cost.total", usd=f"{metrics['cost']['total_usd']:.4f}"),
        text("cost.bytes", kb=f"{size / 1000:,.0f}"),
        text("cost.ai", n=calls) if calls else text("cost.rules"),
    ]
