"""The operators' pages: what is wrong first, and every act with its reason on record."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.web import rows, signin
from tests.web.test_pages import WINNER, text_of

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Database

PAGES = (
    "",
    "/jobs",
    "/dead",
    "/queues",
    "/workers",
    "/crawl",
    "/alerts",
    "/callbacks",
    "/money",
    "/settings",
    "/audit",
)


@pytest.fixture
def operator(app: Flask, db: Database) -> FlaskClient:
    """A browser in which an operator has signed in."""
    return signin.person(app, db, "operator", "kim")


def worker(db: Database, silent_s: int = 0) -> None:
    """A worker process that was last heard of so long ago."""
    db.rows(
        "INSERT INTO worker (worker_id, host, pid, queues, seen_at)"
        " VALUES (gen_random_uuid(), 'crawler-1', 77, '{naver}', lps.now() - %s * interval '1 s')",
        silent_s,
    )


def dead(db: Database, job_id: str, mall: str = "coupang", error: str = "NotRendered: never within 20 s") -> str:
    """A dead letter of a search's stage."""
    message = {"queue_name": mall, "actor_name": mall, "args": [job_id], "kwargs": {}, "options": {"round": 0}}
    found = db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, message, attempts, last_error)"
        " SELECT id, %s, 'rejected', %s::jsonb || jsonb_build_object('message_id', id, 'message_timestamp', 1), 5, %s"
        " FROM gen_random_uuid() AS id RETURNING message_id::text",
        mall,
        json.dumps(message),
        error,
    )
    return str(found[0][0])


@pytest.mark.parametrize("page", PAGES)
def test_only_operators_get_in(app: Flask, client: FlaskClient, db: Database, page: str) -> None:
    """A buyer is refused, a stranger is led to sign in; an operator gets an empty page, in both languages."""
    assert client.get(f"/ops{page}", headers={"Accept": "text/html"}).status_code in (303, 403)
    assert 403 == signin.person(app, db, "buyer", "lee").get(f"/ops{page}").status_code
    operator = signin.person(app, db, "operator", "kim")
    for language in ("en", "ko"):
        assert 200 == operator.get(f"/ops{page}?lang={language}").status_code


def test_a_quiet_night_needs_nobody(operator: FlaskClient, db: Database) -> None:
    """With a worker that lives and nothing wrong, the first line says so."""
    worker(db)
    rows.finished(db, [WINNER])
    seen = text_of(operator.get("/ops").text)
    assert "지금 손볼 것이 없습니다" in seen
    assert re.search(r"1시간 완료 1 .*네이버 정상 .*쿠팡 정상", seen)


def test_what_is_wrong_stands_first(operator: FlaskClient, db: Database) -> None:
    """No worker, an old message, an unread mall, drift, a pause, what is dead: each with a way to its page."""
    job_id = rows.submitted(db)
    db.rows("UPDATE job SET status = 4, error = 'x', finished_at = lps.now()")
    for _ in range(3):
        rows.attempt(db, job_id, "gmarket", "blocked")
    dead(db, job_id)
    db.rows("INSERT INTO dramatiq.queue (message_id, queue_name, state, eta) VALUES (gen_random_uuid(), 'match',"
            " 'queued', lps.now() - interval '1 day')")  # fmt: skip
    db.rows("INSERT INTO queue_pause VALUES ('st11', 'blocks <b>us', 'lee')")
    db.rows("INSERT INTO mall_drift (mall, sign, text) VALUES ('auction', 'price_krw', 'half of it')")
    page = operator.get("/ops").text
    found = re.findall(r'<li class="notice (\w+)"><a href="([^"]+)">([^<]+)<', page)
    assert [("bad", "/ops/workers"), ("bad", "/ops/queues"), ("bad", "/ops/crawl"), ("bad", "/ops/crawl"),
            ("warn", "/ops/queues"), ("warn", "/ops/jobs?status=dead"), ("warn", "/ops/dead")] == [
        (tone, href) for tone, href, _ in found
    ]  # fmt: skip
    told = " ".join(text for *_, text in found)
    assert all(part in told for part in ("작업자가 없습니다", "match", "G마켓", "옥션", "11번가 멈춰 둠 · lee: blocks"))
    assert "<b>us" not in page


