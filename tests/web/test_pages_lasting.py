"""Files of products and re-check schedules, on the pages."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import openpyxl
import pytest

from model import Product
from tests.web import rows, signin
from tests.web.test_pages import KNOWN, text_of

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.conftest import Database

FILE = "비고,상품명,규격\n첫째,맑은샘 생수 2L,6개\n둘째,맑은샘 생수 2L,6개\n=1+1,,\n넷째,라면 120g,5개\n"
FORM = {"product_code": "RICE24", "product_name": "밥", "every_s": "86400"}


@pytest.fixture
def buyer(app: Flask, db: Database) -> FlaskClient:
    """A browser in which a buyer has signed in."""
    return signin.person(app, db, "buyer", "lee")


def send(buyer: FlaskClient, db: Database, data: bytes, name: str = "견적.csv") -> str:
    """Send a file; where it leads."""
    form = {"csrf_token": signin.csrf(db), "file": (io.BytesIO(data), name)}
    answer = buyer.post("/bulk", data=form, content_type="multipart/form-data")
    assert 303 == answer.status_code, text_of(answer.text)
    return str(answer.location)


@pytest.mark.parametrize("charset", ["cp949", "utf-8-sig"])
def test_a_file_is_checked_before_anything_is_searched(buyer: FlaskClient, db: Database, charset: str) -> None:
    """New, duplicate and wrong rows are counted and named, in whatever a Korean spreadsheet writes; nothing starts."""
    place = send(buyer, db, FILE.encode(charset))
    page = buyer.get(place).text
    seen = text_of(page)
    assert "새로 검색 2 중복 1 최근 결과 있음 0 오류 1" in seen
    assert all(part in seen for part in ("2행과 같은 상품", "2건을 새로 검색합니다", "어림할 수 없습니다"))
    assert [(0,)] == db.rows("SELECT count(*) FROM job")
    assert "data-live" not in page
    assert "라면" not in text_of(buyer.get(f"{place}?kind=error").text)


def test_a_file_is_started_paused_and_downloaded(buyer: FlaskClient, db: Database) -> None:
    """Each press does what the page then shows; the results keep the sender's columns and run no formula."""
    place, token = send(buyer, db, FILE.encode()), {"csrf_token": signin.csrf(db)}
    assert 303 == buyer.post(f"{place}/start", data=token).status_code
    assert [(2,)] == db.rows("SELECT count(*) FROM job")
    running = buyer.get(place).text
    assert 'data-live="2"' in running
    assert "4행 가운데 2행 끝남" in text_of(running)
    buyer.post(f"{place}/pause", data=token)
    assert "이어서 검색" in buyer.get(place).text
    assert 303 == buyer.post(f"{place}/pause", data=token).status_code
    links = re.findall(r'href="(/v1/lps/batches/[^"]+)"', buyer.get(place).text)
    with buyer.get(links[0].replace("&amp;", "&")) as answer:
        sheet = openpyxl.load_workbook(io.BytesIO(answer.data)).active
    assert sheet
    assert ["비고", "상품명", "규격"] == [cell.value for cell in sheet[1]][:3]
    assert "f" not in {cell.data_type for row in sheet.iter_rows() for cell in row}
    buyer.post(f"{place}/cancel", data=token)
    assert [(5, 2)] == db.rows("SELECT status, count(*) FROM job GROUP BY status")
    assert 404 == buyer.post(f"{place}/explode", data=token).status_code


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (b"", "", "꼭 필요한 값입니다"),
        (b"a,b\n1,2\n", "x.csv", "열이 없습니다"),
        ("상품명\n".encode("utf-16"), "x.csv", "UTF-16"),
        (b"PK\x03\x04broken", "x.xlsx", "깨졌습니다"),
    ],
    ids=["none", "no name column", "utf-16", "broken"],
)
def test_a_file_that_cannot_be_read_says_why(
    buyer: FlaskClient, db: Database, data: bytes, name: str, told: str
) -> None:
    """The form again, with what is wrong and how to mend it; nothing is stored."""
    form = {"csrf_token": signin.csrf(db), "file": (io.BytesIO(data), name)}
    answer = buyer.post("/bulk", data=form, content_type="multipart/form-data")
    assert 422 == answer.status_code
    assert told in text_of(answer.text)
    assert [] == db.rows("SELECT 1 FROM batch")


