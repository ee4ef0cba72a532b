"""Signing in and out: by password, or once by a link that a terminal or an admin handed over."""

from __future__ import annotations

import re
import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING

import structlog
from flask import Blueprint, make_response, redirect, render_template, request

import store.access
import store.accounts
import store.audit
from web import auth, rates
from web.language import text
from web.parts import here
from web.problem import Problem
from web.roles import needs, public

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

blueprint = Blueprint("login", __name__)
log = structlog.get_logger("lps.auth")

TRIES = 5
"""Wrong passwords in a row after which an account is locked."""
LOCK_S = 300
PER_MINUTE = 20
"""Sign-ins tried from one address in a minute."""
_OWN_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\\]*")


def _next() -> str:
    wish = request.args.get("next", "")
    return wish if _OWN_PATH.fullmatch(wish) and not wish.startswith("/log") else "/"


def _page(error: str = "", status: int = HTTPStatus.OK) -> Response:
    page = render_template("login.html", error=error, next=_next(), link=request.args.get("t", ""))
    response = make_response(page, status)
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/login")
@public
def form() -> Response:
    """The sign-in form."""
    return _page()


@blueprint.get("/login/link")
@public
def link() -> Response:
    """What a login link opens: one button, because a mail program that looks at links must not use it up."""
    return _page()


@blueprint.post("/login")
@public
def sign_in() -> Response:
    """By name and password."""
    rates.count(f"login:{request.remote_addr}", PER_MINUTE)
    name, password = request.form.get("name", ""), request.form.get("password", "")
    with here().pool.transaction() as cur:
        account = store.accounts.one(cur, name[:100]) if "\0" not in name else None
        locked = store.accounts.is_locked(cur, account.account_id) if account else False
    right = store.access.matches(password[:1000], account.password_hash if account else "")
    if account and right and not locked and not account.disabled_at:
        return _welcome(account.account_id, "password")
    if account and not locked:
        with here().pool.transaction() as cur:
            store.accounts.fail(cur, account.account_id, limit=TRIES, lock_s=LOCK_S)
    log.warning("sign-in refused", account=account.name if account else "unknown", address=request.remote_addr)
    return _page(text("login.wrong"), HTTPStatus.UNAUTHORIZED)


@blueprint.post("/login/link")
@public
def use_link() -> Response:
    """By a link's secret, once."""
    rates.count(f"login:{request.remote_addr}", PER_MINUTE)
    with here().pool.transaction() as cur:
        account_id = store.accounts.use_link(cur, store.access.digest(request.form.get("t", "")))
    if account_id is None:
        return _page(text("login.link_over"), HTTPStatus.UNAUTHORIZED)
    return _welcome(account_id, "link")


def _welcome(account_id: int, how: str) -> Response:
    """A new session, whatever cookie came along: nobody can have planted its token."""
    token, hours = secrets.token_urlsafe(32), here().settings.web.session_hours
    old = request.cookies.get(auth.COOKIE)
    with here().pool.transaction() as cur:
        if old:
            store.accounts.close_session(cur, store.access.digest(old))
        digest = store.access.digest(token)
        store.accounts.open_session(cur, digest, account_id, secrets.token_urlsafe(24), hours * 3600)
        store.accounts.welcome(cur, account_id)
        session = store.accounts.session(cur, digest)
        store.audit.note(cur, session.name if session else "", "login", how, {"address": request.remote_addr})
    response = redirect(_next(), HTTPStatus.SEE_OTHER)
    response.set_cookie(auth.COOKIE, token, httponly=True, samesite="Lax", secure=request.is_secure)
    return response


@blueprint.post("/logout")
@needs("viewer")
def sign_out() -> Response:
    """End this browser's session."""
    caller = auth.current()
    with here().pool.transaction() as cur:
        if caller.signed_in:
            store.accounts.close_session(cur, caller.session)
            store.audit.note(cur, caller.who, "logout", "")
    response = redirect("/login", HTTPStatus.SEE_OTHER)
    response.delete_cookie(auth.COOKIE, httponly=True, samesite="Lax", secure=request.is_secure)
    return response


@blueprint.post("/login/password")
@needs("viewer")
def change_password() -> Response:
    """A new password of one's own; every other browser is signed out.

    Raises:
        Problem: LPS_FORBIDDEN for who has no account, LPS_WEAK_PASSWORD.
    """
    caller, password = auth.current(), request.form.get("password", "")
    if caller.account_id is None:
        raise Problem("LPS_FORBIDDEN")
    if not store.access.MIN_PASSWORD_CHARS <= len(password) <= 1000:
        raise Problem("LPS_WEAK_PASSWORD")
    hashed = store.access.hash_password(password)
    with here().pool.transaction() as cur:
        store.accounts.set_password(cur, caller.account_id, hashed)
        store.accounts.close_sessions(cur, caller.account_id, caller.session)
        store.audit.note(cur, caller.who, "account.password", caller.who)
    return redirect(_next(), HTTPStatus.SEE_OTHER)
