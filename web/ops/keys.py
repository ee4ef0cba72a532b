"""API keys: made, shown once, taken away."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from flask import make_response, request

import store.access
import store.keys
from store.keys import Wanted
from web.auth import current
from web.ops import blueprint
from web.ops.frame import back, page
from web.parts import here
from web.problem import Problem
from web.roles import SCOPES, needs
from web.submission import error

if TYPE_CHECKING:
    from flask import Response
    from werkzeug.wrappers import Response as AnyResponse

MAX_NAME = 80
MAX_DAYS = 3650


@blueprint.get("/ops/keys")
@needs("admin")
def keys() -> str:
    """Those that hold, and with `?all=1` those that were taken away."""
    every = request.args.get("all") == "1"
    with here().pool.autocommit() as cur:
        return page(
            "keys", keys=store.keys.listed(cur, revoked=every), scopes=SCOPES, every=every, secret="", errors={}
        )


@blueprint.post("/ops/keys")
@needs("admin")
def add_key() -> Response:
    """Make one; the answer is the only place its secret is ever seen, so nothing keeps it."""
    try:
        wanted = _wanted()
    except Problem as problem:
        with here().pool.autocommit() as cur:
            listed = store.keys.listed(cur)
        errors = {one.field: one.detail for one in problem.errors}
        return make_response(page("keys", keys=listed, scopes=SCOPES, every=False, secret="", errors=errors), 422)
    with here().pool.transaction() as cur:
        _, secret = store.access.new_key(cur, wanted, who=current().who)
        listed = store.keys.listed(cur)
    response = make_response(page("keys", keys=listed, scopes=SCOPES, every=False, secret=secret, errors={}))
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.post("/ops/keys/<int:key_id>/revoke")
@needs("admin")
def revoke_key(key_id: int) -> AnyResponse:
    """Take one away for good."""
    with here().pool.transaction() as cur:
        done = store.access.revoke_key(cur, key_id, who=current().who)
    return back("ops.keys", "revoked" if done else "gone")


def _wanted() -> Wanted:
    """What the form asks for.

    Raises:
        Problem: LPS_BAD_INPUT.
    """
    name = " ".join(request.form.get("name", "").split())
    scopes = [scope for scope in SCOPES if scope in request.form.getlist("scopes")]
    mistakes = []
    if not name:
        mistakes.append(error("name", "empty"))
    elif len(name) > MAX_NAME:
        mistakes.append(error("name", "too_long", limit=MAX_NAME))
    if not scopes:
        mistakes.append(error("scopes", "required"))
    quota, days, budget = _whole("daily_quota"), _whole("days"), _dollars("daily_budget_usd")
    for field, value, high in (
        ("daily_quota", quota, 10**6),
        ("days", days, MAX_DAYS),
        ("daily_budget_usd", budget, 10**4),
    ):
        if value is not None and not 0 < value <= high:
            mistakes.append(error(field, "out_of_range", low=1, high=high))
    if mistakes:
        raise Problem("LPS_BAD_INPUT", errors=mistakes)
    return Wanted(name=name, scopes=scopes, daily_quota=quota, daily_budget_usd=budget, days=days)


def _whole(field: str) -> int | None:
    """A whole number, None when nothing was entered, -1 when it is none."""
    text = request.form.get(field, "").strip()
    if not text:
        return None
    return int(text) if re.fullmatch(r"[0-9]{1,7}", text) else -1


def _dollars(field: str) -> Decimal | None:
    """USD, None when nothing was entered, -1 when it is no number."""
    text = request.form.get(field, "").strip()
    if not text:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return Decimal(-1)
    return value if value.is_finite() else Decimal(-1)
