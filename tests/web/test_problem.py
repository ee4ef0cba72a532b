"""Every error is a problem with a stable code, in the reader's language, without a secret."""

from __future__ import annotations

import json
import os
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import config
from store.pool import Pool
from tests.conftest import fresh_database
from web import create_app, problem
from web.texts import ALL

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from model import Submitted
    from tests.conftest import Database


DOCS = Path(__file__).parent.parent.parent / "docs" / "api.md"


def explode(*_args: Any, **_more: Any) -> Submitted:
    """A submission that fails inside."""
    raise RuntimeError("p4ssword in a traceback")


@pytest.mark.parametrize(
    ("method", "address", "status", "code"),
    [
        ("GET", "/v1/lps/nothing", 404, "LPS_NOT_FOUND"),
        ("GET", "/nothing", 404, "LPS_NOT_FOUND"),
        ("GET", "/static/nothing.css", 404, "LPS_NOT_FOUND"),
        ("GET", "/v1/lps/search", 405, "LPS_METHOD_NOT_ALLOWED"),
        ("DELETE", "/healthz", 405, "LPS_METHOD_NOT_ALLOWED"),
        ("GET", "/products/nothing", 404, "LPS_PRODUCT_NOT_FOUND"),
        ("GET", "/products/%00", 404, "LPS_PRODUCT_NOT_FOUND"),
        ("GET", "/jobs/nothing", 404, "LPS_JOB_NOT_FOUND"),
    ],
)
def test_every_error_is_a_problem(client: FlaskClient, method: str, address: str, status: int, code: str) -> None:
    """Status, code and RFC 9457 members agree."""
    answer = client.open(address, method=method)
    body = json.loads(answer.data)
    assert (status, "application/problem+json") == (answer.status_code, answer.content_type)
    assert (status, code, code) == (body["status"], body["code"], body["result"]["desc"])
    assert {"type", "title", "detail", "instance"} <= body.keys()


def test_405_names_what_is_allowed(client: FlaskClient) -> None:
    """The Allow header comes along."""
    assert "POST" in client.get("/v1/lps/search").headers["Allow"]


def test_a_browser_gets_a_page(client: FlaskClient) -> None:
    """Who asks for HTML gets HTML, but never from the API."""
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    page = client.get("/jobs/nothing", headers=browser)
    assert (404, "text/html; charset=utf-8") == (page.status_code, page.content_type)
    assert "LPS_JOB_NOT_FOUND" in page.text
    assert "application/problem+json" == client.get("/v1/lps/jobs/x", headers=browser).content_type


def test_detail_is_korean_first(client: FlaskClient) -> None:
    """Korean unless English is asked for; the code stays the same."""
    details = {
        language: json.loads(client.get("/v1/lps/x", headers={"Accept-Language": language}).data)
        for language in ("", "ko", "en-GB,en;q=0.9", "fr")
    }
    assert "그런 주소가 없습니다." == details[""]["detail"] == details["ko"]["detail"] == details["fr"]["detail"]
    assert "There is nothing at this address." == details["en-GB,en;q=0.9"]["detail"]


def test_an_unforeseen_error_tells_nothing(settings: config.Settings, db: Database) -> None:
    """A bug is 500 with a code; its text stays in the log."""
    client = create_app(settings, db.pool, explode).test_client()
    answer = client.post("/v1/lps/search", json={"product_name": "라면"})
    assert (500, "LPS_INTERNAL") == (answer.status_code, json.loads(answer.data)["code"])
    assert b"p4ssword" not in answer.data


def test_a_database_that_is_down_is_503(settings: config.Settings) -> None:
    """No database: 503 with Retry-After, without the address or the login; /healthz still answers."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        pool = Pool(f"postgresql://me:s3cret@127.0.0.1:{unused.getsockname()[1]}/x", size=1)
        client = create_app(settings, pool, explode).test_client()
        for address in ("/readyz", "/", "/v1/lps/ops", "/v1/lps/jobs/00000000-0000-4000-8000-000000000000"):
            answer = client.get(address)
            assert (503, "LPS_DATABASE_DOWN") == (answer.status_code, json.loads(answer.data)["code"])
            assert answer.headers["Retry-After"]
            assert b"s3cret" not in answer.data
            assert b"127.0.0.1" not in answer.data
        assert 200 == client.get("/healthz").status_code


def test_a_ready_process_says_so(client: FlaskClient) -> None:
    """Database and schema are there: 200."""
    assert {"status": "ready"} == json.loads(client.get("/readyz").data)


def test_a_database_without_our_schema_is_503(settings: config.Settings, server_url: str) -> None:
    """An empty database is not ready, and the answer says what to do."""
    with fresh_database(server_url, f"lps_web_empty_{os.getpid()}") as url:
        pool = Pool(url, size=1)
        client = create_app(settings, pool, explode).test_client()
        for address in ("/readyz", "/v1/lps/ops"):
            answer = client.get(address)
            assert (503, "LPS_WRONG_SCHEMA") == (answer.status_code, json.loads(answer.data)["code"])
            assert "lps migrate" in json.loads(answer.data)["reason"]
        pool.close()


def test_a_database_of_the_other_world_is_503(db: Database) -> None:
    """A live process is not ready on a sandbox database."""
    live = create_app(config.load(env={}), db.pool, explode).test_client()
    answer = live.get("/readyz")
    assert (503, "LPS_WRONG_SCHEMA") == (answer.status_code, json.loads(answer.data)["code"])


def test_every_code_has_a_text() -> None:
    """No code without its Korean and English sentence."""
    assert {f"problem.{code}" for code in problem.CODES} == {key for key in ALL if key.startswith("problem.")}


def test_every_code_is_documented() -> None:
    """docs/api.md lists every code with its status."""
    rows = [line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `LPS_")]
    listed = {code: int(row.split("|")[2]) for row in rows for code in re.findall(r"LPS_\w+", row.split("|")[1])}
    assert problem.CODES == listed


def test_every_route_is_documented(app: Flask) -> None:
    """docs/api.md names every address."""
    text = DOCS.read_text(encoding="utf-8")
    for rule in app.url_map.iter_rules():
        assert rule.endpoint == "static" or re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule) in text, rule.rule
