"""Who asks, and whether that may be: checked before every view, so that no view can forget it.

Authorization: Bearer lps_…    a program, by its key; needs no CSRF token, for no browser sends it by itself
cookie lps_session             a person who has signed in; whatever is not GET needs the session's CSRF token
neither                        nobody; on this machine's own address a buyer, as `[web] open` says
"""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal, cast
from urllib.parse import quote

import structlog
from flask import g, redirect, request

import store.access
import store.accounts
import store.keys
from web import rates
from web.parts import here
from web.problem import Problem, wants_page
from web.roles import PUBLIC, allowed, includes, max_body, needed, needs, public
from web.submission import CSRF_FIELD

if TYPE_CHECKING:
    from decimal import Decimal

    from flask import Flask
    from werkzeug.wrappers import Response

    from web.roles import Role

__all__ = ["Caller", "csrf_token", "current", "install", "is_local", "needs", "public"]

COOKIE = "lps_session"
CSRF_HEADER = "X-CSRF-Token"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")
_TOUCH = timedelta(minutes=1)
log = structlog.get_logger("lps.auth")


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Who asks."""

    kind: Literal["nobody", "local", "account", "key"] = "nobody"
    who: str = "nobody"
    """For the record: `name` of an account, `key:prefix (name)`, `local`."""
    role: Role | None = None
    scopes: frozenset[str] = frozenset()
    account_id: int | None = None
    api_key_id: int | None = None
    daily_quota: int | None = None
    daily_budget_usd: Decimal | None = None
    csrf: str = ""
    session: bytes = b""
    """Hash of the session's token."""

    def may(self, role: str) -> bool:
        """Whether what needs this role is allowed."""
        return allowed(self.scopes, role) if self.kind == "key" else includes(self.role, role)

    @property
    def signed_in(self) -> bool:
        """Whether this is a person with an account."""
        return self.kind == "account"


NOBODY = Caller()
LOCAL = Caller(kind="local", who="local", role="buyer")


def current() -> Caller:
    """Who asks; looked up once a request.

    Raises:
        Problem: LPS_BAD_KEY, LPS_RATE_LIMITED.
        DatabaseDown: it cannot be said.
    """
    if "caller" not in g:
        # Whatever goes wrong below, the page that says so is nobody's.
        g.caller = NOBODY
        g.caller = _find()
    return cast("Caller", g.caller)


def csrf_token() -> str:
    """The value of the hidden field `csrf_token` that every form of a page must carry; empty for who has no session."""
    return current().csrf


def is_local() -> bool:
    """Whether the request comes from this machine, by this machine's own name, through no proxy."""
    from web.guard import is_loopback  # noqa: PLC0415 - guard asks us, too

    if any(name in request.headers for name in _FORWARDED) or not is_loopback(here().settings.web.host):
        return False
    return is_loopback(request.host.rpartition(":")[0] or request.host) and _loopback_peer()


def _loopback_peer() -> bool:
    try:
        return ipaddress.ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False


def _find() -> Caller:
    header = request.headers.get("Authorization")
    if header is not None:
        return _by_key(header)
    token = request.cookies.get(COOKIE)
    found = _by_session(token) if token else None
    return found or (LOCAL if _open() and is_local() else NOBODY)


def _open() -> bool:
    parts = here()
    wish = parts.settings.web.open
    return wish == "loopback" or (wish == "sandbox" and parts.sandbox)


def _by_key(header: str) -> Caller:
    scheme, _, secret = header.partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer" or not secret.startswith(store.access.KEY_PREFIX):
        raise Problem("LPS_BAD_KEY", headers={"WWW-Authenticate": "Bearer"})
    digest = store.access.digest(secret)
    with here().pool.autocommit() as cur:
        found = store.keys.admit(cur, secret[: store.access.SHOWN_CHARS], digest)
        if found is None or found.n is None or not hmac.compare_digest(found.key_hash, digest):
            raise Problem("LPS_BAD_KEY", headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})
        if found.last_used_at is None or found.last_used_at < datetime.now(UTC) - _TOUCH:
            store.keys.touch(cur, found.api_key_id)
    rates.remember(found.n, found.reset_s)
    return Caller(
        kind="key",
        who=f"key:{secret[: store.access.SHOWN_CHARS]} ({found.name})",
        scopes=frozenset(found.scopes),
        api_key_id=found.api_key_id,
        daily_quota=found.daily_quota,
        daily_budget_usd=found.daily_budget_usd,
    )


def _by_session(token: str) -> Caller | None:
    digest = store.access.digest(token)
    seconds = here().settings.web.session_hours * 3600
    with here().pool.autocommit() as cur:
        found = store.accounts.session(cur, digest)
        if found and found.left_s < seconds / 2:
            store.accounts.prolong(cur, digest, seconds)
    if found is None:
        return None
    return Caller(
        kind="account",
        who=found.name,
        role=found.role,
        account_id=found.account_id,
        csrf=found.csrf,
        session=digest,
    )


def check(view_role: str) -> Response | None:
    """Refuse who may not do this; a browser that has not signed in is led to the sign-in page.

    Raises:
        Problem: LPS_LOGIN_NEEDED, LPS_FORBIDDEN, LPS_CSRF, and what `current` raises.
    """
    if view_role == PUBLIC:
        return None
    caller = current()
    if not caller.may(view_role):
        return _refuse(caller)
    if request.method not in SAFE_METHODS:
        if caller.signed_in:
            demand_csrf(caller)
        if caller.kind != "key":
            rates.count(f"{caller.kind}:{caller.account_id or request.remote_addr}")
    return None


def _refuse(caller: Caller) -> Response:
    if caller.kind in ("account", "key"):
        raise Problem("LPS_FORBIDDEN")
    if request.method == "GET" and wants_page():
        wanted = quote(request.full_path.rstrip("?"), safe="/")
        return redirect(f"/login?next={wanted}", HTTPStatus.SEE_OTHER)
    raise Problem("LPS_LOGIN_NEEDED", headers={"WWW-Authenticate": "Bearer"})


def demand_csrf(caller: Caller) -> None:
    """Refuse what another site's page may have sent with our cookie.

    Raises:
        Problem: LPS_CSRF.
    """
    sent = request.headers.get(CSRF_HEADER) or request.form.get(CSRF_FIELD) or ""
    if not hmac.compare_digest(sent.encode("utf-8", "replace"), caller.csrf.encode()):
        log.warning("refused without a CSRF token", who=caller.who, path=request.path)
        raise Problem("LPS_CSRF")


def install(app: Flask) -> None:
    """Check before every view that exists; give the templates `csrf_token` and `caller`."""

    def check_first() -> Response | None:
        if request.endpoint is None:
            return None  # There is no such address: 404 or 405, whoever asks.
        view = app.view_functions.get(request.endpoint)
        if max_body(view):
            request.max_content_length = max_body(view)
        return check(needed(view))

    app.before_request(check_first)
    app.after_request(rates.show)
    app.jinja_env.globals |= {"csrf_token": csrf_token, "caller": current}
    public(app.view_functions["static"])