def test_a_mall_is_paused_with_a_reason_and_goes_on(operator: FlaskClient, db: Database) -> None:
    """Who and why stand on the page and in the audit; without a reason nothing is paused."""
    token = {"csrf_token": signin.csrf(db)}
    assert 422 == operator.post("/ops/queues/coupang", data=token | {"act": "pause", "reason": " "}).status_code
    assert 404 == operator.post("/ops/queues/ebay", data=token | {"reason": "x"}).status_code
    assert 303 == operator.post("/ops/queues/coupang", data=token | {"act": "pause", "reason": "막힘"}).status_code
    assert "막힘 kim" in text_of(operator.get("/ops/queues").text)
    operator.post("/ops/queues/coupang", data=token | {"act": "resume"})
    assert [("kim", "pause"), ("kim", "resume")] == db.rows(
        "SELECT who, action FROM audit WHERE subject = 'coupang' ORDER BY audit_id"
    )
    assert [] == db.rows("SELECT 1 FROM queue_pause")


def test_dead_letters_are_replayed_after_a_dry_run(operator: FlaskClient, db: Database) -> None:
    """The first press changes nothing and shows what it would take; the second does it and brings the search back."""
    job_id = rows.finished(db, [WINNER], reports=[rows.report("naver"), rows.report("coupang")])
    db.rows("UPDATE job_source SET outcome = 'net' WHERE mall = 'coupang'")
    message_id = dead(db, job_id)
    page = operator.get("/ops/dead").text
    group = re.search(r'name="group" value="(\w+)"', page)
    assert group
    assert "NotRendered: never within # s" in text_of(page)
    sent = {"csrf_token": signin.csrf(db), "group": group[1]}
    dry = operator.post("/ops/dead", data=sent | {"act": "check"}).text
    assert message_id[:8] in dry
    assert [("rejected",)] == db.rows("SELECT state FROM dramatiq.queue")
    assert "넣음 1, 그대로 둠 0" in text_of(operator.post("/ops/dead", data=sent | {"act": "replay"}).text)
    assert [("queued", 2)] == db.rows("SELECT q.state, j.status FROM dramatiq.queue q, job j")


def test_a_dead_letter_shows_its_tries_and_is_discarded_with_a_reason(operator: FlaskClient, db: Database) -> None:
    """One letter by itself; a reason is needed; then it is gone, and who did it is on record."""
    message_id = dead(db, rows.finished(db, [WINNER]))
    assert "NotRendered: never within 20 s" in text_of(operator.get(f"/ops/dead/{message_id}").text)
    assert 404 == operator.get("/ops/dead/nonsense").status_code
    sent = {"csrf_token": signin.csrf(db), "id": message_id, "act": "discard"}
    assert 422 == operator.post("/ops/dead", data=sent).status_code
    assert operator.post("/ops/dead", data=sent | {"reason": "old"}).location.endswith("note=discarded")
    assert "실패한 메시지가 없습니다" in operator.get("/ops/dead").text
    assert "reason=old" in text_of(operator.get("/ops/audit").text)


def test_searches_are_found_and_cancelled_together(operator: FlaskClient, db: Database) -> None:
    """By state and by a part of the name; the ticked ones, or all that match; each with the reason."""
    from model import Product

    ids = [rows.submitted(db, Product(code=f"C{n}", name=f"우유 {n}%")) for n in range(3)]
    rows.finished(db, [WINNER])
    seen = text_of(operator.get("/ops/jobs?q=우유 1%").text)
    assert "우유 1%" in seen
    assert "우유 2%" not in seen
    sent = {"csrf_token": signin.csrf(db), "reason": "잘못 올림"}
    operator.post("/ops/jobs", data=sent | {"id": ids[0]})
    assert [(1,)] == db.rows("SELECT count(*) FROM job WHERE status = 5")
    operator.post("/ops/jobs", data=sent | {"all": "1", "q": "우유", "status": "pending"})
    assert [(3,)] == db.rows("SELECT count(*) FROM job WHERE status = 5")
    assert [(1,)] == db.rows("SELECT count(*) FROM job WHERE status = 3")
    assert "잘못 올림" in text_of(operator.get(f"/ops/jobs/{ids[0]}").text)


