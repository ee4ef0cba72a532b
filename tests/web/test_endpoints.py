"""The endpoints of the API on the real tasks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import config
from model import SourceOutcome
from store import jobs
from tests.web import rows, signin
from web import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.testing import FlaskClient

    from tests.conftest import Database

ENV = {"LPS_SANDBOX__ON": "true", "NAVER_KEYS": "a:b", "LPS_COUPANG__OPERATOR_ACCEPTS_TERMS": "true"}
ENV |= {"LPS_OUTBOX__SECRET": "operators own"}


@pytest.fixture
def whole(db: Database) -> Iterator[FlaskClient]:
    """A program with every scope, on the tasks of this database."""
    from tasks.runtime import runtime

    was = runtime.settings
    settings = config.load(env=ENV)
    runtime.use(settings, db.pool)
    client = create_app(settings, db.pool).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = signin.key(db, "admin")["Authorization"]
    yield client
    runtime.use(was)


def get(client: FlaskClient, address: str, status: int = 200) -> dict[str, Any]:
    """The JSON at an address."""
    answer = client.get(f"/v1/lps{address}")
    assert status == answer.status_code, answer.text
    members: dict[str, Any] = json.loads(answer.data)
    return members


def post(client: FlaskClient, address: str, body: Any = None, status: int = 200, **headers: str) -> dict[str, Any]:
    """The JSON of an answer to a POST."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = client.post(f"/v1/lps{address}", json=body, headers=sent)
    assert status == answer.status_code, answer.text
    members: dict[str, Any] = json.loads(answer.data)
    return members


def dead_letter(db: Database, job_id: str, mall: str = "naver") -> str:
    """A stage of a search that failed for good."""
    from tasks.runtime import runtime

    with db.pool.transaction() as cur:
        message = runtime.broker.message(mall, job=job_id)
        runtime.broker.enqueue_in(cur, message)
    db.rows(
        "UPDATE dramatiq.queue SET state = 'rejected', last_error = 'UpstreamDown: 503', attempts = 5"
        " WHERE message_id = %s",
        message.message_id,
    )
    return str(message.message_id)


def test_pages_of_searches_follow_one_another(whole: FlaskClient, db: Database) -> None:
    """Newest first, none twice, none left out, whatever is added meanwhile; filters hold."""
    names = [f"상품 {n}" for n in range(7)]
    for name in names:
        post(whole, "/search", {"product_name": name}, 202)
    seen, cursor = [], ""
    for _ in range(4):
        page = get(whole, f"/jobs?limit=2{cursor}")
        seen += [one["product_name"] for one in page["items"]]
        post(whole, "/search", {"product_name": f"새 상품 {len(seen)}"}, 202)
        cursor = f"&cursor={page['next']}"
    assert names[::-1] == seen
    assert page["next"] is None
    assert ["상품 3"] == [one["product_name"] for one in get(whole, "/jobs?q=품 3")["items"]]
    assert [] == get(whole, "/jobs?state=dead")["items"]
    assert [] == get(whole, "/jobs?q=100%25")["items"]


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("limit=0", "limit", "too_small"),
        ("limit=201", "limit", "too_big"),
        ("limit=x", "limit", "wrong_type"),
        ("limit=1&limit=2", "limit", "twice"),
        ("state=gone", "state", "not_a_choice"),
        ("q=%00%00", "q", "control_character"),
        ("cursor=x", "cursor", "wrong_form"),
        ("cursor=MjAyNi0xMi0wMQ", "cursor", "wrong_form"),
        ("nothing=1", "nothing", "unknown_field"),
    ],
)
def test_a_wrong_query_names_its_field(whole: FlaskClient, query: str, field: str, code: str) -> None:
    """Nothing is guessed."""
    problem = get(whole, f"/jobs?{query}", 422)
    assert [(field, code)] == [(error["field"], error["code"]) for error in problem["errors"]]


def test_the_same_key_does_it_once(whole: FlaskClient, db: Database) -> None:
    """The same answer again, and said so; another body under it is refused; a refused one may be mended."""
    sent = {"product_name": "라면", "again": True}
    first = post(whole, "/search", sent, 202, Idempotency_Key="k1")
    db.rows("UPDATE job SET status = 5, finished_at = lps.now()")
    assert first == post(whole, "/search", sent, 202, Idempotency_Key="k1")
    assert "LPS_KEY_REUSED" == post(whole, "/search", {"product_name": "빵"}, 422, Idempotency_Key="k1")["code"]
    assert [(1,)] == db.rows("SELECT count(*) FROM job")
    post(whole, "/search", {"product_name": ""}, 422, Idempotency_Key="k2")
    post(whole, "/search", {"product_name": "빵"}, 202, Idempotency_Key="k2")
    post(whole, "/search", sent, 422, Idempotency_Key="\u00e9")


