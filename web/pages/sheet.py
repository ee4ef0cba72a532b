"""The evidence sheet (견적 근거): one page on paper that says what was compared, when, and why this price."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from flask import Response, render_template

from model import MALLS, Same
from web import answers, present, service
from web.pages import blueprint
from web.pages.job import costs
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from collections.abc import Iterable

TOP = 12
"""Offers on the sheet: what fits on one page beside the rest."""


@blueprint.get("/jobs/<job_id>/sheet")
@needs("viewer")
def sheet(job_id: str) -> Response:
    """The sheet of a finished search."""
    found = service.search(job_id, with_decisions=True)
    view = present.search(found)
    if not view["final"] or view["result"] is None:
        raise Problem("LPS_NO_RESULT")
    same = [row for row in view["offers"] if row["verdict"] == Same.SAME]
    page = render_template(
        "sheet.html",
        job=view,
        winner=present.winner(view),
        offers=same[:TOP],
        more=max(0, len(same) - TOP),
        malls=_malls(view, same),
        rejected=_reasons(row for row in view["offers"] if row["verdict"] != Same.SAME),
        evidence=service.evidence(job_id),
        costs=costs(view["result"]),
    )
    return answers.unless_known(Response(page))


def _malls(view: dict[str, Any], same: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every mall with what it answered and its lowest accepted offer."""
    cheapest: dict[str, dict[str, Any]] = {}
    for row in same:
        cheapest.setdefault(row["mall"], row)
    by_mall = {source["mall"]: source for source in view["sources"]}
    return [by_mall[mall] | {"lowest": cheapest.get(mall)} for mall in MALLS]


def _reasons(rows: Iterable[dict[str, Any]]) -> list[tuple[str, int]]:
    """Why offers were left out, the most frequent first."""
    return Counter(str(row["reason_text"]) for row in rows).most_common()
