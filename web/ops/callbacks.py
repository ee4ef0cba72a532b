"""The delivery log: what was told to whom, what answered, and telling it once more."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import request

import store.audit
import store.callbacks
from tasks import letters
from web import service
from web.auth import current
from web.ops import blueprint
from web.ops.frame import back, page
from web.parts import here
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

PER_PAGE = 50
STATES = ("waiting", "sent", "failed")


@blueprint.get("/ops/callbacks")
@needs("operator")
def callbacks() -> str:
    """The newest first; `?state=`, `?before=` the last one of the page before."""
    state = next((state for state in STATES if state == request.args.get("state")), None)
    before = request.args.get("before", "")
    with here().pool.autocommit() as cur:
        last = before if service.is_id(before) else None
        found = store.callbacks.listed(cur, limit=PER_PAGE + 1, before=last, state=state)
    shown = found[:PER_PAGE]
    return page(
        "callbacks",
        letters=shown,
        hosts={one.outbox_id: _host(one.url) for one in shown},
        more=shown[-1].outbox_id if len(found) > PER_PAGE else None,
        states=STATES,
        state=state,
    )


@blueprint.post("/ops/callbacks/<delivery_id>")
@needs("operator")
def redeliver(delivery_id: str) -> Response:
    """Deliver once more what was delivered or given up."""
    if not service.is_id(delivery_id):
        raise Problem("LPS_NOT_FOUND")
    done = letters.redeliver(delivery_id)
    if done:
        with here().pool.transaction() as cur:
            store.audit.note(cur, current().who, "redeliver", delivery_id)
    return back("ops.callbacks", "redelivered" if done else "gone")


def _host(url: str) -> str:
    """Only the host: the rest of a webhook's address is often its secret."""
    try:
        return urlsplit(url).hostname or "?"
    except ValueError:
        return "?"
