"""What holds for every request and every answer: who may ask, and what a browser may do with it."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import request

from web import parts
from web.problem import Problem

if TYPE_CHECKING:
    from flask import Flask, Response

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not "no-referrer": with it a browser sends "Origin: null" with our own form.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
MAX_URI_CHARS = 3900
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _place(address: str) -> tuple[str, str]:
    """(host name, host name with port) of an address, empty where it cannot be read."""
    try:
        parsed = urlsplit(address)
    except ValueError:
        return "", ""
    return parsed.hostname or "", parsed.netloc


def check_host() -> None:
    """Refuse names that are not ours: a foreign page may point its own name at us (DNS rebinding).

    Ours are this machine's own and those of `[web] hosts`; without these, who listens on the network takes every name.
    """
    web = parts.here().settings.web
    name, _ = _place(f"//{request.host}")
    strange = web.names or is_loopback(web.host)
    if strange and not is_loopback(name) and name.lower() not in web.names:
        raise Problem("LPS_WRONG_HOST")


def check_length() -> None:
    """Refuse an address longer than any of ours, before the server's own limit (4,094) does in its own words."""
    if len(request.environ.get("QUERY_STRING", "")) + len(request.path) > MAX_URI_CHARS:
        raise Problem("LPS_URI_TOO_LONG")


def keep_form() -> None:
    """Keep a form's bytes beside what is made of them, so that it can be told whether they were UTF-8."""
    if request.mimetype == "application/x-www-form-urlencoded":
        request.get_data()


def check_site() -> None:
    """Refuse what another site's page sends; programs send neither header."""
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin")
    foreign = origin is not None and _place(origin)[1] != request.host
    if site not in ("same-origin", "none") or foreign:
        raise Problem("LPS_CROSS_SITE")


def _seal(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-cache, private")
    return response


def install(app: Flask) -> None:
    """Check before every view, seal every answer."""
    app.before_request(check_length)
    app.before_request(check_host)
    app.before_request(check_site)
    app.before_request(keep_form)
    app.after_request(_seal)
