"""Fetches over HTTP: the only file that knows requests.

A session per thread keeps connections alive. Nothing outside the arguments decides anything: no proxy from the
environment, no netrc, no retries (those are the queue's). A body is read piece by piece, so that neither a slow drip
nor an endless answer passes the deadline or the size cap.
"""

from __future__ import annotations

import threading
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests
import urllib3.exceptions as wire
from requests.adapters import HTTPAdapter

from crawl.mall import Body
from crawl.wires import Wires
from errors import DeadlineExceeded, ProxyAuth, ProxyDead, SourceFailure, UnknownPage, UpstreamDown, UpstreamTimeout

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 16 * 1024 * 1024
"""Decoded bytes of one answer; the largest page seen is 3.5 MB."""
_PIECE = 64 * 1024
_CONNECT_S = 5.0
_USUAL = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) LPS/0.1",
    "Accept": "text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8",
    "Accept-Language": "ko-KR,ko;q=0.9",
    "Accept-Encoding": "gzip, deflate",
}


class HttpFetcher:
    """GETs with keep-alive; safe to use from several threads."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._lock = threading.Lock()
        self._sessions: list[requests.Session] = []
        self._wires = Wires()

    def get(
        self,
        url: str,
        deadline: float,
        headers: Mapping[str, str] | None = None,
        *,
        follow: bool = True,
        timeout_s: float = 15.0,
        proxy: str = "",
    ) -> Body:
        """The answer, whatever its status, before `deadline` (`time.monotonic()` seconds).

        Args:
            url: where to ask.
            deadline: when the stage's own time is over.
            headers: what the request carries beyond the usual.
            follow: whether redirects are followed; never where the headers hold a secret.
            timeout_s: seconds the request may take, however much of the deadline is left.
            proxy: `HOST:PORT` of a forwarder on loopback to go through; empty = directly.

        Raises:
            UpstreamTimeout: no answer in time.
            UpstreamDown: unreachable, cut off, or not HTTP.
            UnknownPage: larger than MAX_BYTES; it will be so the next time too.
            DeadlineExceeded: the stage's own time ran out first.
            ProxyDead, ProxyAuth: the way there is closed.
        """
        until = min(deadline, time.monotonic() + timeout_s)
        try:
            with self._request(url, until, headers or {}, follow, proxy) as answer:
                return _read(answer, until)
        except (requests.RequestException, wire.HTTPError, OSError) as error:
            raise _failure(error, time.monotonic() >= deadline) from error

    def abort(self, thread: int) -> None:
        """Cut what the thread of this ident fetches: it gets UpstreamDown. Nothing if it fetches nothing."""
        self._wires.cut(thread)

    def close(self) -> None:
        """Close every connection; the fetcher opens new ones when it is used again."""
        with self._lock:
            sessions, self._sessions = self._sessions, []
            self._local = threading.local()
        for session in sessions:
            session.close()

    def _request(
        self, url: str, until: float, headers: Mapping[str, str], follow: bool, proxy: str
    ) -> requests.Response:
        left = until - time.monotonic()
        if left <= 0:
            raise DeadlineExceeded
        return self._session().get(
            url,
            headers=dict(headers),
            stream=True,
            # The forwarder has its own patience with the proxy.
            timeout=(left if proxy else min(_CONNECT_S, left), left),
            allow_redirects=follow,
            proxies=dict.fromkeys(("http", "https"), f"http://{proxy}") if proxy else None,
        )

    def _session(self) -> requests.Session:
        found: requests.Session | None = getattr(self._local, "session", None)
        if found is None:
            found = requests.Session()
            found.trust_env = False
            found.max_redirects = 5
            found.headers.update(_USUAL)
            for scheme in ("http://", "https://"):
                adapter = _Watched(self._wires)
                found.mount(scheme, adapter)
            self._local.session = found
            with self._lock:
                self._sessions.append(found)
        return found


class _Watched(HTTPAdapter):
    """Its connections can be cut, those through a proxy too."""

    def __init__(self, wires: Wires) -> None:
        self._wires = wires
        super().__init__(max_retries=0, pool_connections=8, pool_maxsize=2)
        wires.watch(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **how: Any) -> Any:
        """As the original, once for each proxy."""
        known = proxy in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **how)
        if not known:
            self._wires.watch(manager)
        return manager


def _read(answer: requests.Response, until: float) -> Body:
    pieces: list[bytes] = []
    size = 0
    while piece := answer.raw.read1(_PIECE, decode_content=True):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BYTES:
            raise UnknownPage(f"the answer is larger than {MAX_BYTES >> 20} MB", kind="too_large")
        if time.monotonic() > until:
            raise requests.ReadTimeout
    return Body(
        content=b"".join(pieces),
        url=answer.url,
        status=answer.status_code,
        charset=_charset(answer.headers.get("Content-Type", "")),
        size_bytes=sum(map(_wire_bytes, (*answer.history, answer))),
        retry_after_s=retry_after_s(answer.headers.get("Retry-After", "")),
    )


def _charset(content_type: str) -> str | None:
    _, found, name = content_type.lower().partition("charset=")
    return name.split(";")[0].strip(" \"'") or None if found else None


def _wire_bytes(answer: requests.Response) -> int:
    """Bytes both ways as HTTP/1.1 writes them: start lines, headers, the body as it came (compressed)."""
    sent = answer.request
    host = f"Host: {urlsplit(sent.url or '').netloc}\r\n"
    up = len(f"{sent.method} {sent.path_url} HTTP/1.1\r\n{host}\r\n") + _header_bytes(sent.headers)
    down = len(f"HTTP/1.1 {answer.status_code} {answer.reason}\r\n\r\n") + _header_bytes(answer.headers)
    return up + down + int(answer.raw.tell())


def _header_bytes(headers: Mapping[str, str]) -> int:
    return sum(len(name) + len(value) + 4 for name, value in headers.items())


def retry_after_s(text: str) -> float | None:
    """Seconds of a Retry-After header, in either of its two forms."""
    if text.strip().isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time()) if text else None
    except (TypeError, ValueError):
        return None


def _failure(error: Exception, late: bool) -> SourceFailure:
    """What went wrong, by its type; the text names no address, because an address may carry a key."""
    name = type(error).__name__
    if isinstance(error, requests.exceptions.ProxyError):
        refused = "407" in str(error)
        return ProxyAuth(kind="http_407") if refused else ProxyDead(kind=name)
    if isinstance(error, (requests.Timeout, wire.ReadTimeoutError, TimeoutError)):
        return DeadlineExceeded() if late else UpstreamTimeout(kind="timeout")
    if isinstance(error, (requests.exceptions.ChunkedEncodingError, wire.ProtocolError)):
        return UpstreamDown("the answer was cut off", kind="truncated")
    if isinstance(error, (requests.exceptions.ContentDecodingError, wire.DecodeError)):
        return UpstreamDown("the answer cannot be unpacked", kind="encoding")
    return UpstreamDown(f"no answer ({name})", kind="connection")
