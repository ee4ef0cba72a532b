"""Reads an uploaded table: CSV as Korean spreadsheets save it (UTF-8, BOM, CP949), or XLSX. Everything is bounded."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from errors import LpsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_BYTES = 5 * 1024 * 1024
MAX_COLUMNS = 50
MAX_CELL_CHARS = 2000
MAX_UNPACKED = 100 * 1024 * 1024
MAX_PARTS = 300
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, SyntaxError, zipfile.BadZipFile, OSError, EOFError)
"""openpyxl lets pass whatever its parts raise; expat's ParseError is a SyntaxError."""
_BOM = "\ufeff"


class BadFile(LpsError):
    """This file cannot be read.

    Args:
        code: not_a_table, utf16, encoding, old_excel, too_large, too_many_rows, too_many_columns, empty_file, broken.
        values: what its text names.
    """

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it stands in the file."""

    header: list[str]
    rows: list[tuple[int, list[Any]]]
    """(number as a spreadsheet shows it, cells); empty rows are left out."""


def read(data: bytes, max_rows: int) -> Table:
    """The table in a file.

    Args:
        data: the whole file.
        max_rows: below the header.

    Raises:
        BadFile: it is none, or too large; `code` says how.
    """
    if len(data) > MAX_BYTES:
        raise BadFile("too_large", limit=MAX_BYTES // (1024 * 1024))
    if data.startswith(_ZIP):
        lines = _xlsx(data)
    elif data.startswith(_OLE):
        raise BadFile("old_excel")
    else:
        lines = _csv(_text(data))
    return _table(lines, max_rows)


def _table(lines: Iterable[tuple[int, list[Any]]], max_rows: int) -> Table:
    header: list[str] | None = None
    rows: list[tuple[int, list[Any]]] = []
    for number, cells in lines:
        if all(cell in (None, "") for cell in cells):
            continue
        if len(cells) > MAX_COLUMNS:
            raise BadFile("too_many_columns", limit=MAX_COLUMNS, row=number)
        if header is None:
            header = [str(cell or "").strip() for cell in cells]
        elif len(rows) == max_rows:
            raise BadFile("too_many_rows", limit=max_rows)
        else:
            rows.append((number, (cells + [""] * len(header))[: max(len(header), len(cells))]))
    if not header or not rows:
        raise BadFile("empty_file")
    width = max(len(header), *(len(cells) for _, cells in rows))
    return Table(header + [""] * (width - len(header)), rows)


def _text(data: bytes) -> str:
    if data.startswith(_UTF16) or b"\0" in data[:4096]:
        raise BadFile("utf16")
    for encoding in ("utf-8-sig", "cp949"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise BadFile("encoding")


def _csv(text: str) -> Iterator[tuple[int, list[Any]]]:
    text = text.removeprefix(_BOM)
    first = text[: text.find("\n") if "\n" in text else len(text)]
    delimiter = max(",;\t", key=first.count)
    if "\0" in text:
        raise BadFile("not_a_table")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 0
    try:
        for cells in reader:
            number += 1
            yield number, [cell[:MAX_CELL_CHARS] for cell in cells]
    except csv.Error:
        raise BadFile("broken", row=number + 1) from None


def _xlsx(data: bytes) -> Iterator[tuple[int, list[Any]]]:
    """The first sheet's rows.

    Raises:
        BadFile: broken, or a small file that unpacks into a huge one.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except zipfile.BadZipFile:
        raise BadFile("broken", row=0) from None
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise BadFile("too_large", limit=MAX_UNPACKED // (1024 * 1024))
    import openpyxl  # noqa: PLC0415 - 20 MB that only an upload needs

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # The size that a file claims for itself may be anything.
        for number, cells in enumerate(sheet.iter_rows(max_col=MAX_COLUMNS + 1, values_only=True), start=1):
            yield number, _cells(cells)
    except BadFile:
        raise
    except (
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        SyntaxError,
        zipfile.BadZipFile,
        OSError,
    ) as error:
        # openpyxl lets whatever its parts raise pass; expat's ParseError is a SyntaxError.
        raise BadFile("broken", row=0) from error


def _cells(values: Iterable[Any]) -> list[Any]:
    cells = [_cell(value) for value in values]
    while cells and cells[-1] == "":
        cells.pop()
    return cells


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value)[:MAX_CELL_CHARS]
