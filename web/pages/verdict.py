"""A person says of an offer that it is the product, or is not: kept as a case, and holding from the next search on."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from model import Reason, Same
from tasks.correct import correct
from tasks.operate import NotFound
from web import present, service
from web.auth import current
from web.language import text
from web.pages import blueprint
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

VERDICTS = {"same": Same.SAME, "different": Same.DIFFERENT}
MAX_WHY = 300


@blueprint.get("/jobs/<job_id>/offers/<int:n>")
@needs("buyer")
def offer(job_id: str, n: int) -> str:
    """One offer with its verdict, and the form that corrects it."""
    found = service.search(job_id, with_decisions=True)
    if not 1 <= n <= len(found.decisions):
        raise Problem("LPS_NOT_FOUND")
    reasons = [reason for reason in Reason if reason is not Reason.OK]
    row = present.offer(found.decisions[n - 1])
    return render_template("offer.html", job=present.job(found.job), row=row, n=n, reasons=reasons, max_why=MAX_WHY)


@blueprint.post("/jobs/<job_id>/offers/<int:n>")
@needs("buyer")
def correct_offer(job_id: str, n: int) -> Response:
    """`verdict` (same, different), and optionally why and of which kind the difference is."""
    said = VERDICTS.get(request.form.get("verdict", ""))
    if said is None:
        raise Problem("LPS_BAD_REQUEST")
    why = request.form.get("why", "").strip()[:MAX_WHY] or text(f"correct.{said}")
    reason = next((reason for reason in Reason if reason == request.form.get("reason")), None)
    try:
        correct(job_id, str(n), said, who=current().who, why=why, reason=reason)
    except NotFound:
        raise Problem("LPS_NOT_FOUND") from None
    return redirect(url_for("pages.job", job_id=job_id, note="corrected"), HTTPStatus.SEE_OTHER)