def test_a_search_can_be_ended(whole: FlaskClient, db: Database) -> None:
    """Once; the second time it says that nothing changed."""
    job_id = post(whole, "/search", {"product_name": "라면"}, 202)["job_id"]
    answers = [json.loads(whole.delete(f"/v1/lps/jobs/{job_id}").data) for _ in range(2)]
    assert [(True, "cancelled"), (False, "cancelled")] == [(one["changed"], one["state"]) for one in answers]
    assert 404 == whole.delete("/v1/lps/jobs/x").status_code
    assert [("key:",)] == db.rows("SELECT left(who, 4) FROM audit WHERE action = 'cancel'")


def test_a_mall_that_failed_is_read_once_more(whole: FlaskClient, db: Database) -> None:
    """A new round with one message for it; one that answered, or a search that runs, is not asked again."""
    reports = [rows.report("naver"), rows.report("coupang", SourceOutcome.BLOCKED, 0)]
    job_id = rows.finished(db, [rows.decision(rows.offer("밥", 9000))], reports=reports)
    assert "LPS_NOT_NOW" == post(whole, f"/jobs/{job_id}/sources/naver/retry", status=409)["code"]
    assert 1 == post(whole, f"/jobs/{job_id}/sources/coupang/retry", status=202)["round"]
    assert [("coupang", job_id)] == db.rows("SELECT queue_name, message->'args'->>0 FROM dramatiq.queue")
    assert [(2, 1)] == db.rows("SELECT status, round FROM job")
    assert [(0,)] == db.rows("SELECT count(*) FROM price_history")
    post(whole, f"/jobs/{job_id}/sources/coupang/retry", status=409)
    post(whole, f"/jobs/{job_id}/sources/amazon/retry", status=404)


def test_dead_letters_are_grouped_replayed_and_discarded(whole: FlaskClient, db: Database) -> None:
    """A dry run changes nothing; a replay queues it again and leaves who did it; a discard needs a reason."""
    job_id = rows.submitted(db)
    message_id = dead_letter(db, job_id)
    rows.close(db, job_id, rows.report("naver", SourceOutcome.NET, 0))
    with db.pool.transaction() as cur:
        jobs.die(cur, job_id, "naver failed")
    group = get(whole, "/dead/groups")["items"][0]
    assert ("naver", 1) == (group["actor"], group["count"])
    assert [message_id] == [one["message_id"] for one in get(whole, f"/dead?group={group['key']}")["items"]]
    assert job_id == get(whole, f"/dead/{message_id}")["job_id"]
    dry = post(whole, "/dead/replay", {"group": group["key"], "dry_run": True})
    assert (1, []) == (dry["matching"], dry["changed"])
    post(whole, "/dead/discard", {"group": group["key"]}, 422)
    post(whole, "/dead/replay", {}, 422)
    done = post(whole, "/dead/replay", {"ids": [message_id]})
    assert ([message_id], {}) == (done["changed"], done["refused"])
    assert [("queued",)] == db.rows("SELECT state::text FROM dramatiq.queue")
    other = dead_letter(db, job_id, "coupang")
    assert [other] == post(whole, "/dead/discard", {"ids": [other], "reason": "known"})["changed"]
    get(whole, "/dead/zzz", 404)
    get(whole, f"/dead/{other}", 404)


def test_a_mall_is_held_back_and_let_go(whole: FlaskClient) -> None:
    """With a reason, shown in the list; twice changes nothing."""
    post(whole, "/queues/coupang/pause", {"reason": "it blocks us"})
    held = next(one for one in get(whole, "/queues")["items"] if one["name"] == "coupang")
    assert "it blocks us" == held["paused"]["reason"]
    assert [True, False] == [post(whole, "/queues/coupang/resume")["changed"] for _ in range(2)]
    post(whole, "/queues/nothing/pause", {"reason": "x"}, 404)
    post(whole, "/queues/coupang/pause", {"reason": ""}, 422)
    assert get(whole, "/workers")["items"] == []
    assert [] == post(whole, "/workers/drain", {"host": "nowhere"})["worker_ids"]


