"""What a submission may not be: each mistake is named by its field, and nothing is stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from flask import request

from web.problem import Problem
from web.submission import from_form

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.conftest import Database

GOOD = {"product_name": "라면"}

TABLE: list[tuple[str, Any, int, str, str]] = [
    ("empty name", {"product_name": ""}, 422, "product_name", "empty"),
    ("blank name", {"product_name": "   "}, 422, "product_name", "empty"),
    ("no name", {}, 422, "product_name", "required"),
    ("null name", {"product_name": None}, 422, "product_name", "wrong_type"),
    ("number as name", {"product_name": 12}, 422, "product_name", "wrong_type"),
    ("list as name", {"product_name": ["라면"]}, 422, "product_name", "wrong_type"),
    ("10 kB name", {"product_name": "가" * 3500}, 422, "product_name", "too_long"),
    ("long specification", GOOD | {"specification": "x" * 501}, 422, "specification", "too_long"),
    ("long code", GOOD | {"product_code": "x" * 65}, 422, "product_code", "too_long"),
    ("NUL", {"product_name": "라\x00면"}, 422, "product_name", "control_character"),
    ("escape", {"product_name": "\x1b[31m라면"}, 422, "product_name", "control_character"),
    ("line end", {"product_name": "라면\n"}, 422, "product_name", "control_character"),
    ("direction override", {"product_name": "라면\u202egpj"}, 422, "product_name", "control_character"),
    ("line separator", GOOD | {"specification": "5\u2028개"}, 422, "specification", "control_character"),
    ("bad code", GOOD | {"product_code": "A\x07"}, 422, "product_code", "control_character"),
    ("unknown field", GOOD | {"prodct_code": "A"}, 422, "prodct_code", "unknown_field"),
    ("flag as text", GOOD | {"again": "true"}, 422, "again", "wrong_type"),
    ("flag as number", GOOD | {"again": 1}, 422, "again", "wrong_type"),
    ("list", [GOOD], 422, "body", "wrong_type"),
    ("text", "라면", 422, "body", "wrong_type"),
    ("null", None, 422, "body", "wrong_type"),
]

RAW: list[tuple[str, bytes, int, str]] = [
    ("no body", b"", 400, "LPS_NO_BODY"),
    ("spaces", b"  \n", 400, "LPS_NO_BODY"),
    ("not JSON", b"product_name=x", 400, "LPS_BAD_JSON"),
    ("cut off", b'{"product_name": "x"', 400, "LPS_BAD_JSON"),
    ("not UTF-8", b'{"product_name": "\xb6\xf3"}', 400, "LPS_BAD_JSON"),
    ("a name twice", b'{"product_name": "x", "product_name": "y"}', 400, "LPS_BAD_JSON"),
    ("depth", b"[" * 60_000, 400, "LPS_BAD_JSON"),
    ("long number", b'{"product_name": ' + b"1" * 6000 + b"}", 400, "LPS_BAD_JSON"),
    ("65 kB", b'{"product_name": "' + b"x" * 65_537 + b'"}', 413, "LPS_TOO_LARGE"),
]


@pytest.mark.parametrize(("sent", "status", "field", "code"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_it_names_the_wrong_field(
    client: FlaskClient, db: Database, sent: Any, status: int, field: str, code: str
) -> None:
    """A wrong value gets 422 and its field's name, and no row."""
    answer = client.post("/v1/lps/search", data=json.dumps(sent), content_type="application/json")
    problem = json.loads(answer.data)
    assert (status, "application/problem+json") == (answer.status_code, answer.content_type)
    assert "LPS_BAD_INPUT" == problem["code"] == problem["result"]["desc"]
    assert [(field, code)] == [(error["field"], error["code"]) for error in problem["errors"]]
    assert [(0,)] == db.rows("SELECT count(*) FROM job")


@pytest.mark.parametrize(("body", "status", "code"), [row[1:] for row in RAW], ids=[row[0] for row in RAW])
def test_it_refuses_what_is_no_json(client: FlaskClient, db: Database, body: bytes, status: int, code: str) -> None:
    """A body that cannot be read gets a problem with its own code, and no row."""
    answer = client.post("/v1/lps/search", data=body, content_type="application/json")
    assert (status, code) == (answer.status_code, json.loads(answer.data)["code"])
    assert [(0,)] == db.rows("SELECT count(*) FROM job")


def test_it_wants_the_json_type(client: FlaskClient) -> None:
    """JSON sent as something else is 415; what is no JSON at all is 400 whatever its type."""
    assert 415 == client.post("/v1/lps/search", data=json.dumps(GOOD), content_type="text/plain").status_code
    assert 400 == client.post("/v1/lps/search", data="hello", content_type="text/plain").status_code


