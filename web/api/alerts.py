"""Alerts: what rings, and silences with an end and a reason."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from web import answers, auth, submission
from web.api import alert_models as models
from web.api.kit import Api, Strict
from web.parts import here
from web.problem import Problem

api = Api("alerts", "Alerts")


class Silence(Strict):
    """Notices of a rule to hold back."""

    hours: Annotated[float, Field(ge=1 / 60, le=720, allow_inf_nan=False)]
    reason: Annotated[submission.Text, Field(min_length=1, max_length=500)]
    labels: Annotated[submission.Text, Field(min_length=1, max_length=100)] = "*"
    """A mall, queue or host that the rule measures apart; `*` is all of them."""


@api.route("GET", "/alerts", "viewer", answers={200: models.Alerts})
def alerts() -> dict[str, Any]:
    """Every rule with its state, what rings first; silences in force; the last evaluation."""
    board = here().alerting.board()
    return {
        "items": [answers.plain(asdict(one)) for one in board.states],
        "silences": [answers.plain(asdict(one)) for one in board.silences],
        "clock": answers.plain(asdict(board.clock)) if board.clock else None,
    }


@api.route("POST", "/alerts/<rule>/silence", "operator", body=Silence, answers={200: models.Silenced})
def silence(rule: str, body: Silence) -> dict[str, Any]:
    """Hold a rule's notices back for a while; it is evaluated and shown all the same."""
    alerting = here().alerting
    try:
        until = alerting.silence(rule, hours=body.hours, reason=body.reason, who=auth.current().who, labels=body.labels)
    except alerting.NotFound:
        raise Problem("LPS_NOT_FOUND") from None
    return {"rule": rule, "until": until.isoformat()}


@api.route("DELETE", "/alerts/<rule>/silence", "operator", answers={200: models.Silenced})
def unsilence(rule: str) -> dict[str, Any]:
    """Let a rule be told again."""
    alerting = here().alerting
    try:
        alerting.unsilence(rule, who=auth.current().who)
    except alerting.NotFound:
        raise Problem("LPS_NOT_FOUND") from None
    return {"rule": rule, "until": None}


@api.route("POST", "/alerts/<rule>/test", "operator", answers={200: models.Tested}, problems=(409,))
def test(rule: str) -> dict[str, Any]:
    """Send one notice of a rule now, marked as a test, and give what the receiver said."""
    alerting = here().alerting
    try:
        said = alerting.test(rule)
    except alerting.NotFound:
        raise Problem("LPS_NOT_FOUND") from None
    except alerting.Disabled as error:
        raise Problem("LPS_NOT_NOW", reason=str(error)) from None
    return {"rule": rule, "sent": said.sent, "status": said.status}