def test_a_key_is_made_used_and_revoked(whole: FlaskClient, db: Database) -> None:
    """Its secret is in one answer only; revoked, it opens nothing more."""
    made = post(whole, "/keys", {"name": "erp", "scopes": ["read"], "daily_quota": 5, "days": 1}, 201)
    header = {"Authorization": f"Bearer {made['key']}"}
    assert 200 == whole.get("/v1/lps/ops", headers=header).status_code
    assert 403 == whole.post("/v1/lps/search", json={"product_name": "x"}, headers=header).status_code
    listed = get(whole, "/keys")
    assert made["key"] not in json.dumps(listed)
    assert ("erp", 5) == (listed["items"][0]["name"], listed["items"][0]["daily_quota"])
    assert 204 == whole.delete(f"/v1/lps/keys/{made['api_key_id']}").status_code
    assert 401 == whole.get("/v1/lps/ops", headers=header).status_code
    assert 404 == whole.delete(f"/v1/lps/keys/{made['api_key_id']}").status_code
    for wrong in ("0", "-1", "x", "9" * 30, "\u0661"):
        assert 404 == whole.delete(f"/v1/lps/keys/{wrong}").status_code
    actions = [one["action"] for one in get(whole, "/audit?action=key.")["items"]]
    assert ["key.revoke", "key.add", "key.add"] == actions


def test_a_key_may_not_spend_more_than_its_budget(whole: FlaskClient, db: Database) -> None:
    """What its searches of the day spent or reserved counts; the next one is refused."""
    made = post(whole, "/keys", {"name": "erp", "daily_budget_usd": 0.01}, 201)
    header = {"Authorization": f"Bearer {made['key']}"}
    assert 202 == whole.post("/v1/lps/search", json={"product_name": "x"}, headers=header).status_code
    db.rows("INSERT INTO spend (job_id, kind, stage, reserved_usd) SELECT job_id, 'ai', 'match', 0.02 FROM job")
    refused = whole.post("/v1/lps/search", json={"product_name": "y"}, headers=header)
    assert (429, "LPS_BUDGET_SPENT") == (refused.status_code, json.loads(refused.data)["code"])


def test_an_account_is_let_in_and_kept_out(whole: FlaskClient, db: Database) -> None:
    """The link signs it in; its name can be had once."""
    made = post(whole, "/accounts", {"name": "bob", "role": "buyer"}, 201)
    assert made["link"].startswith("/login/link?t=")
    post(whole, "/accounts", {"name": "bob"}, 409)
    changed = whole.patch("/v1/lps/accounts/bob", json={"role": "operator", "disabled": True})
    assert 200 == changed.status_code
    bob = get(whole, "/accounts")["items"][0]
    assert ("operator", True) == (bob["role"], bob["disabled_at"] is not None)
    assert "password_hash" not in bob
    assert 404 == whole.patch("/v1/lps/accounts/eve", json={}).status_code


def test_the_history_is_a_table_too(whole: FlaskClient, db: Database) -> None:
    """JSON and CSV hold the same prices; an unknown code is 404 under its own name."""
    rows.finished(db, [rows.decision(rows.offer("밥", 20000, shipping_krw=0))])
    assert [(20000, "naver")] == [
        (one["lowest_krw"], one["lowest_mall"]) for one in get(whole, "/products/RICE24/history")["items"]
    ]
    table = whole.get("/v1/lps/products/RICE24/history?format=csv")
    assert "text/csv; charset=utf-8" == table.content_type
    assert ",20000,naver,20000,,,," in table.data.decode("utf-8-sig")
    assert "LPS_PRODUCT_NOT_FOUND" == get(whole, "/products/none/history", 404)["code"]


