"""What a product cost, search by search: chart, table, CSV; and its last searches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from flask import render_template, request

import store.watches
from model import MALLS
from web import chart, csvfile, filters, present, service
from web.api.watches import plain
from web.language import text
from web.pages import blueprint
from web.parts import here
from web.roles import needs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Response

    from store.prices import PricePoint
    from web.problem import Problem

SPANS = (7, 30, 90)
"""Days that can be chosen; without one, all of it."""
MAX_ROWS = 60
"""Rows of the table; the rest is in the CSV."""
LAST_SEARCHES = 10


EVERY_S = (3600, 6 * 3600, 12 * 3600, 86400, 3 * 86400, 7 * 86400)


@blueprint.get("/products/<path:code>")
@needs("viewer")
def product(code: str) -> Response | str:
    """The page, or with `?format=csv` the whole history as a file."""
    if request.args.get("format") == "csv":
        return _csv(code, service.history(code))
    return product_page(code)


def product_page(code: str, problem: Problem | None = None) -> str:
    """The page, with what is wrong in the form of its schedule.

    Raises:
        Problem: LPS_PRODUCT_NOT_FOUND.
    """
    points = service.history(code)
    days = next((days for days in SPANS if str(days) == request.args.get("days")), None)
    since = datetime.now(UTC) - timedelta(days=days or 0)
    shown = [point for point in points if point.triggered_at >= since] if days else points
    jobs = service.of_product(code, LAST_SEARCHES)
    watched = _watched(code)
    return render_template(
        "product.html",
        code=code,
        newest=jobs[0].product if jobs else None,
        facts=_facts(shown or points[:1]),
        chart=chart.draw(shown[::-1], watched["target_krw"] if watched else None),
        watch=watched,
        every=EVERY_S,
        errors=_errors(problem) if problem else {},
        note=request.args.get("note"),
        rows=[_row(point) for point in shown[:MAX_ROWS]],
        count=len(shown),
        malls=[mall for mall in MALLS if any(mall in point.by_mall for point in shown)],
        days=days,
        spans=SPANS,
        jobs=[present.job(job) for job in jobs],
    )


def _errors(problem: Problem) -> dict[str, str]:
    """Field → what is wrong; a reason without a field is about the address to be told."""
    return {error.field: error.detail for error in problem.errors} or {"url": problem.reason or problem.code}


def _watched(code: str) -> dict[str, Any] | None:
    with here().pool.autocommit() as cur:
        found = store.watches.of_code(cur, code)
    return plain(found) if found else None


def _facts(points: Sequence[PricePoint]) -> dict[str, Any]:
    """Now, lowest, highest, and the change since the search before; points come newest first."""
    lowest = min(points, key=lambda point: point.final_lowest)
    highest = max(points, key=lambda point: point.final_lowest)
    now = points[0]
    before = points[1].final_lowest if len(points) > 1 else now.final_lowest
    return {
        "now": _row(now),
        "low": _row(lowest),
        "high": _row(highest),
        "change": now.final_lowest - before,
    }


def _row(point: PricePoint) -> dict[str, Any]:
    return {
        "when": point.triggered_at.isoformat(),
        "lowest": point.final_lowest,
        "source": point.final_source,
        "by_mall": point.by_mall,
        "job_id": point.job_id,
    }


def _csv(code: str, points: Sequence[PricePoint]) -> Response:
    columns = [text("product.when"), text("product.final"), text("product.source"), *map(present.mall_text, MALLS)]
    rows = [
        (
            filters.stamp(point.triggered_at.isoformat()),
            point.final_lowest,
            present.mall_text(point.final_source),
            *(point.by_mall.get(mall) for mall in MALLS),
        )
        for point in points
    ]
    return csvfile.answer(f"{code} {text('product.title')}", columns, rows)
