"""The application as gunicorn makes it, with the real way in: tasks.submit on the real queue."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import config
from store import jobs
from tests.web import rows
from web import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.testing import FlaskClient

    from tests.conftest import Database

ENV = {"LPS_SANDBOX__ON": "true", "NAVER_KEYS": "a:b", "LPS_COUPANG__OPERATOR_ACCEPTS_TERMS": "true"}
SENT = {"product_name": "햇살 백미밥 210g", "specification": "24개", "product_code": "RICE24"}


@pytest.fixture
def real(db: Database) -> Iterator[FlaskClient]:
    """A caller of an application that takes everything from the runtime."""
    from tasks.runtime import runtime

    was = runtime.settings
    runtime.use(config.load(env=ENV), db.pool)
    yield create_app(pool=db.pool).test_client()
    runtime.use(was)


def test_a_submission_starts_both_first_malls(real: FlaskClient, db: Database) -> None:
    """One job, a source and a message for Naver and Coupang, in one transaction."""
    answer = real.post("/v1/lps/search", json=SENT)
    job_id = json.loads(answer.data)["job_id"]
    assert 202 == answer.status_code
    assert [("coupang", job_id), ("naver", job_id)] == db.rows(
        "SELECT mall, job_id::text FROM job_source WHERE outcome IS NULL ORDER BY mall"
    )
    assert [("coupang",), ("naver",)] == db.rows("SELECT queue_name FROM dramatiq.queue ORDER BY queue_name")


def test_a_fresh_answer_is_given_again(real: FlaskClient, db: Database) -> None:
    """JSON says 200 and cached, the form leads to the stored result and says of when it is."""
    real.post("/v1/lps/search", json=SENT)
    job_id = str(db.rows("SELECT job_id FROM job")[0][0])
    with db.pool.transaction() as cur:
        jobs.finish(cur, job_id, rows.result([rows.decision(rows.offer("밥", 20000))]))
    answer = real.post("/v1/lps/search", json=SENT)
    body = json.loads(answer.data)
    assert (200, True, job_id) == (answer.status_code, body["cached"], body["job_id"])
    page = real.post("/search", data=SENT)
    assert f"/jobs/{job_id}?note=stored" == page.location
    assert "결과를 그대로 보여 드립니다" in real.get(page.location).text


def test_what_cannot_be_searched_for_is_named(real: FlaskClient, db: Database) -> None:
    """A name without a letter or digit is refused by the submission itself, at its field."""
    problem = json.loads(real.post("/v1/lps/search", json={"product_name": "!!! ???"}).data)
    assert [("product_name", "unusable")] == [(error["field"], error["code"]) for error in problem["errors"]]
    assert 'id="product_name-error"' in real.post("/search", data={"product_name": "!!! ???"}).text
    assert [(0,)] == db.rows("SELECT count(*) FROM job")


def test_the_options_of_the_form_are_stored_with_the_job(real: FlaskClient, db: Database) -> None:
    """Only what was chosen; the deadline becomes the job's."""
    real.post("/search", data={"product_name": "밥", "allow_used": "1", "fallback": "always", "deadline_s": "40"})
    assert [({"allow_used": True, "fallback": "always"}, 40)] == db.rows(
        "SELECT options, extract(epoch FROM deadline_at - created_at)::int FROM job"
    )


@pytest.mark.parametrize("wrong", [{"fallback": "sometimes"}, {"deadline_s": "5"}, {"deadline_s": "soon"}])
def test_an_option_that_cannot_be_is_named(real: FlaskClient, db: Database, wrong: dict[str, str]) -> None:
    """422, the form again, nothing stored."""
    assert 422 == real.post("/search", data={"product_name": "밥"} | wrong).status_code
    assert [] == db.rows("SELECT 1 FROM job")
