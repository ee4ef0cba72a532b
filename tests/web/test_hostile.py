"""Titles, sellers, addresses and errors come from strangers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from model import Product, SourceOutcome
from tests.web import rows
from web import present

if TYPE_CHECKING:
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
