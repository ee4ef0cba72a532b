"""The results of a batch as a file: the uploader's own columns first, as they were sent, then what was found."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from flask import Response

from model import JobStatus
from web import csvfile, present
from web.language import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from store.batches import Batch, RowResult

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FOUND = (
    "state",
    "price",
    "item",
    "shipping",
    "mall",
    "seller",
    "title",
    "unit",
    "confidence",
    "url",
    "at",
    "job",
    "note",
)
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def answer(batch: Batch, rows: Sequence[RowResult], form: str) -> Response:
    """The download, `csv` or `xlsx`."""
    columns = [*batch.header, *(text(f"bulk.{name}") for name in FOUND)]
    width = len(batch.header)
    lines = ([*(row.cells + [""] * width)[:width], *_found(row)] for row in rows)
    name = re.sub(r"\.(csv|xlsx)$", "", batch.file_name, flags=re.IGNORECASE) + "-lps"
    if form == "csv":
        return csvfile.answer(name, [str(csvfile.cell(title)) for title in columns], lines)
    disposition = f"attachment; filename=\"results.xlsx\"; filename*=UTF-8''{quote(name, safe='')}.xlsx"
    return Response(_xlsx(columns, lines), content_type=XLSX, headers={"Content-Disposition": disposition})


def _found(row: RowResult) -> list[Any]:
    lowest = row.lowest or {}
    mall = lowest.get("mall")
    return [
        _state(row),
        lowest.get("price"),
        lowest.get("item_price"),
        lowest.get("shipping"),
        present.mall_text(mall) if mall else None,
        lowest.get("seller"),
        lowest.get("title"),
        lowest.get("unit_price"),
        round(lowest["confidence"], 2) if lowest.get("confidence") is not None else None,
        present.safe_url(lowest.get("url")),
        row.finished_at.isoformat(timespec="seconds") if row.finished_at else None,
        row.job_id,
        _note(row),
    ]


def _state(row: RowResult) -> str:
    if row.kind == "error":
        return text("bulk.error")
    if row.status is None:
        return text("bulk.waiting")
    state = JobStatus(row.status)
    return (
        text(f"outcome.{row.outcome}")
        if state is JobStatus.DONE and row.outcome
        else text(f"state.{state.name.lower()}")
    )


def _note(row: RowResult) -> str:
    notes = [f"{error['column']}: {error['text']}" for error in row.errors]
    if row.same_as is not None:
        notes.append(text("bulk.same_as", n=row.same_as))
    if row.complete == "false":
        notes.append(text("bulk.incomplete"))
    return "; ".join([*notes, *filter(None, [present.without_login(row.error)])])


def _xlsx(columns: Sequence[str], lines: Iterator[list[Any]]) -> bytes:
    """One sheet; every text is stored as a text, so that none is ever calculated."""
    import openpyxl  # noqa: PLC0415 - 20 MB that only a download needs
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 - as above

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("LPS")
    sheet.freeze_panes = "A2"

    def cell(value: Any) -> Any:
        if value is None or isinstance(value, int | float):
            return value
        made = WriteOnlyCell(sheet, value=_ILLEGAL.sub("", str(value))[:32_000])
        made.data_type = "s"
        return made

    for line in (columns, *lines):
        sheet.append([cell(value) for value in line])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
