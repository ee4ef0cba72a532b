"""Titles, sellers, addresses and errors come from strangers."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from model import Product, SourceOutcome
from tests.web import rows, signin
from tests.web.test_pages_ops import dead
from web import csvfile, present

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Database

EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}"
BAD_LINKS = (
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example/x",
    "https://www.coupang.com@evil.example/",
    "https://www.coupang.com\\@evil.example/",
    "https:evil.example",
    "https://",
    "http://a b/",
    "ftp://evil.example/",
    'https://x/"onmouseover="alert(1)',
    "",
)
GOOD_LINKS = (
    "https://www.coupang.com/vp/products/1?itemId=2&q=%ED%96%87#x",
    "http://127.0.0.1:9700/coupang/vp/products/1",
    "https://smartstore.naver.com/@shop/products/1",
    "HTTPS://item.gmarket.co.kr/Item?goodscode=1",
)


def test_a_hostile_text_stays_text(client: FlaskClient, db: Database) -> None:
    """Whatever is stored as name, title, seller, query, kind, error or reason appears escaped, on every page."""
    product = Product(code=EVIL, name=EVIL, specification=EVIL)
    offer = rows.offer(EVIL, 1000, seller=EVIL, url="https://x.example/?a=<b>")
    decision = rows.decision(offer, unit_price=EVIL, matched=(EVIL,), missing=(EVIL,))
    reports = [
        rows.report("naver", SourceOutcome.NET, 0, kind=EVIL, error=EVIL),
        rows.report("coupang"),
    ]
    job_id = rows.finished(db, [decision], reports=reports, product=product)
    rows.attempt(db, job_id, EVIL, EVIL, error=EVIL)
    for address in ("/", f"/jobs/{job_id}", f"/jobs/{job_id}?note={EVIL}", "/?product_name=" + EVIL):
        page = client.get(address).text
        assert "<img" not in page, address
        assert "alert(1)</script>" not in page, address
        assert "49" not in re.sub(r'[\w-]{30,}|\d\d:\d\d|v=\w+|datetime="[^"]+"', "", page), address


def test_a_hostile_text_stays_text_for_operators(app: Flask, db: Database) -> None:
    """What strangers, workers and colleagues wrote is escaped on their pages, on the sheet and beside the chart too."""
    product = Product(code="E", name=EVIL, specification=EVIL)
    offer = rows.offer(EVIL, 1000, seller=EVIL, mall="naver")
    for _ in range(2):
        job_id = rows.finished(
            db,
            [rows.decision(offer, unit_price=EVIL, matched=(EVIL,), missing=(EVIL,))],
            reports=[rows.report("naver"), rows.report("coupang", SourceOutcome.NET, 0, kind=EVIL, error=EVIL)],
            product=product,
        )
    rows.attempt(db, job_id, "coupang", "retry", error=EVIL)
    db.rows("INSERT INTO queue_pause VALUES ('st11', %s, %s)", EVIL, EVIL)
    db.rows("INSERT INTO audit (who, action, subject, detail) VALUES (%s, %s, %s, '{}')", EVIL, EVIL, job_id)
    db.rows("UPDATE audit SET detail = jsonb_build_object('reason', who)")
    db.rows("INSERT INTO mall_drift (mall, sign, text) VALUES ('auction', %s, %s)", EVIL, EVIL)
    db.rows("INSERT INTO crawl_session (mall, ip) VALUES (%s, %s)", EVIL, EVIL)
    db.rows("INSERT INTO bot_detection (mall, marker, ip, ip_request_no) VALUES ('coupang', %s, %s, 1)", EVIL, EVIL)
    db.rows(
        "INSERT INTO worker (worker_id, host, pid, queues) VALUES (gen_random_uuid(), %s, 1, ARRAY[%s])", EVIL, EVIL
    )
    db.rows("INSERT INTO alert_state (rule, labels, state, since, evaluated_at, text)"
            " VALUES ('dead', %s, 'firing', lps.now(), lps.now(), %s)", EVIL, EVIL)  # fmt: skip
    message = dead(db, job_id, error=EVIL)
    admin = signin.person(app, db, "admin", "root")
    places = ["", "/jobs", f"/jobs/{job_id}", "/dead", f"/dead/{message}", "/queues", "/audit", "/workers", "/crawl"]
    places += ["/alerts", f"/jobs?q={EVIL}", f"/audit?who={EVIL}"]
    others = [f"/jobs/{job_id}/sheet", f"/jobs/{job_id}/offers/1", "/products/E"]
    for address in [*(f"/ops{place}" for place in places), *others]:
        answer = admin.get(address)
        assert 200 == answer.status_code, address
        assert "<img" not in answer.text, address
        assert "<script>" not in answer.text, address


def test_a_hostile_file_stays_text(app: Flask, db: Database) -> None:
    """Names of files and products, and what is wrong with them, come from a stranger's spreadsheet."""
    buyer = signin.person(app, db, "buyer", "lee")
    quoted = EVIL.replace('"', '""')
    data = f'상품명,규격\n"{quoted}","{quoted}"\n"","{quoted}"\n'.encode()
    form = {"csrf_token": signin.csrf(db), "name": EVIL, "file": (io.BytesIO(data), EVIL.replace('"', "") + ".csv")}
    sent = buyer.post("/bulk", data=form, content_type="multipart/form-data")
    assert 303 == sent.status_code, re.findall(r"<li>.*?</li>", sent.text)
    for address in (sent.location, "/bulk", "/bulk?before=" + EVIL):
        page = buyer.get(address).text
        assert "<img" not in page, address
        assert "<script>" not in page, address


