"""Who may do what: a walk over every address, sign-in, keys, CSRF, locks and limits."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

import config
from store import access
from tests.web import rows, signin
from tests.web.conftest import Counter
from tests.web.test_guard import FILLED
from web import create_app, roles

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.conftest import Database

PUBLIC = {
    "/static/<path:filename>",
    "/healthz",
    "/readyz",
    "/login",
    "/login/link",
    "/openapi.json",
    "/docs",
    "/docs/<name>",
}
"""What anybody may see; whatever is added here tells nothing about searches, people or machines."""
SCOPES = {"viewer": "read", "buyer": "submit", "operator": "ops", "admin": "admin"}


@pytest.fixture
def closed(db: Database) -> Flask:
    """An application that lets nobody in without signing in."""
    settings = config.load(env={"LPS_SANDBOX__ON": "true", "LPS_WEB__OPEN": "never"})
    return create_app(settings, db.pool, Counter(db))


def addresses(app: Flask) -> list[tuple[str, str, str]]:
    """Every (method, address with its parts filled in, rule)."""
    found = []
    for rule in app.url_map.iter_rules():
        address = re.sub(r"<(?:\w+:)?(\w+)>", lambda match: FILLED.get(match[1], "1"), rule.rule)
        found += [(method, address, rule.rule) for method in sorted(rule.methods or ()) if method != "OPTIONS"]
    return found


def test_nothing_leaks_to_whom_has_not_signed_in(closed: Flask, db: Database) -> None:
    """Every address and method: 401 or the way to the sign-in page, whatever the asker wants to read."""
    rows.finished(db, [rows.decision(rows.offer("몰래 산 것", 20000))])
    walked = 0
    for accept in ("*/*", "text/html"):
        for method, address, rule in addresses(closed):
            answer = closed.test_client().open(address, method=method, headers={"Accept": accept})
            if rule not in PUBLIC:
                assert answer.status_code in (401, 303), (method, address, answer.status_code)
                assert "/login?" in answer.headers.get("Location", "/login?")
                walked += 1
            assert "몰래" not in answer.text, (method, address)
            answer.close()
    assert walked > 20


def test_every_view_says_what_it_needs(app: Flask) -> None:
    """No view leaves it to the default, and none is public but those listed."""
    for rule in app.url_map.iter_rules():
        view = app.view_functions[rule.endpoint]
        assert hasattr(view, "lps_needs"), rule.endpoint
        assert (roles.needed(view) == roles.PUBLIC) == (rule.rule in PUBLIC), rule.rule


def test_a_role_opens_what_it_includes_and_no_more(closed: Flask, db: Database) -> None:
    """Every address as each role and as a key of each scope: 401 never, 403 exactly below the needed role."""
    for number, role in enumerate(roles.LADDER):
        client = signin.person(closed, db, role, name=role)
        header = signin.key(db, SCOPES[role])
        for method, address, rule in addresses(closed):
            found = (one for one in closed.url_map.iter_rules() if one.rule == rule and method in (one.methods or ()))
            view = closed.view_functions[next(found).endpoint]
            if rule in PUBLIC or method not in ("GET", "HEAD") or rule.startswith("/logout"):
                continue
            needed = roles.needed(view)
            person = client.get(address).status_code
            program = closed.test_client().get(address, headers=header).status_code
            assert (person == 403) == (number < roles.LADDER.index(needed)), (role, address, person)
            assert (program == 403) == (not roles.allowed([SCOPES[role]], needed)), (role, address, program)
            assert 401 not in (person, program)


def test_every_change_by_cookie_needs_the_csrf_token(closed: Flask, db: Database) -> None:
    """A walk over everything that is not GET: 403 without the token, with a wrong one, and with another session's."""
    client = signin.person(closed, db)
    for method, address, rule in addresses(closed):
        if method in ("GET", "HEAD") or rule in PUBLIC:
            continue
        for sent in ({}, {"X-CSRF-Token": "x"}, {"X-CSRF-Token": "\N{SNOWMAN}".encode().decode("latin-1")}):
            answer = client.open(address, method=method, headers=sent)
            assert (403, "LPS_CSRF") == (answer.status_code, json.loads(answer.data)["code"]), (method, address)


def test_the_token_in_form_or_header_lets_a_change_pass(closed: Flask, db: Database) -> None:
    """A form sends it as a field, a script as a header; a key needs none."""
    client = signin.person(closed, db, "buyer")
    token = signin.csrf(db)
    assert 303 == client.post("/search", data={"product_name": "라면", "csrf_token": token}).status_code
    assert (
        202 == client.post("/v1/lps/search", json={"product_name": "우유"}, headers={"X-CSRF-Token": token}).status_code
    )
    header = signin.key(db, "submit")
    assert 202 == closed.test_client().post("/v1/lps/search", json={"product_name": "빵"}, headers=header).status_code