def large(buyer: FlaskClient, db: Database, data: bytes) -> TestResponse:
    """Send a file as a browser does; the test client's own encoder would leave its temporary file open."""
    fields = (b'name="csrf_token"', signin.csrf(db).encode()), (b'name="file"; filename="x.csv"', data)
    parts = [b"--part\r\nContent-Disposition: form-data; " + name + b"\r\n\r\n" + value for name, value in fields]
    body = b"\r\n".join([*parts, b"--part--\r\n"])
    return buyer.post("/bulk", data=body, content_type="multipart/form-data; boundary=part")


def test_a_large_file_passes_and_a_larger_one_is_refused(buyer: FlaskClient, db: Database) -> None:
    """Other forms take 64 kB; this one takes files."""
    lines = "".join(f"상품 {n} 500ml,{'규' * 80}\n" for n in range(2000))
    assert "2,000" in buyer.get(large(buyer, db, f"상품명,규격\n{lines}".encode()).location).text
    assert 413 == large(buyer, db, b"x" * 7_000_000).status_code


def test_a_viewer_looks_and_sends_nothing(app: Flask, db: Database) -> None:
    """Reading is for everybody, searching for buyers; a file without a CSRF token is nobody's."""
    viewer = signin.person(app, db, "viewer", "park")
    assert 200 == viewer.get("/bulk").status_code
    form = {"csrf_token": signin.csrf(db), "file": (io.BytesIO(b"x"), "x.csv")}
    assert 403 == viewer.post("/bulk", data=form, content_type="multipart/form-data").status_code
    buyer = signin.person(app, db, "buyer", "lee")
    without = {"file": (io.BytesIO(b"x"), "x.csv")}
    assert 403 == buyer.post("/bulk", data=without, content_type="multipart/form-data").status_code


def test_a_product_is_watched_from_its_page(buyer: FlaskClient, db: Database) -> None:
    """Target, interval, direction; saved once more it changes, paused it waits, stopped it is gone; all on record."""
    rows.finished(db, [KNOWN], product=Product(code="W/1", name="생수", specification="6개"))
    page = buyer.get("/products/W/1").text
    sent = dict(re.findall(r'type="hidden" name="(product_\w+|specification)" value="([^"]*)"', page))
    form = sent | {"csrf_token": signin.csrf(db), "target_krw": "25,000", "every_s": "21600", "direction": "down"}
    assert 303 == buyer.post("/watches", data=form).status_code
    assert [(25000, 21600, "down")] == db.rows("SELECT target_krw, every_s, direction FROM watch")
    buyer.post("/watches", data=form | {"target_krw": "", "direction": "both", "business_hours": "1"})
    assert [(None, "both", True)] == db.rows("SELECT target_krw, direction, business_hours FROM watch")
    assert "생수" in text_of(buyer.get("/watches").text)
    action = re.search(r'action="(/watches/\d+)"', buyer.get("/products/W/1").text)
    assert action
    token = {"csrf_token": signin.csrf(db)}
    buyer.post(action[1], data=token | {"act": "pause"})
    assert [(True,)] == db.rows("SELECT paused FROM watch")
    buyer.post(action[1], data=token | {"act": "remove"})
    assert [] == db.rows("SELECT 1 FROM watch")
    assert 404 == buyer.post(action[1], data=token | {"act": "remove"}).status_code
    noted = db.rows("SELECT action FROM audit WHERE action LIKE %s ORDER BY audit_id", "watch%")
    assert [("watch.add",), ("watch.change",), ("watch.change",), ("watch.remove",)] == noted


@pytest.mark.parametrize(
    "wrong",
    [{"target_krw": "cheap"}, {"target_krw": "0"}, {"every_s": "5"}, {"url": "http://127.0.0.1/x"}],
    ids=["no number", "no price", "too often", "inner address"],
)
def test_a_schedule_that_cannot_be_is_named(buyer: FlaskClient, db: Database, wrong: dict[str, str]) -> None:
    """The product's page again, the field marked; an address inside is refused; nothing is stored."""
    rows.finished(db, [KNOWN])
    answer = buyer.post("/watches", data=FORM | {"csrf_token": signin.csrf(db)} | wrong)
    assert answer.status_code in (409, 422)
    assert 1 == answer.text.count('class="error"')
    assert [] == db.rows("SELECT 1 FROM watch")


def test_the_target_stands_in_the_chart(buyer: FlaskClient, db: Database) -> None:
    """As a line, and in the legend."""
    for _ in range(2):
        rows.finished(db, [KNOWN])
    buyer.post("/watches", data=FORM | {"csrf_token": signin.csrf(db), "target_krw": "20000"})
    page = buyer.get("/products/RICE24").text
    assert '<line class="target"' in page
    assert "목표가 20,000원" in text_of(page)
