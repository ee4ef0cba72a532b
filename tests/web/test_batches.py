"""Batches over HTTP, on the real engine."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest

from store import jobs
from tests.tasks.test_tablefile import xlsx
from tests.web import rows, signin
from web import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    import config
    from tests.conftest import Database

FILE = "메모,상품명,규격\n=1+1,햇살 백미밥 210g,24개\n@b,,24개\n급함,햇살 백미밥 210g,24개\n"


@pytest.fixture
def whole(settings: config.Settings, db: Database) -> Iterator[Flask]:
    """The application with the tasks on this database."""
    from tasks.runtime import runtime

    was = runtime.settings
    runtime.use(settings, db.pool)
    yield create_app(settings, db.pool)
    runtime.use(was)


def send(client: FlaskClient, data: bytes, status: int = 201) -> dict[str, Any]:
    """Upload a file."""
    answer = client.post("/v1/lps/batches?file_name=주문.csv", data=data, content_type="text/csv")
    assert status == answer.status_code, answer.text
    members: dict[str, Any] = json.loads(answer.data)
    return members


def test_a_file_is_judged_started_and_its_results_are_the_file(whole: Flask, db: Database) -> None:
    """Preview, start, results with the uploader's columns in their order and no formula, as CSV and XLSX."""
    client = whole.test_client()
    batch = send(client, FILE.encode("cp949"))
    assert {"new": 1, "duplicate": 1, "error": 1}.items() <= batch["counts"].items()
    address = batch["links"]["self"]
    assert 200 == client.post(f"{address}/start").status_code
    assert 409 == client.post(f"{address}/start").status_code
    job_id = str(db.rows("SELECT job_id FROM job")[0][0])
    with db.pool.transaction() as cur:
        jobs.finish(cur, job_id, rows.result([rows.decision(rows.offer("=cmd|'/c'!A1", 20000))]))
    table = list(csv.reader(io.StringIO(client.get(f"{address}/results?format=csv").data.decode("utf-8-sig"))))
    assert ["메모", "상품명", "규격"] == table[0][:3]
    assert ["'=1+1", "햇살 백미밥 210g", "24개", "찾음", "23000"] == table[1][:5]
    assert "입력 오류" == table[2][3]
    assert table[3][3:5] == table[1][3:5]
    assert not any(cell.startswith(("=", "@")) for line in table for cell in line)
    book = openpyxl.load_workbook(io.BytesIO(client.get(f"{address}/results").data))
    cells = [list(line) for line in book.active.iter_rows()]
    assert ["=1+1", "s"] == [cells[1][0].value, cells[1][0].data_type]
    assert 23000 == cells[1][4].value


def test_rows_come_page_by_page(whole: Flask) -> None:
    """`next` leads to the end, `kind` to the wrong ones with their column."""
    client = whole.test_client()
    address = send(client, FILE.encode())["links"]["self"]
    page = json.loads(client.get(f"{address}/rows?limit=2").data)
    assert ([2, 3], 3) == ([row["n"] for row in page["items"]], page["next"])
    rest = json.loads(client.get(f"{address}/rows?limit=2&after=3").data)
    assert ([4], None) == ([row["n"] for row in rest["items"]], rest["next"])
    wrong = json.loads(client.get(f"{address}/rows?kind=error").data)["items"]
    assert [(3, "상품명")] == [(row["n"], row["errors"][0]["column"]) for row in wrong]


@pytest.mark.parametrize(
    ("data", "code"),
    [(FILE.encode("utf-16"), "utf16"), (b"a,b\n1,2\n", "no_name_column"), (xlsx(["상품명"]), "empty_file")],
)
def test_a_file_that_cannot_be_read_says_why(whole: Flask, data: bytes, code: str) -> None:
    """422 with the very reason, in words; nothing is stored."""
    problem = send(whole.test_client(), data, 422)
    assert ("LPS_BAD_FILE", code) == (problem["code"], problem["errors"][0]["code"])


def test_a_large_file_is_taken_and_a_huge_one_is_not(whole: Flask) -> None:
    """10,000 rows pass; what is beyond the bytes is 413, before it is read."""
    text = "상품명,규격\n" + "".join(f"상품 {n}호,{n}개\n" for n in range(10_000))
    assert 10_000 == send(whole.test_client(), text.encode())["total"]
    assert "LPS_TOO_LARGE" == send(whole.test_client(), b"x" * 5_300_000, 413)["code"]


def test_a_batch_counts_against_the_keys_day(whole: Flask, db: Database) -> None:
    """A file larger than what is left of the quota is not started, and takes nothing of it."""
    header = signin.key(db, "submit", "read", daily_quota=1)
    client = whole.test_client()
    sent = client.post("/v1/lps/batches", data="상품명\na\nb\n".encode(), content_type="text/csv", headers=header)
    address = json.loads(sent.data)["links"]["self"]
    assert 429 == client.post(f"{address}/start", headers=header).status_code
    assert 202 == client.post("/v1/lps/search", json={"product_name": "라면"}, headers=header).status_code
    again = client.post("/v1/lps/search", json={"product_name": "우유"}, headers=header)
    assert (429, "LPS_QUOTA_SPENT") == (again.status_code, json.loads(again.data)["code"])


def test_an_unknown_batch_is_404(whole: Flask) -> None:
    """Also for what is no id at all, and for every act."""
    client = whole.test_client()
    for batch_id in ("x", "00000000-0000-4000-8000-000000000000"):
        address = f"/v1/lps/batches/{batch_id}"
        gets = [client.get(address + more).status_code for more in ("", "/rows", "/results")]
        posts = [client.post(f"{address}/{act}").status_code for act in ("start", "pause", "resume", "cancel")]
        assert {404} == {*gets, *posts}
