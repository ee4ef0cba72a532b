"""What a product cost, search by search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from model import MALLS
from web import csvfile, service
from web.api import models
from web.api.kit import Api, Query

if TYPE_CHECKING:
    from flask import Response

    from store.prices import PricePoint

api = Api("products", "Products")


class Form(Query):
    """How the history is written."""

    format: Literal["json", "csv"] = "json"
    limit: Annotated[int, Field(ge=1, le=1000)] = 1000
    """The newest so many."""


@api.route(
    "GET",
    "/products/<path:code>/history",
    "viewer",
    query=Form,
    answers={200: models.History},
    also=("text/csv",),
)
def history(code: str, query: Form) -> Response | dict[str, Any]:
    """The prices of one product, newest first; `format=csv` for a spreadsheet."""
    points = service.history(code)[: query.limit]
    if query.format == "csv":
        return _csv(code, points)
    items = [
        {
            "at": point.triggered_at.isoformat(timespec="milliseconds"),
            "lowest_krw": point.final_lowest,
            "lowest_mall": point.final_source,
            "by_mall": point.by_mall,
        }
        for point in points
    ]
    return {"product_code": code, "items": items}


def _csv(code: str, points: list[PricePoint]) -> Response:
    rows = [
        [
            point.triggered_at.isoformat(timespec="seconds"),
            point.final_lowest,
            point.final_source,
            *(point.by_mall.get(mall) for mall in MALLS),
        ]
        for point in points
    ]
    columns = ["at", "lowest_krw", "lowest_mall", *(f"{mall}_krw" for mall in MALLS)]
    return csvfile.answer(code, columns, rows)
