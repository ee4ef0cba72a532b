"""What the operators' pages share: their list, and how an action comes back to its page."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from web.auth import current
from web.problem import Problem

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

PAGES = (
    ("ops.overview", "operator"),
    ("ops.jobs", "operator"),
    ("ops.dead", "operator"),
    ("ops.queues", "operator"),
    ("ops.workers", "operator"),
    ("ops.crawl", "operator"),
    ("ops.alerts", "operator"),
    ("ops.callbacks", "operator"),
    ("ops.money", "operator"),
    ("ops.keys", "admin"),
    ("ops.settings", "operator"),
    ("ops.audit", "operator"),
)
"""Endpoint and the role it needs, in the order of the menu."""
MAX_REASON = 300


def page(template: str, **values: object) -> str:
    """One operators' page, with the menu and what the last action did (`?note=`)."""
    menu = [endpoint for endpoint, role in PAGES if current().may(role)]
    note = request.args.get("note", "")
    return render_template(f"ops/{template}.html", menu=menu, note=note if note in NOTES else "", **values)


NOTES = (
    "paused",
    "resumed",
    "not_paused",
    "drained",
    "recovered",
    "replayed",
    "discarded",
    "partly",
    "cancelled",
    "revoked",
    "redelivered",
    "silenced",
    "unsilenced",
    "gone",
)


def back(endpoint: str, note: str, **values: object) -> Response:
    """On to a page that says what was done."""
    return redirect(url_for(endpoint, note=note, **values), HTTPStatus.SEE_OTHER)  # type: ignore[arg-type]  # flask takes any value


def reason() -> str:
    """The reason that came with the form.

    Raises:
        Problem: LPS_NO_REASON.
    """
    given = request.form.get("reason", "").strip()[:MAX_REASON]
    if not given:
        raise Problem("LPS_NO_REASON")
    return given