def test_a_link_signs_in_once(closed: Flask, db: Database) -> None:
    """Looking at it uses nothing up; the second use, and one of another link, are refused."""
    client, token = closed.test_client(), signin.link(db)
    assert 200 == client.get(f"/login/link?t={token}").status_code
    assert 303 == client.post("/login/link", data={"t": token}).status_code
    assert 200 == client.get("/").status_code
    assert 401 == closed.test_client().post("/login/link", data={"t": token}).status_code
    assert 401 == closed.test_client().post("/login/link", data={"t": "x"}).status_code
    assert token.encode() not in bytes(db.rows("SELECT link_hash FROM login_link")[0][0])  # type: ignore[call-overload]


def with_password(closed: Flask, db: Database, password: str) -> FlaskClient:
    """Alice, with a password of her own."""
    client = signin.person(closed, db)
    sent = {"password": password, "csrf_token": signin.csrf(db)}
    assert 303 == client.post("/login/password", data=sent).status_code
    return client


def sign_in(app: Flask, password: str, name: str = "alice") -> int:
    """The status of a sign-in."""
    return app.test_client().post("/login", data={"name": name, "password": password}).status_code


def test_five_wrong_passwords_lock_the_account(closed: Flask, db: Database) -> None:
    """The right one is refused while the lock lasts, holds after it, and lifts the count."""
    with_password(closed, db, "correct horse")
    assert 303 == sign_in(closed, "correct horse")
    assert [401] * 5 == [sign_in(closed, f"wrong {n}") for n in range(5)]
    assert 401 == sign_in(closed, "correct horse")
    db.rows("UPDATE account SET locked_until = lps.now()")
    assert 303 == sign_in(closed, "correct horse")
    assert [(0, None)] == db.rows("SELECT failures, locked_until FROM account")
    assert 401 == sign_in(closed, "correct horse", "bob")


def test_a_new_password_signs_every_other_browser_out(closed: Flask, db: Database) -> None:
    """The own browser stays; a short password is refused and changes nothing."""
    client = signin.person(closed, db)
    db.rows("UPDATE session SET created_at = created_at - interval '1 hour'")
    with db.pool.transaction() as cur:
        token = access.login_link(cur, "alice", who="test")
    other = closed.test_client()
    other.post("/login/link", data={"t": token})
    sent = {"csrf_token": signin.csrf(db)}
    assert 422 == other.post("/login/password", data=sent | {"password": "short"}).status_code
    assert 303 == other.post("/login/password", data=sent | {"password": "long enough"}).status_code
    assert (200, 401) == (other.get("/").status_code, client.get("/").status_code)


def test_signing_out_ends_the_session_on_the_server(closed: Flask, db: Database) -> None:
    """Whoever kept the cookie has nothing of it."""
    client = signin.person(closed, db)
    kept = client.get_cookie("lps_session")
    assert kept
    client.post("/logout", data={"csrf_token": signin.csrf(db)})
    again = closed.test_client()
    again.set_cookie("lps_session", kept.value)
    assert 401 == again.get("/").status_code
    assert kept.http_only
    assert "Lax" == kept.same_site


def test_signing_in_makes_a_new_session(closed: Flask, db: Database) -> None:
    """A token that someone planted before is no one's session, and an old one ends."""
    client, token = closed.test_client(), signin.link(db)
    client.set_cookie("lps_session", "planted")
    client.post("/login/link", data={"t": token})
    cookie = client.get_cookie("lps_session")
    assert cookie
    assert "planted" != cookie.value
    assert [(1,)] == db.rows("SELECT count(*) FROM session")


def test_a_disabled_account_is_out_at_once(closed: Flask, db: Database) -> None:
    """Its open session, too."""
    client = signin.person(closed, db)
    with db.pool.transaction() as cur:
        access.set_disabled(cur, "alice", disabled=True, who="test")
    assert 401 == client.get("/").status_code