def test_it_lists_every_mistake_at_once(client: FlaskClient) -> None:
    """Two wrong fields are two errors."""
    answer = client.post("/v1/lps/search", json={"product_name": 1, "again": "x", "colour": "red"})
    assert {"product_name", "again", "colour"} == {error["field"] for error in json.loads(answer.data)["errors"]}


def test_it_never_echoes_a_value(client: FlaskClient) -> None:
    """Neither what was sent nor pydantic's own links come back."""
    answer = client.post("/v1/lps/search", json=GOOD | {"again": "s3cret-value"})
    assert b"s3cret-value" not in answer.data
    assert b"pydantic" not in answer.data


def test_it_answers_a_flood_of_unknown_fields_briefly(client: FlaskClient) -> None:
    """Thousands of mistakes do not make a huge answer, and a hostile name is shortened."""
    sent = GOOD | {f"{n}" + "<x>" * 40 if n == 0 else f"f{n}": 1 for n in range(3000)}
    answer = client.post("/v1/lps/search", json=sent)
    assert 422 == answer.status_code
    assert len(answer.data) < 4000


def test_a_name_that_is_no_text_is_refused(client: FlaskClient) -> None:
    """Lone surrogates, as value or as name, never reach the database."""
    for body in (b'{"product_name": "\\ud800"}', b'{"product_name": "x", "\\udfff": 1}'):
        assert 422 == client.post("/v1/lps/search", data=body, content_type="application/json").status_code


@pytest.mark.parametrize("field", ["product_name", "specification", "product_code"])
def test_the_form_shows_the_mistake_at_the_field(client: FlaskClient, db: Database, field: str) -> None:
    """A refused form comes back with what was typed and the mistake beside its field."""
    typed = {"product_name": "라면", "specification": "다섯 봉지", "product_code": "C-1"} | {field: "\x07나쁨"}
    answer = client.post("/search", data=typed)
    assert 422 == answer.status_code
    assert f'id="{field}-error"' in answer.text
    assert f'aria-describedby="{field}-hint {field}-error"' in answer.text
    kept = {"product_name": "라면", "specification": "다섯 봉지", "product_code": "C-1"}
    assert all(f'value="{value}"' in answer.text for name, value in kept.items() if name != field)
    assert [(0,)] == db.rows("SELECT count(*) FROM job")


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        (b"product_name=x&prodct_code=A", "prodct_code", "unknown_field"),
        (b"product_name=x&product_name=y", "product_name", "twice"),
        (b"product_name=%b6%f3%b8%e9", "product_name", "not_text"),
    ],
)
def test_the_form_guesses_nothing(client: FlaskClient, db: Database, body: bytes, field: str, code: str) -> None:
    """An unknown field, one that stands twice, and CP949 instead of UTF-8 are refused as in JSON, and named."""
    answer = client.post("/search", data=body, content_type="application/x-www-form-urlencoded")
    assert 422 == answer.status_code
    assert [(0,)] == db.rows("SELECT count(*) FROM job")
    place = {"REMOTE_ADDR": "127.0.0.1"}
    kind = "application/x-www-form-urlencoded"
    with client.application.test_request_context(
        "/search", method="POST", data=body, content_type=kind, environ_base=place
    ):
        client.application.preprocess_request()
        with pytest.raises(Problem) as refused:
            from_form(request.form)
    assert (field, code) in [(error.field, error.code) for error in refused.value.errors]


def test_a_body_too_large_says_how_large_it_may_be(client: FlaskClient) -> None:
    """413 names the body and the limit, in words."""
    problem = json.loads(client.post("/v1/lps/search", data=b"x" * 70_000, content_type="application/json").data)
    assert [("body", "too_many_bytes")] == [(error["field"], error["code"]) for error in problem["errors"]]
    assert "64 kB" in problem["errors"][0]["detail"]


def test_a_long_address_is_414(client: FlaskClient) -> None:
    """In our own words, before a server's own limit cuts in."""
    problem = client.get("/v1/lps/jobs?q=" + "x" * 4100)
    assert (414, "LPS_URI_TOO_LONG") == (problem.status_code, json.loads(problem.data)["code"])


def test_the_form_forgives_pasted_white_space(client: FlaskClient, db: Database) -> None:
    """A tab or a line end from a spreadsheet is a space."""
    assert 303 == client.post("/search", data={"product_name": " 라면\t5개\r\n"}).status_code
    assert [("라면 5개",)] == db.rows("SELECT product_name FROM job")