def test_long_lists_go_on_by_value(operator: FlaskClient, db: Database) -> None:
    """A page holds fifty; the link to older ones brings the rest, none twice."""
    db.rows("INSERT INTO job (product_code, product_name, dedupe_key, deadline_at, trace_id)"
            " SELECT 'P' || n, 'P' || n, n, lps.now(), '' FROM generate_series(1, 120) AS n")  # fmt: skip
    seen, address = [], "/ops/jobs"
    for _ in range(3):
        page = operator.get(address).text
        seen += re.findall(r"/ops/jobs/([0-9a-f-]{36})\"", page)
        older = re.search(r'href="([^"]+)" rel="next"', page)
        address = older[1].replace("&amp;", "&") if older else ""
    assert (120, 120, "") == (len(seen), len(set(seen)), address)
    assert 200 == operator.get("/ops/jobs?after=nonsense").status_code


def test_a_search_in_detail_tells_every_try(operator: FlaskClient, db: Database) -> None:
    """With worker, error and dead letter; an error's password is not shown."""
    job_id = rows.finished(db, [WINNER])
    rows.attempt(db, job_id, "coupang", "retry", error="http://user:geheim@proxy refused")
    dead(db, job_id)
    page = operator.get(f"/ops/jobs/{job_id}").text
    assert all(part in text_of(page) for part in ("//***@proxy refused", "NotRendered", "시도 기록 5건"))
    assert "geheim" not in page


def test_an_alert_is_silenced_with_an_end_and_a_reason(operator: FlaskClient, db: Database) -> None:
    """What rings stands first here and on the overview; the silence shows until when, why and by whom, and can end."""
    db.rows("INSERT INTO alert_state (rule, state, since, evaluated_at, value, limit_value, text)"
            " VALUES ('dead', 'firing', lps.now(), lps.now(), 30, 20, '<b>many')")  # fmt: skip
    assert "알림 dead: &lt;b&gt;many" in operator.get("/ops").text
    token = {"csrf_token": signin.csrf(db), "hours": "4"}
    assert 422 == operator.post("/ops/alerts/dead", data=token | {"act": "silence"}).status_code
    assert 422 == operator.post("/ops/alerts/dead", data=token | {"hours": "9999", "reason": "x"}).status_code
    assert 404 == operator.post("/ops/alerts/nothing", data=token | {"reason": "x"}).status_code
    done = operator.post("/ops/alerts/dead", data=token | {"act": "silence", "reason": "점검 중"})
    assert done.location.endswith("note=silenced")
    seen = text_of(operator.get("/ops/alerts").text)
    assert re.search("dead 울림 막아 둠 .*점검 중 kim", seen)
    assert "webhook is empty" in operator.post("/ops/alerts/dead", data=token | {"act": "test"}).text
    operator.post("/ops/alerts/dead", data=token | {"act": "unsilence"})
    assert "막아 둠" not in operator.get("/ops/alerts").text


def test_a_callback_that_was_given_up_is_delivered_once_more(operator: FlaskClient, db: Database) -> None:
    """Only the receiver's host is shown, the rest of a webhook is its secret; pressed, it is on its way again."""
    job_id = rows.finished(db, [WINNER])
    db.rows("INSERT INTO outbox (outbox_id, job_id, kind, url, body, event, attempts, status, failed_at)"
            " VALUES (gen_random_uuid(), %s, 'callback', 'https://erp.example/in/geheim', '{}', 'job.done', 7, 503,"
            " lps.now())", job_id)  # fmt: skip
    page = operator.get("/ops/callbacks?state=failed").text
    assert re.search("포기함 job.done erp.example 503 7", text_of(page))
    assert "geheim" not in page
    action = re.search(r'action="(/ops/callbacks/[^"]+)"', page)
    assert action
    token = {"csrf_token": signin.csrf(db)}
    assert operator.post(action[1], data=token).location.endswith("note=redelivered")
    assert operator.post(action[1], data=token).location.endswith("note=gone")
    assert [(None,)] == db.rows("SELECT failed_at FROM outbox")
    assert [("kim",)] == db.rows("SELECT who FROM audit WHERE action = 'redeliver'")