def test_a_callback_is_asked_for_seen_and_made_again(whole: FlaskClient, db: Database) -> None:
    """An address inside is refused at its field; the log shows one's own deliveries only."""
    for url, code in (("http://example.com/", "not_https"), ("https://10.0.0.1/", "not_public")):
        problem = post(whole, "/search", {"product_name": "라면", "callback_url": url}, 422)
        assert [("callback_url", code)] == [(error["field"], error["code"]) for error in problem["errors"]]
    job_id = post(whole, "/search", {"product_name": "라면", "callback_url": "https://erp.example/x"}, 202)["job_id"]
    whole.delete(f"/v1/lps/jobs/{job_id}")
    log = get(whole, f"/callbacks?job_id={job_id}")["items"]
    assert [("waiting", "job.finished")] == [(one["state"], one["event"]) for one in log]
    outbox_id = log[0]["outbox_id"]
    assert [] == get(whole, f"/callbacks/{outbox_id}")["tries"]
    post(whole, f"/callbacks/{outbox_id}/redeliver", status=409)
    db.rows("UPDATE outbox SET failed_at = lps.now()")
    post(whole, f"/callbacks/{outbox_id}/redeliver", status=202)
    stranger = signin.key(db, "submit", "read")
    assert 404 == whole.get(f"/v1/lps/callbacks/{outbox_id}", headers=stranger).status_code
    assert [] == json.loads(whole.get("/v1/lps/callbacks", headers=stranger).data)["items"]
    assert get(whole, "/callback-secret")["signing_secrets"][0].startswith("whsec_")


def test_a_watch_is_made_changed_and_removed(whole: FlaskClient, db: Database) -> None:
    """Once a product; what is left out stays; a webhook's address is not shown again."""
    sent = {"product_code": "W", "product_name": "라면", "target_krw": 3000, "url": "https://hooks.example/T/s3cret"}
    made = post(whole, "/watches", sent, 201)
    assert ("https://hooks.example/…", 3000, "both") == (made["url"], made["target_krw"], made["direction"])
    post(whole, "/watches", sent, 409)
    post(whole, "/watches", sent | {"product_code": "X", "every_s": 10}, 422)
    post(whole, "/watches", sent | {"product_code": "X", "url": "https://127.0.0.1/"}, 422)
    address = f"/v1/lps/watches/{made['watch_id']}"
    changed = json.loads(whole.patch(address, json={"target_krw": None, "paused": True}).data)
    assert (None, True, 86400) == (changed["target_krw"], changed["paused"], changed["every_s"])
    assert 422 == whole.patch(address, json={"every_s": None}).status_code
    assert 1 == len(get(whole, "/watches")["items"])
    assert [204, 404] == [whole.delete(address).status_code for _ in range(2)]


def test_a_persons_word_on_an_offer_is_kept(whole: FlaskClient, db: Database) -> None:
    """With why and who; an offer that is not there is 404, and unsure is no correction."""
    job_id = rows.finished(db, [rows.decision(rows.offer("햇살 백미밥 210g 12개", 9000))])
    sent = {"offer": "햇살 백미밥 210g 12개", "verdict": "different", "why": "12개입니다", "reason": "count"}
    said = post(whole, f"/jobs/{job_id}/corrections", sent)
    assert ("same", "different") == (said["was"], said["verdict"])
    assert [("correct",)] == db.rows("SELECT action FROM audit WHERE subject = %s", job_id)
    post(whole, f"/jobs/{job_id}/corrections", sent | {"offer": "else"}, 404)
    post(whole, "/jobs/x/corrections", sent, 404)
    for wrong in ({"verdict": "unsure"}, {"why": " "}, {"reason": "nothing"}):
        post(whole, f"/jobs/{job_id}/corrections", sent | wrong, 422)


def test_an_alert_is_silenced_with_a_reason_and_let_go(whole: FlaskClient) -> None:
    """Every rule is listed; a silence has an end; an unknown rule is 404; a test needs a webhook."""
    assert "dead" in {one["rule"] for one in get(whole, "/alerts")["items"]}
    post(whole, "/alerts/dead/silence", {"hours": 2}, 422)
    assert post(whole, "/alerts/dead/silence", {"hours": 2, "reason": "known"})["until"]
    assert ["known"] == [one["reason"] for one in get(whole, "/alerts")["silences"]]
    assert 200 == whole.delete("/v1/lps/alerts/dead/silence").status_code
    assert [] == get(whole, "/alerts")["silences"]
    post(whole, "/alerts/nothing/silence", {"hours": 2, "reason": "x"}, 404)
    post(whole, "/alerts/dead/test", status=409)


def test_the_budgets_are_shown(whole: FlaskClient, db: Database) -> None:
    """Caps and what is used of them, as numbers."""
    db.rows("INSERT INTO budget (scope, name, cap_usd, used_usd) VALUES ('day', '2026-11-30', 5, 1.25)")
    assert [{"scope": "day", "name": "2026-11-30", "cap_usd": 5.0, "used_usd": 1.25}] == get(whole, "/budgets")["items"]
