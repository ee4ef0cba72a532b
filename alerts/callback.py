"""POSTs a signed message to an address that somebody from outside has named, and lets it reach nothing of ours.

The address is read by one parser, its name resolved once, and the connection made to the very address that was
checked: a name that resolves otherwise a moment later changes nothing. No redirect is followed, no proxy of the
environment used, and of the answer only the status is kept.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from alerts.answer import refusal
from errors import Stop, UpstreamDown, UpstreamTimeout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MAX_URL_CHARS = 2000
CONNECT_S = 5.0
MAX_ANSWER_BYTES = 64 * 1024
# Visible ASCII but for \ @ < > " #; no IGNORECASE around it, for a few letters beyond ASCII fold to s and k.
_URL = re.compile(r"(?i:https?)://[!$-;=?A-\[\]-~]+")
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?\.?|[0-9a-f:.]+", re.IGNORECASE)
# What `ipaddress` calls global although it leads to others than it seems: relays, translators, test nets of operators.
_CLOSED = tuple(
    map(
        ipaddress.ip_network,
        (
            "100.64.0.0/10",
            "192.0.0.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "64:ff9b::/96",
            "64:ff9b:1::/48",
            "2001::/23",
            "2002::/16",
            "fec0::/10",
            "::/96",
        ),
    )
)


class BadAddress(Stop):
    """This address may not be called; `kind` says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address whose text holds."""

    url: str
    scheme: str
    host: str
    port: int
    path: str
    internal: bool
    """An operator named its host: it may be anywhere, and plain http."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the receiver said."""

    status: int


def check(url: str, internal_hosts: frozenset[str] = frozenset()) -> Target:
    """Read an address.

    Args:
        url: as somebody sent it.
        internal_hosts: host names, in lower case, that may be anywhere and be called by plain http.

    Raises:
        BadAddress: `kind` is not_an_address, not_https, login, bad_port or not_public.
    """
    if len(url) > MAX_URL_CHARS or not _URL.fullmatch(url):
        raise BadAddress("is no plain http(s) address", kind="login" if "@" in url else "not_an_address")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadAddress("is no address that can be read", kind="not_an_address") from None
    if not _HOST.fullmatch(host):
        raise BadAddress("has no host that can be read", kind="not_an_address")
    internal = host in internal_hosts
    if parts.scheme != "https" and not internal:
        raise BadAddress("should begin with https://", kind="not_https")
    if port == 0:
        raise BadAddress("has no port that can be called", kind="bad_port")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not internal and _is_literal(host) and not is_public(host):
        raise BadAddress("does not lead to a public address", kind="not_public")
    return Target(url, parts.scheme, host, port or (443 if parts.scheme == "https" else 80), path, internal)


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Whether this address is somebody's on the internet, and nothing of ours or a way into it."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    if mapped is not None:
        found = mapped
    if any(found in net for net in _CLOSED if net.version == found.version):
        return False
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)


def resolve(host: str, port: int) -> list[str]:
    """Every address of a name.

    Raises:
        UpstreamDown: it has none now.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UpstreamDown("the host's name cannot be resolved") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def pick(target: Target, resolving: Callable[[str, int], Sequence[str]] = resolve) -> str:
    """The address to connect to.

    Raises:
        BadAddress: one of the name's addresses is not public; `kind` is not_public.
        UpstreamDown: it has none now.
    """
    found = resolving(target.host, target.port)
    if not found:
        raise UpstreamDown("the host's name cannot be resolved")
    if not target.internal and not all(map(is_public, found)):
        raise BadAddress("does not lead to a public address", kind="not_public")
    return found[0]


def sign(body: bytes, secrets: Sequence[str], at: int) -> str:
    """The value of LPS-Signature: when, and an HMAC-SHA256 of `at.body` by each secret that holds now.

    Args:
        body: as it is sent.
        secrets: the newest first; two while they are being changed.
        at: seconds since 1970, so that an old message cannot be sent again.
    """
    signed = f"{at}.".encode() + body
    marks = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={at}", *(f"v1={mark}" for mark in marks)])


def post(
    target: Target,
    body: bytes,
    headers: dict[str, str],
    *,
    timeout_s: float,
    resolving: Callable[[str, int], Sequence[str]] = resolve,
    context: ssl.SSLContext | None = None,
) -> Answered:
    """Send; only 2xx is success.

    Args:
        target: from `check`.
        body: JSON.
        headers: beside those of HTTP itself.
        timeout_s: for the whole of it.
        resolving: name and port → addresses; asked once.
        context: of TLS; None verifies as browsers do.

    Raises:
        BadAddress: it does not lead to a public address.
        RateLimited, UpstreamTimeout, UpstreamDown: sending it later may help; `kind` is `http_…` if it answered.
        Stop: any other answer.
    """
    deadline = time.monotonic() + timeout_s
    connection = _connect(target, pick(target, resolving), context, min(CONNECT_S, timeout_s))
    try:
        with _ended_at(deadline, connection) as was_cut:
            connection.request("POST", target.path, body, {"Host": _host(target), **headers})
            answer = connection.getresponse()
            answer.read(MAX_ANSWER_BYTES)
    except TimeoutError as error:
        raise UpstreamTimeout(f"no answer within {timeout_s:g} s") from error
    except (OSError, http.client.HTTPException) as error:
        if time.monotonic() >= deadline:
            raise UpstreamTimeout(f"no answer within {timeout_s:g} s") from error
        raise UpstreamDown(f"the connection broke: {type(error).__name__}") from error
    finally:
        connection.close()
    if was_cut.is_set():
        # http.client takes headers that break off for headers that end.
        raise UpstreamTimeout(f"no whole answer within {timeout_s:g} s")
    failure = refusal(answer.status, "", answer.headers.get("Retry-After", ""))
    if failure:
        raise failure
    return Answered(answer.status)


def _connect(
    target: Target, address: str, context: ssl.SSLContext | None, timeout_s: float
) -> http.client.HTTPConnection:
    """A connection to the checked address itself, with the name's certificate demanded.

    Raises:
        UpstreamTimeout, UpstreamDown.
    """
    connection = http.client.HTTPConnection(target.host, target.port, timeout=timeout_s)
    plain: socket.socket | None = None
    try:
        plain = socket.create_connection((address, target.port), timeout=timeout_s)
        if target.scheme == "https":
            plain = (context or ssl.create_default_context()).wrap_socket(plain, server_hostname=target.host)
    except TimeoutError as error:
        _close(plain)
        raise UpstreamTimeout(f"no connection within {timeout_s:g} s") from error
    except OSError as error:
        _close(plain)
        raise UpstreamDown(f"no connection: {type(error).__name__}") from error
    connection.sock = plain
    return connection


def _close(sock: socket.socket | None) -> None:
    if sock is not None:
        sock.close()


@contextmanager
def _ended_at(deadline: float, connection: http.client.HTTPConnection) -> Iterator[threading.Event]:
    """Cut the connection at the deadline: a receiver that sends a byte now and then is never over by itself."""
    was_cut = threading.Event()

    def cut() -> None:
        was_cut.set()
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            return  # It has ended by itself.

    timer = threading.Timer(max(0, deadline - time.monotonic()), cut)
    timer.daemon = True
    timer.start()
    try:
        yield was_cut
    finally:
        timer.cancel()


def _host(target: Target) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    return host if target.port in (80, 443) else f"{host}:{target.port}"
