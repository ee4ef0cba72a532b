"""The JSON API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from model import JobStatus, Reason, Same, SourceOutcome, Submitted
from store import jobs
from tests.web import rows
from web import create_app

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    import config
    from model import Product
    from tests.conftest import Database

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def get(client: FlaskClient, address: str) -> dict[str, Any]:
    """The JSON at an address."""
    answer = client.get(address)
    assert 200 == answer.status_code, answer.text
    members: dict[str, Any] = json.loads(answer.data)
    return members


def test_it_takes_a_search_and_says_where_to_look(client: FlaskClient, db: Database) -> None:
    """A good submission is one row, 202, and links that lead somewhere."""
    answer = client.post("/v1/lps/search", json={"product_name": " 라면 ", "specification": "5개", "product_code": "R"})
    assert 202 == answer.status_code
    body = json.loads(answer.data)
    assert [(body["job_id"], "R", "라면", "5개")] == db.rows(
        "SELECT job_id::text, product_code, product_name, specification FROM job"
    )
    assert (1, "pending", False, False) == (body["status"], body["state"], body["deduped"], body["cached"])
    assert answer.headers["Location"] == body["links"]["self"]
    assert {200} == {client.get(address).status_code for address in body["links"].values()}


def test_the_same_words_without_a_code_are_the_same_product(client: FlaskClient, db: Database) -> None:
    """A search sent without a code gets one that depends on its words alone; the second joins the first."""
    first, second = (client.post("/v1/lps/search", json={"product_name": "라면"}) for _ in range(2))
    assert json.loads(second.data)["deduped"]
    assert json.loads(first.data)["job_id"] == json.loads(second.data)["job_id"]
    assert [(1,)] == db.rows("SELECT count(*) FROM job WHERE product_code LIKE 'Q-%%'")


def test_a_stored_answer_is_200(settings: config.Settings, db: Database) -> None:
    """A cached answer needs no waiting: 200 instead of 202."""
    job_id = rows.finished(db, [])

    def stored(product: Product, **options: Any) -> Submitted:
        assert not options["again"]
        assert "라면" == product.name
        return Submitted(job_id=job_id, status=JobStatus.DONE, cached=True)

    answer = create_app(settings, db.pool, stored).test_client().post("/v1/lps/search", json={"product_name": "라면"})
    body = json.loads(answer.data)
    assert (200, True, "done") == (answer.status_code, body["cached"], body["state"])


def test_it_hands_on_again(client: FlaskClient, db: Database) -> None:
    """`again` reaches the submission as it was sent."""
    client.post("/v1/lps/search", json={"product_name": "라면", "again": True})
    assert [(True,)] == db.rows("SELECT options->'again' = 'true' FROM job")


def test_a_running_search_shows_what_has_ended(client: FlaskClient, db: Database) -> None:
    """Each source has its state, each ended try its line."""
    job_id = rows.submitted(db)
    rows.close(db, job_id, rows.report("naver", count=7))
    job = get(client, f"/v1/lps/jobs/{job_id}")
    states = {source["mall"]: (source["state"], source["offers"]) for source in job["sources"]}
    assert {"naver": ("ok", 7), "coupang": ("reading", None), "st11": ("maybe", None)}.items() <= states.items()
    assert [("naver", "ok", 420)] == [(stage["stage"], stage["outcome"], stage["took_ms"]) for stage in job["stages"]]
    assert (2, "running", False, "sandbox") == (job["status"], job["state"], job["final"], job["origin"])


def test_a_finished_search_shows_every_offer_with_its_reason(client: FlaskClient, db: Database) -> None:
    """Offers come cheapest first, each with verdict, reason and the reason in words."""
    other = rows.decision(rows.offer("12개", 9000, shipping_krw=0), Same.DIFFERENT, Reason.COUNT)
    job_id = rows.finished(db, [rows.decision(rows.offer("24개", 20000)), other])
    job = get(client, f"/v1/lps/jobs/{job_id}")
    assert [("12개", "different", "count", "수량이 다름"), ("24개", "same", "ok", "모든 조건이 맞음")] == [
        (row["name"], row["verdict"], row["reason"], row["reason_text"]) for row in job["offers"]
    ]
    assert 23000 == job["result"]["lowest"]["price"] == job["offers"][1]["effective_price_krw"]
    assert job["final"]


def test_the_progress_view_leaves_out_what_is_heavy(client: FlaskClient, db: Database) -> None:
    """Polling needs neither result nor offers."""
    job = get(client, f"/v1/lps/jobs/{rows.finished(db, [])}?view=progress")
    assert not {"result", "offers"} & job.keys()


def test_nothing_new_is_304(client: FlaskClient, db: Database) -> None:
    """An asker that names the ETag gets no body until something changes."""
    job_id = rows.submitted(db)
    address = f"/v1/lps/jobs/{job_id}?view=progress"
    known = {"If-None-Match": client.get(address).headers["ETag"]}
    unchanged = client.get(address, headers=known)
    assert (304, b"") == (unchanged.status_code, unchanged.data)
    rows.close(db, job_id, rows.report("naver"))
    assert 200 == client.get(address, headers=known).status_code


def test_an_unknown_job_is_not_found_by_its_old_name(client: FlaskClient) -> None:
    """No such job, and what is no job id, are LPS_JOB_NOT_FOUND, also where older clients look."""
    for job_id in (UNKNOWN, "nonsense", "1' OR '1'='1", UNKNOWN + "0"):
        answer = client.get(f"/v1/lps/jobs/{job_id}")
        assert (404, "application/problem+json") == (answer.status_code, answer.content_type)
        problem = json.loads(answer.data)
        assert "LPS_JOB_NOT_FOUND" == problem["code"] == problem["result"]["desc"]


def test_a_dead_search_says_why_without_logins(client: FlaskClient, db: Database) -> None:
    """The reason is shown; a user and password in an address are not."""
    job_id = rows.submitted(db)
    rows.close(db, job_id, rows.report("naver", SourceOutcome.NET, 0, error="http://me:pw1@proxy refused"))
    with db.pool.transaction() as cur:
        jobs.die(cur, job_id, "naver: http://me:pw1@proxy refused")
    answer = client.get(f"/v1/lps/jobs/{job_id}")
    assert 4 == json.loads(answer.data)["status"]
    assert "naver: http://***@proxy refused" == json.loads(answer.data)["error"]
    assert b"pw1" not in answer.data


def test_ops_counts_what_operators_ask_for(client: FlaskClient, db: Database) -> None:
    """Every number of the operations guide stands under its own name."""
    rows.submitted(db)
    ops = get(client, "/v1/lps/ops")
    names = {"oldest_pending_sec", "dead_1h", "stuck_running", "blocks_1h", "deadline_1h", "cost_1h_usd"}
    assert names <= ops.keys()
    assert 1 == ops["counts"]["PENDING"]
    assert isinstance(ops["cost_1h_usd"], float)
