"""Who did what, for good."""

from __future__ import annotations

from flask import request

import store.listing
from web.ops import blueprint
from web.ops.frame import page
from web.parts import here
from web.roles import needs

PER_PAGE = 100


@blueprint.get("/ops/audit")
@needs("operator")
def audit() -> str:
    """The newest first; `?who=`, `?subject=`, `?before=` the last one of the page before."""
    who, subject = _given("who"), _given("subject")
    before = request.args.get("before", "")
    with here().pool.autocommit() as cur:
        lines = store.listing.audit(
            cur,
            limit=PER_PAGE + 1,
            before=int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None,
            who=who,
            subject=subject,
        )
    more = lines[PER_PAGE - 1].audit_id if len(lines) > PER_PAGE else None
    return page("audit", lines=lines[:PER_PAGE], who=who or "", subject=subject or "", more=more)


def _given(name: str) -> str | None:
    text = "".join(char for char in request.args.get(name, "") if char.isprintable()).strip()[:100]
    return text or None
