"""The form with its examples and the last searches, and what it submits."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import Response, redirect, render_template, request, url_for

from web import api, present, service, submission
from web.pages import blueprint
from web.parts import here
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.wrappers import Response as AnyResponse

RECENT = 10
EXAMPLES = (
    ("햇반 백미밥 210g", "24개"),
    ("신라면 120g", "40개"),
    ("더블에이 A4 복사용지 80g", "2500매"),
    ("로지텍 G304 LIGHTSPEED 무선 마우스 블랙", ""),
)
OPTIONS = ("fallback", "allow_used", "allow_overseas", "deadline_s")
FALLBACK = ("when_unmatched", "always", "never")


def _home(values: Mapping[str, str], problem: Problem | None = None) -> str:
    errors = {error.field: error for error in problem.errors} if problem else {}
    search = here().settings.search
    return render_template(
        "home.html",
        values=values,
        errors=errors,
        limits={
            "product_name": search.max_name_chars,
            "specification": search.max_spec_chars,
            "product_code": submission.MAX_CODE_CHARS,
            "deadline_s": (submission.MIN_DEADLINE_S, submission.MAX_DEADLINE_S),
        },
        options_open=any(values.get(name) or name in errors for name in OPTIONS),
        defaults={"fallback": search.fallback, "deadline_s": round(search.deadline_s)},
        fallbacks=FALLBACK,
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