@pytest.mark.parametrize(
    ("wish", "place"),
    [
        ("/jobs/1", "/jobs/1"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("", "/"),
    ],
)
def test_after_signing_in_one_stays_here(closed: Flask, db: Database, wish: str, place: str) -> None:
    """`next` leads to our own pages alone."""
    client = closed.test_client()
    answer = client.post("/login/link", query_string={"next": wish}, data={"t": signin.link(db)})
    assert place == answer.location


def test_a_page_leads_to_the_sign_in_page_and_back(closed: Flask) -> None:
    """A browser is led there, with where it wanted to go; a program gets 401 and how to ask."""
    answer = closed.test_client().get("/jobs/1?all=1", headers={"Accept": "text/html"})
    assert (303, "/login?next=/jobs/1%3Fall%3D1") == (answer.status_code, answer.location)
    problem = closed.test_client().get("/v1/lps/ops")
    assert (401, "Bearer") == (problem.status_code, problem.headers["WWW-Authenticate"])


def test_a_key_that_does_not_hold_is_refused(app: Flask, db: Database) -> None:
    """Unknown, wrong by one letter, expired, revoked, not ours: 401, even where nobody had to ask."""
    good = signin.key(db)["Authorization"]
    assert 200 == app.test_client().get("/v1/lps/ops", headers={"Authorization": good}).status_code
    wrong = good[:-1] + ("A" if good[-1] != "A" else "B")
    expired = signin.key(db, days=1)["Authorization"]
    db.rows("UPDATE api_key SET expires_at = lps.now() WHERE expires_at IS NOT NULL")
    revoked = signin.key(db)["Authorization"]
    db.rows("UPDATE api_key SET revoked_at = lps.now() WHERE api_key_id = (SELECT max(api_key_id) FROM api_key)")
    for sent in (wrong, expired, revoked, "Bearer lps_", "Bearer", "Basic YTpi", "Bearer lps_" + "\xff" * 50):
        answer = app.test_client().get("/v1/lps/ops", headers={"Authorization": sent})
        assert (401, "LPS_BAD_KEY") == (answer.status_code, json.loads(answer.data)["code"]), sent


def test_a_key_is_stored_as_its_hash_alone(app: Flask, db: Database) -> None:
    """Neither row nor audit holds it; that it was used is noted."""
    header = signin.key(db)
    secret = header["Authorization"].removeprefix("Bearer ")
    assert 43 + 4 == len(secret)
    app.test_client().get("/v1/lps/ops", headers=header)
    assert [(True,)] == db.rows("SELECT last_used_at IS NOT NULL FROM api_key")
    for table in ("api_key", "audit"):
        assert secret not in str(db.rows(f"SELECT to_jsonb({table}) FROM {table}"))


def test_too_many_requests_are_429(db: Database) -> None:
    """A key has so many a minute, every answer says how many are left; another key is not held up."""
    settings = config.load(env={"LPS_SANDBOX__ON": "true", "LPS_WEB__RATE_PER_MIN": "3"})
    app = create_app(settings, db.pool, Counter(db))
    header = signin.key(db)
    db.rows("UPDATE rate SET n = n")  # the table is there
    answers = [app.test_client().get("/v1/lps/ops", headers=header) for _ in range(4)]
    if {answer.status_code for answer in answers} == {200}:  # a minute began in between
        answers = [app.test_client().get("/v1/lps/ops", headers=header) for _ in range(4)]
    assert 429 == answers[-1].status_code
    assert "3" == answers[-1].headers["RateLimit-Limit"]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert 200 == app.test_client().get("/v1/lps/ops", headers=signin.key(db)).status_code


@pytest.mark.parametrize("sent", [{"X-Forwarded-For": "10.0.0.1"}, {"Forwarded": "for=10.0.0.1"}, {"X-Real-IP": "::1"}])
def test_what_comes_through_a_proxy_is_not_local(app: Flask, sent: dict[str, str]) -> None:
    """The sandbox is open to this machine alone, not to whom a proxy on it serves."""
    assert 200 == app.test_client().get("/").status_code
    assert 401 == app.test_client().get("/", headers=sent).status_code


def test_live_needs_a_sign_in_unless_told_otherwise(db: Database) -> None:
    """Real money is not spent by whoever has a process on this machine; `open = "loopback"` allows it."""
    for env, status in (({}, 401), ({"LPS_WEB__OPEN": "loopback"}, 200), ({"LPS_WEB__HOST": "0.0.0.0"}, 401)):  # noqa: S104 - the very case
        app = create_app(config.load(env=env), db.pool, Counter(db))
        assert status == app.test_client().get("/").status_code


def test_the_names_of_a_proxy_are_taken_and_no_others(db: Database) -> None:
    """`[web] hosts` lists them."""
    settings = config.load(env={"LPS_SANDBOX__ON": "true", "LPS_WEB__HOSTS": "lps.example.com, LPS"})
    client = create_app(settings, db.pool, Counter(db)).test_client()
    for host, status in (("lps.example.com", 200), ("lps:9600", 200), ("localhost", 200), ("evil.example", 421)):
        assert status == client.get("/healthz", headers={"Host": host}).status_code, host
