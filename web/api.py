"""The JSON API under /v1/lps."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import Blueprint, request

from errors import BadProduct
from web import answers, present, service, submission
from web.parts import here
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from flask import Response

    from model import Submitted

blueprint = Blueprint("api", __name__, url_prefix="/v1/lps")


def take(raw: object) -> Submitted:
    """Check a submission and hand it on.

    Raises:
        Problem: LPS_BAD_INPUT with every mistake and its field; nothing was written.
    """
    limits = here().settings.search
    wanted = submission.check(raw, max_name_chars=limits.max_name_chars, max_spec_chars=limits.max_spec_chars)
    try:
        return here().submit(
            wanted.product(), again=wanted.again, deadline_s=wanted.deadline_s, options=wanted.options()
        )
    except BadProduct as bad:
        raise Problem("LPS_BAD_INPUT", errors=[submission.error(bad.kind or "product_name", "unusable")]) from None


@blueprint.post("/search")
@needs("buyer")
def search() -> Response:
    """Submit: 202 and where to look, or 200 when the answer is there already."""
    submitted = take(submission.decode(request.get_data(), is_json=request.is_json))
    links = present.links(submitted.job_id)
    members = {
        "job_id": submitted.job_id,
        "status": int(submitted.status),
        "state": submitted.status.name.lower(),
        "deduped": submitted.deduped,
        "cached": submitted.cached,
        "links": links,
    }
    status = HTTPStatus.OK if submitted.cached else HTTPStatus.ACCEPTED
    return answers.json(members, status, {"Location": links["self"]})


@blueprint.get("/jobs/<job_id>")
@needs("viewer")
def job(job_id: str) -> Response:
    """One search: job, sources, stages, result, offers; `?view=progress` leaves out result and offers."""
    progress = request.args.get("view") == "progress"
    found = service.search(job_id, with_decisions=not progress)
    members = present.search(found)
    if progress:
        del members["result"], members["offers"]
    return answers.unless_known(answers.json(members))


@blueprint.get("/ops")
@needs("viewer")
def ops() -> Response:
    """The operators' snapshot."""
    return answers.json({"origin": here().settings.origin} | asdict(service.ops()))
