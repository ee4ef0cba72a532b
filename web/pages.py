"""The pages: the form, a search as it goes and ends, a product's prices. Every one works without JavaScript."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, redirect, render_template, request, url_for

from model import MALLS, Same
from web import answers, api, filters, present, service, submission
from web.language import text
from web.parts import here
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.wrappers import Response as AnyResponse

blueprint = Blueprint("pages", __name__)

RECENT = 10
MAX_REJECTED = 50
"""Rejected offers on a result's page; all of them one click away, and always in the JSON."""
EXAMPLES = (
    ("햇반 백미밥 210g", "24개"),
    ("신라면 120g", "40개"),
    ("더블에이 A4 복사용지 80g", "2500매"),
    ("로지텍 G304 LIGHTSPEED 무선 마우스 블랙", ""),
)


def _home(values: Mapping[str, str], problem: Problem | None = None) -> str:
    errors = {error.field: error for error in problem.errors} if problem else {}
    limits = here().settings.search
    return render_template(
        "home.html",
        values=values,
        errors=errors,
        limits={
            "product_name": limits.max_name_chars,
            "specification": limits.max_spec_chars,
            "product_code": submission.MAX_CODE_CHARS,
        },
        examples=EXAMPLES,
        recent=[present.job(job) for job in service.recent(RECENT)],
    )


@blueprint.get("/")
@needs("viewer")
def home() -> str:
    """The form, filled from the address where an example or a link names values, and the last searches."""
    return _home(request.args)


@blueprint.post("/search")
@needs("buyer")
def search() -> AnyResponse:
    """Submit the form: on to the search's page, or back to the form with what is wrong."""
    try:
        submitted = api.take(submission.from_form(request.form))
    except Problem as problem:
        if not problem.errors:
            raise
        return Response(_home(request.form, problem), problem.status)
    note = "stored" if submitted.cached else "joined" if submitted.deduped else None
    address = url_for("pages.job", job_id=submitted.job_id, note=note)
    return redirect(address, HTTPStatus.SEE_OTHER)


@blueprint.get("/jobs/<job_id>")
@needs("viewer")
def job(job_id: str) -> Response:
    """A search: as it goes, then its result."""
    found = service.search(job_id, with_decisions=True)
    view = present.search(found)
    rejected = [row for row in view["offers"] if row["verdict"] == Same.DIFFERENT]
    shown = None if request.args.get("all") == "1" else MAX_REJECTED
    page = render_template(
        "job.html",
        job=view,
        missing=[source for source in view["sources"] if source["failed"]],
        kept=[row for row in view["offers"] if row["verdict"] != Same.DIFFERENT],
        rejected=rejected[:shown],
        rejected_count=len(rejected),
        show_all=shown is None,
        winner=present.winner(view),
        lowest=present.lowest_by_mall(view["offers"]),
        costs=_costs(view["result"]),
        elapsed_s=_elapsed_s(found),
        limit_s=round((found.job.deadline_at - found.job.created_at).total_seconds()),
        note=request.args.get("note"),
    )
    return answers.unless_known(Response(page))


def _elapsed_s(found: service.Found) -> int:
    end = found.job.finished_at or datetime.now(UTC)
    return max(0, round((end - found.job.created_at).total_seconds()))


def _costs(result: Mapping[str, Any] | None) -> list[str]:
    """The time and cost line, part by part."""
    metrics = (result or {}).get("metrics")
    if not metrics:
        return []
    calls = metrics["ai"]["calls"]
    return [
        text("cost.time", s=filters.seconds(metrics["duration_ms"])),
        text("cost.total", usd=f"{metrics['cost']['total_usd']:.4f}"),
        text("cost.bytes", kb=f"{metrics['crawl']['proxy_bytes'] / 1000:,.0f}"),
        text("cost.ai", n=calls) if calls else text("cost.rules"),
    ]


@blueprint.get("/products/<path:code>")
@needs("viewer")
def product(code: str) -> str:
    """What a product cost, search by search."""
    points = service.history(code)
    malls = [mall for mall in MALLS if any(mall in point.by_mall for point in points)]
    rows: list[dict[str, Any]] = [
        {"when": point.triggered_at.isoformat(), "lowest": point.final_lowest, "source": point.final_source}
        | {"by_mall": point.by_mall}
        for point in points
    ]
    prices = [point.final_lowest for point in points]
    return render_template("product.html", code=code, rows=rows, malls=malls, low=min(prices), high=max(prices))