def test_evidence_runs_nowhere(client: FlaskClient, db: Database, tmp_path: Path) -> None:
    """A stranger's page is a text download in a sandbox without a source; it is that search's only."""
    from tasks.evidence import folder

    job_id, other = rows.finished(db, []), rows.finished(db, [], product=Product(code="O", name="o"))
    sha256 = folder().put(b"<script>alert(1)</script>")
    [[evidence_id]] = db.rows(
        "INSERT INTO evidence (job_id, mall, url, sha256, size_bytes, fetched_at)"
        " VALUES (%s, 'coupang', 'https://x.example/', %s, 25, lps.now()) RETURNING evidence_id::text",
        job_id,
        sha256,
    )
    answer = client.get(f"/jobs/{job_id}/evidence/{evidence_id}")
    assert ("text/plain; charset=utf-8", b"<script>alert(1)</script>") == (answer.content_type, answer.data)
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert 404 == client.get(f"/jobs/{other}/evidence/{evidence_id}").status_code
    assert sha256[:16] in client.get(f"/jobs/{job_id}").text
    db.rows("UPDATE evidence SET sha256 = %s", "0" * 64)
    assert 404 == client.get(f"/jobs/{job_id}/evidence/{evidence_id}").status_code


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t=", " =", "＝"])
def test_no_cell_runs_as_a_formula(begin: str) -> None:
    """A spreadsheet sees a text; numbers stay numbers, harmless texts stay as they are."""
    assert csvfile.cell(f"{begin}1+1").startswith("'")  # type: ignore[attr-defined]  # a text in, a text out
    assert (-5, "라면 -1", "") == tuple(map(csvfile.cell, (-5, "라면 -1", None)))


def test_the_error_page_escapes_its_address(client: FlaskClient) -> None:
    """An address that is not there cannot write into the page."""
    page = client.get("/<script>alert(1)</script>", headers={"Accept": "text/html"}).text
    assert "alert(1)" not in page


@pytest.mark.parametrize("url", BAD_LINKS)
def test_a_dangerous_address_is_no_link(client: FlaskClient, db: Database, url: str) -> None:
    """Only plain http(s) becomes a link, on the page and in the JSON, for the winner too."""
    job_id = rows.finished(db, [rows.decision(rows.offer("밥", 1000, url=url, shipping_krw=0))])
    job = json.loads(client.get(f"/v1/lps/jobs/{job_id}").data)
    assert (None, None, None) == (
        job["offers"][0]["url"],
        job["result"]["lowest"]["url"],
        job["result"]["lowest_confirmed"]["url"],
    )
    page = client.get(f"/jobs/{job_id}").text
    assert "target=" not in page
    assert 'class="won"' in page


@pytest.mark.parametrize("url", GOOD_LINKS)
def test_a_plain_address_is_a_guarded_link(client: FlaskClient, db: Database, url: str) -> None:
    """A link out tells the mall nothing of us, and cannot reach back."""
    assert url == present.safe_url(url)
    page = client.get(f"/jobs/{rows.finished(db, [rows.decision(rows.offer('밥', 1000, url=url))])}").text
    links = re.findall(r"<a [^>]*target=[^>]*>", page)
    assert links
    assert all('rel="noopener noreferrer nofollow"' in link for link in links)


def test_json_cannot_be_taken_for_a_page(client: FlaskClient, db: Database) -> None:
    """Hostile text in JSON is JSON, and no browser guesses otherwise."""
    job_id = rows.finished(db, [rows.decision(rows.offer(EVIL, 1000))])
    answer = client.get(f"/v1/lps/jobs/{job_id}")
    assert ("application/json", "nosniff") == (answer.content_type, answer.headers["X-Content-Type-Options"])
    assert EVIL == json.loads(answer.data)["offers"][0]["name"]
