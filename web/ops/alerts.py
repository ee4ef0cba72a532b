"""Alerts: what rings, what is held back and why, what was told to whom; silences with an end and a reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flask import request

from errors import Disabled, NotFound
from tasks import alerting
from web.auth import current
from web.ops import blueprint
from web.ops.frame import back, page, reason
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

SHOWN = 40
HOURS = (1, 4, 12, 24, 72)


@blueprint.get("/ops/alerts")
@needs("operator")
def alerts() -> str:
    """All rules, those that ring first; what happened; every try to deliver."""
    happened, deliveries = alerting.history(limit=SHOWN)
    return page("alerts", board=alerting.board(), happened=happened, deliveries=deliveries, hours=HOURS, tested=None)


@blueprint.post("/ops/alerts/<rule>")
@needs("operator")
def change_alert(rule: str) -> Response | str:
    """`act=silence` with hours and a reason; `act=unsilence`; `act=test` sends one notice now."""
    wish = request.form.get("act")
    try:
        if wish == "test":
            return _test(rule)
        if wish == "unsilence":
            alerting.unsilence(rule, who=current().who)
            return back("ops.alerts", "unsilenced")
        alerting.silence(rule, hours=_hours(), reason=reason(), who=current().who)
    except NotFound:
        raise Problem("LPS_NOT_FOUND") from None
    return back("ops.alerts", "silenced")


def _test(rule: str) -> str:
    happened, deliveries = alerting.history(limit=SHOWN)
    try:
        tested = alerting.test(rule)
    except Disabled as why:
        tested = alerting.Tested(sent=False, status=None, answer=str(why))
    return page("alerts", board=alerting.board(), happened=happened, deliveries=deliveries, hours=HOURS, tested=tested)


def _hours() -> float:
    given = request.form.get("hours", "")
    hours = int(given) if re.fullmatch(r"[0-9]{1,3}", given) else 0
    if not 1 <= hours <= alerting.MOST_HOURS:
        raise Problem("LPS_BAD_INPUT")
    return hours
