"""Who may ask, and what a browser may do with an answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import config
from tests.web import rows
from tests.web.conftest import Counter
from web import create_app, guard

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Database

FILLED = {
    "job_id": "00000000-0000-4000-8000-000000000000",
    "code": "A",
    "filename": "style.css",
    "mall": "naver",
} | dict.fromkeys(
    (
        "evidence_id",
        "message_id",
        "name",
        "worker_id",
        "key_id",
        "rule",
        "batch_id",
        "act",
        "watch_id",
        "n",
        "delivery_id",
    ),
    "1",
)
WEB = Path(guard.__file__).parent
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def test_every_answer_carries_the_headers(app: Flask, client: FlaskClient) -> None:
    """A walk over every route and method, errors included."""
    seen = 0
    for rule in app.url_map.iter_rules():
        address = re.sub(r"<(?:\w+:)?(\w+)>", lambda match: FILLED.get(match[1], "x"), rule.rule)
        for method in rule.methods or ():
            with client.open(address, method=method) as answer:
                assert HEADERS.items() <= dict(answer.headers).items(), (method, address)
            seen += 1
    assert seen > 20


def test_no_template_needs_an_exception() -> None:
    """No inline script, style or handler in any template."""
    for template in (WEB / "templates").rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)", text), template.name


def test_a_foreign_name_is_refused_on_loopback(client: FlaskClient) -> None:
    """A page that points its own name at 127.0.0.1 gets nothing (DNS rebinding)."""
    for host in ("evil.example", "evil.example:9600", "localhost.evil.example", "[::1", "10.0.0.7", ""):
        assert 421 == client.get("/healthz", headers={"Host": host}).status_code, host
    for host in ("localhost", "LOCALHOST:9600", "127.0.0.1:9600", "[::1]:9600"):
        assert 200 == client.get("/healthz", headers={"Host": host}).status_code, host


def test_an_open_address_takes_every_name(db: Database) -> None:
    """Who listens on the network chose its name elsewhere."""
    settings = config.load(env={"LPS_SANDBOX__ON": "true", "LPS_WEB__HOST": "0.0.0.0"})  # noqa: S104 - the very case
    client = create_app(settings, db.pool, Counter(db)).test_client()
    assert 200 == client.get("/healthz", headers={"Host": "lps.example"}).status_code


def test_another_site_cannot_submit(client: FlaskClient, db: Database) -> None:
    """A POST that a browser says comes from elsewhere is 403 and stores nothing."""
    foreign = [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "http://[::1"},
    ]
    for headers in foreign:
        form = client.post("/search", headers=headers, data={"product_name": "라면"})
        program = client.post("/v1/lps/search", headers=headers, json={"product_name": "라면"})
        assert (403, 403) == (form.status_code, program.status_code), headers
    assert [(0,)] == db.rows("SELECT count(*) FROM job")


def test_our_own_form_and_programs_can_submit(client: FlaskClient) -> None:
    """A browser on our page, and a program that sends neither header."""
    own = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert 303 == client.post("/search", data={"product_name": "라면"}, headers=own).status_code
    assert 303 == client.post("/search", data={"product_name": "우유"}).status_code


def test_a_link_from_another_site_still_opens(client: FlaskClient, db: Database) -> None:
    """Reading is no danger: only what changes something is checked."""
    job_id = rows.submitted(db)
    assert 200 == client.get(f"/jobs/{job_id}", headers={"Sec-Fetch-Site": "cross-site"}).status_code


def test_the_stylesheet_is_small_and_kept(client: FlaskClient) -> None:
    """At most 12 kB, and a browser may keep the version it has."""
    address = re.search(r"/static/style\.css\?v=\w+", client.get("/").text)
    assert address
    with client.get(address[0]) as versioned, client.get("/static/style.css") as plain:
        assert len(versioned.data) <= 12_000
        assert "immutable" in versioned.headers["Cache-Control"]
        assert "immutable" not in plain.headers["Cache-Control"]
