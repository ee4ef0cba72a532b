"""Uploaded tables: what Korean spreadsheets save is read, everything else is refused by name."""

from __future__ import annotations

import io
import zipfile
from datetime import date
from typing import Any

import openpyxl
import pytest

from tasks.tablefile import BadFile, read

TEXT = "상품명,규격,메모\r\n햇반 백미밥 210g,24개,급함\r\n\r\n신라면,,\r\n"


def xlsx(*rows: list[Any]) -> bytes:
    """A workbook of one sheet."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_is_read_as_it_was_saved(encoding: str, delimiter: str) -> None:
    """Three encodings, three delimiters; empty lines are left out and numbers are those of the spreadsheet."""
    table = read(TEXT.replace(",", delimiter).encode(encoding), 100)
    assert ["상품명", "규격", "메모"] == table.header
    assert [(2, ["햇반 백미밥 210g", "24개", "급함"]), (4, ["신라면", "", ""])] == table.rows


def test_xlsx_keeps_what_the_cells_hold() -> None:
    """Numbers stay numbers, whole ones without a point, a date is ISO 8601, an empty row is left out."""
    table = read(xlsx(["상품명", "수량", "단가", "날짜"], ["라면", 5.0, 1.5, date(2026, 11, 30)], [], ["우유"]), 100)
    assert (2, ["라면", 5, 1.5, "2026-11-30T00:00:00"]) == table.rows[0]
    assert (4, ["우유", "", "", ""]) == table.rows[1]


def bomb() -> bytes:
    """A small archive that says it unpacks into 200 MB."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"\0" * 200_000_000)
    return out.getvalue()


REFUSED: list[tuple[str, bytes]] = [
    ("utf16", TEXT.encode("utf-16")),
    ("utf16", TEXT.encode("utf-16-le")),
    ("encoding", b"\xff\xff\xfd,\x80\x81\n\xfe\xff\xff"),
    ("old_excel", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 100),
    ("empty_file", b""),
    ("empty_file", "상품명,규격\r\n".encode()),
    ("broken", b'name\r\n"never closed'),
    ("broken", b"PK\x03\x04 and then nothing"),
    ("broken", xlsx(["a"], ["b"])[:-400]),
    ("too_large", b"a\n" * 3_000_000),
    ("too_many_columns", ("a," * 60 + "\n" + "b," * 60).encode()),
    ("too_many_rows", b"name\n" + b"x\n" * 11),
]


@pytest.mark.parametrize(("code", "data"), REFUSED, ids=[f"{n} {row[0]}" for n, row in enumerate(REFUSED)])
def test_what_cannot_be_read_says_why(code: str, data: bytes) -> None:
    """Each refusal has its own name."""
    with pytest.raises(BadFile) as refused:
        read(data, 10)
    assert code == refused.value.code


def test_a_bomb_is_not_unpacked() -> None:
    """The archive's own list of sizes is enough to refuse it."""
    with pytest.raises(BadFile, match="too_large"):
        read(bomb(), 10)


def test_a_workbook_without_its_parts_is_broken() -> None:
    """An archive that is no workbook, and one whose XML is none."""
    for name, body in (("hello.txt", "x"), ("xl/workbook.xml", "<a"), ("[Content_Types].xml", "<a/>")):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(name, body)
        with pytest.raises(BadFile, match="broken"):
            read(out.getvalue(), 10)
