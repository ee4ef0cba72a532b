"""Tables as CSV that a Korean Excel opens: UTF-8 with a BOM, and nothing that it would run as a formula."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING
from urllib.parse import quote

from flask import Response

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A text that begins so is run by a spreadsheet; full-width forms are taken for the same."""
_WIDE = "＝＋－＠"


def cell(value: object) -> object:
    """A value as it may stand in a cell: numbers stay numbers, a text that begins like a formula gets a ' before it."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return value
    text = str(value)
    risky = text.lstrip(" ").startswith((*FORMULA, *_WIDE)) or text.startswith(FORMULA)
    return f"'{text}" if risky else text


def answer(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """A download of that name (without .csv)."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in rows)
    body = "\ufeff" + out.getvalue()
    disposition = f"attachment; filename=\"history.csv\"; filename*=UTF-8''{quote(name, safe='')}.csv"
    return Response(body, content_type="text/csv; charset=utf-8", headers={"Content-Disposition": disposition})