def test_money_is_shown_against_its_caps(operator: FlaskClient, db: Database) -> None:
    """What today cost, open payments at their worst case; near the cap the overview says so."""
    job_id = rows.finished(db, [WINNER])
    db.rows("INSERT INTO spend (job_id, kind, stage, reserved_usd, settled_usd, settled_at) VALUES"
            " (%s, 'ai', 'match', 9, 7.5, lps.now())", job_id)  # fmt: skip
    db.rows("INSERT INTO spend (job_id, kind, stage, reserved_usd) VALUES (%s, 'proxy', 'coupang', 1)", job_id)
    seen = text_of(operator.get("/ops/money").text)
    assert "오늘 $8.50 한도 $10.00" in seen
    assert "정산 전 예약 $1.00" in seen
    assert "오늘 비용 $8.50, 한도 $10.00" in text_of(operator.get("/ops").text)
    assert "$7.50" in operator.get(f"/ops/jobs/{job_id}").text


def test_settings_are_shown_without_secrets(app: Flask, operator: FlaskClient) -> None:
    """Every key with where it came from; what is secret is hidden."""
    page = operator.get("/ops/settings").text
    assert "NAVER_KEYS" in page
    assert "sandbox:sandbox" not in page
    assert page.count("<code>") > 60


def test_a_key_is_shown_once_and_taken_away(app: Flask, db: Database) -> None:
    """Only by an admin; the secret is on no page afterwards, and the key stops working at once."""
    admin = signin.person(app, db, "admin", "root")
    assert 403 == signin.person(app, db, "operator", "kim").get("/ops/keys").status_code
    token = {"csrf_token": str(db.rows("SELECT csrf FROM session ORDER BY created_at LIMIT 1")[0][0])}
    wrong = admin.post("/ops/keys", data=token | {"name": "", "daily_quota": "-1"})
    assert (422, 3) == (wrong.status_code, wrong.text.count('class="error"'))
    made = admin.post("/ops/keys", data=token | {"name": "erp", "scopes": ["read"], "days": "30"})
    secret = re.search(r"lps_[\w-]{40,}", made.text)
    assert secret
    assert "no-store" in made.headers["Cache-Control"]
    page = admin.get("/ops/keys").text
    assert secret[0] not in page
    program = {"Authorization": f"Bearer {secret[0]}"}
    assert 200 == app.test_client().get("/v1/lps/ops", headers=program).status_code
    revoke = re.search(r'action="(/ops/keys/\d+/revoke)"', page)
    assert revoke
    admin.post(revoke[1], data=token)
    assert 401 == app.test_client().get("/v1/lps/ops", headers=program).status_code


def test_a_worker_is_drained_and_lost_work_recovered(operator: FlaskClient, db: Database) -> None:
    """Asked to end, on record; one that is not there any more is said to be gone."""
    worker(db)
    action = re.search(r'action="(/ops/workers/[^"]+/drain)"', operator.get("/ops/workers").text)
    assert action
    token = {"csrf_token": signin.csrf(db)}
    assert operator.post(action[1], data=token).location.endswith("note=drained")
    assert operator.post("/ops/recover", data=token).location.endswith("note=recovered")
    assert "마무리 중" in text_of(operator.get("/ops/workers").text)
    assert [("kim",)] == db.rows("SELECT drain_by FROM worker")


def test_a_port_says_from_which_malls_it_rests(operator: FlaskClient, db: Database) -> None:
    """The malls by name while they last; a rest that is over is none."""
    db.rows(
        "INSERT INTO proxy_port (host, port, cooldown_until) VALUES ('gate', 10001, %s), ('gate', 10002, '{}')",
        '{"gmarket": "2999-01-01T00:00:00Z", "coupang": "2999-01-01T00:00:00Z", "auction": "2020-01-01T00:00:00Z"}',
    )
    page = text_of(operator.get("/ops/crawl").text)
    assert "gate:10001 쉬는 중: 쿠팡, G마켓 0 0" in page
    assert "gate:10002 비어 있음" in page
