"""Dead letters: grouped by what went wrong, looked at one by one, replayed after a dry run, discarded with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request

from tasks import operate
from web.auth import current
from web.ops import blueprint
from web.ops.frame import MAX_REASON, back, page, reason
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

SHOWN = 50


@blueprint.get("/ops/dead")
@needs("operator")
def dead() -> str:
    """The groups; with `?group=` the letters of one."""
    group = request.args.get("group") or None
    return page(
        "dead",
        groups=operate.dead_groups(),
        group=group,
        letters=operate.dead_letters(_which(group, None), limit=SHOWN),
        max_reason=MAX_REASON,
    )


@blueprint.get("/ops/dead/<message_id>")
@needs("operator")
def letter(message_id: str) -> str:
    """One letter with all its tries and what people did to it."""
    try:
        one, tries, notes = operate.dead_letter(message_id)
    except (operate.NotFound, ValueError):
        raise Problem("LPS_NOT_FOUND") from None
    return page("letter", one=one, tries=tries, notes=notes)


@blueprint.post("/ops/dead")
@needs("operator")
def act() -> Response | str:
    """`act=check` says what a replay would do; `act=replay` does it; `act=discard` gives up, with a reason."""
    which = _which(request.form.get("group") or None, request.form.get("id") or None)
    wish = request.form.get("act")
    if wish == "discard":
        done = operate.discard(which, who=current().who, reason=reason())
        return back("ops.dead", "partly" if done.outcomes.refused else "discarded")
    if wish == "replay":
        done = operate.replay(which, who=current().who)
        return page("replayed", change=done, which=which, dry=False)
    return page("replayed", change=operate.replay(which, who=current().who, dry_run=True), which=which, dry=True)


def _which(group: str | None, message_id: str | None) -> operate.Which:
    try:
        return operate.Which(group=group, ids=[message_id] if message_id else None)
    except ValueError:
        raise Problem("LPS_NOT_FOUND") from None
