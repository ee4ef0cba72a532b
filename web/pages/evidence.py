"""What a mall answered, as it came: a stranger's page is a download that no browser runs, a picture is sandboxed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response

import store.evidence
from errors import EvidenceFailure
from tasks.evidence import folder
from web.pages import blueprint
from web.parts import here
from web.problem import Problem
from web.roles import needs
from web.service import search

if TYPE_CHECKING:
    from store.evidence import Evidence

SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'"


@blueprint.get("/jobs/<job_id>/evidence/<evidence_id>")
@needs("viewer")
def evidence(job_id: str, evidence_id: str) -> Response:
    """One body of one search; a page as a text file, a screenshot as a picture."""
    search(job_id, with_decisions=False)
    with here().pool.autocommit() as cur:
        kept = {one.evidence_id: one for one in store.evidence.of_job(cur, job_id)}
    one = kept.get(evidence_id)
    if one is None:
        raise Problem("LPS_NO_EVIDENCE")
    try:
        body = folder().get(one.sha256)
    except EvidenceFailure as failure:
        raise Problem("LPS_NO_EVIDENCE", reason=str(failure)) from None
    return _answer(one, body)


def _answer(one: Evidence, body: bytes) -> Response:
    picture = one.media == "screenshot" and body.startswith(b"\x89PNG")
    name = f"{one.mall}-{one.sha256[:12]}.{'png' if picture else 'txt'}"
    headers = {
        "Content-Security-Policy": SANDBOX,
        "Content-Disposition": f'{"inline" if picture else "attachment"}; filename="{name}"',
        "Cache-Control": "private, no-store",
        "X-LPS-SHA256": one.sha256,
    }
    return Response(body, headers=headers, content_type="image/png" if picture else "text/plain; charset=utf-8")
