"""Queues, which are malls too: what waits in them, hold one back with a reason, let it go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request

from model import MALLS
from tasks import operate
from web.auth import current
from web.ops import blueprint
from web.ops.frame import back, page, reason
from web.ops.overview import ORDER
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from werkzeug.wrappers import Response


@blueprint.get("/ops/queues")
@needs("operator")
def queues() -> str:
    """Every queue, also those that hold nothing."""
    held = {one.name: one for one in operate.paused()}
    stats = {one.name: one for one in operate.queue_stats()}
    names = [*ORDER, *sorted((set(held) | set(stats)) - set(ORDER))]
    return page("queues", names=names, stats=stats, held=held, malls=MALLS)


@blueprint.post("/ops/queues/<name>")
@needs("operator")
def hold(name: str) -> Response:
    """`act=pause` with a reason, or `act=resume`."""
    who = current().who
    if request.form.get("act") == "resume":
        return back("ops.queues", "resumed" if operate.resume(name, who=who) else "not_paused")
    try:
        operate.pause(name, who=who, reason=reason())
    except operate.NotFound:
        raise Problem("LPS_NOT_FOUND") from None
    return back("ops.queues", "paused")


@blueprint.post("/ops/recover")
@needs("operator")
def recover() -> Response:
    """Bring back what dead workers held, now."""
    operate.recover()
    return back("ops.workers", "recovered")
