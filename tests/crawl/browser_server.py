"""What the browser's tests share: self-written pages on loopback, a proxy that remembers, a look at our processes."""

from __future__ import annotations

import contextlib
import http.server
import os
import threading
import time
import urllib.request
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

import psutil

import config
from crawl.browser import BrowserFetcher
from crawl.browser_places import Places
from crawl.mall import DIRECT, Ready

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crawl.mall import Body, Via

Kind = TypeVar("Kind", bound=http.server.HTTPServer)
READY = Ready(cards="li.card", settled="#none")
CARDS = "".join(f"<li class=card>{n}</li>" for n in range(72))
LATE = """<ul id=list></ul><script>
let n = 0;
setTimeout(function more() {
  for (let i = 0; i < 12; i++) document.getElementById('list').innerHTML += '<li class=card>' + n++ + '</li>';
  if (n < 72) setTimeout(more, 60);
}, 500);
</script>"""
SHORT_THEN_FULL = f"""<ul id=list>{"<li class=card>7</li>" * 7}</ul><script>
setTimeout(() => {{ document.getElementById('list').innerHTML = `{CARDS}`; }}, 450);
</script>"""
CHALLENGE = """<title>Just a moment...</title><script>window._cf_chl_opt = {};</script><p>봇 확인 절차"""
CLEARS = (
    CHALLENGE
    + """<script>
setTimeout(() => { document.cookie = 'cleared=1; path=/'; location.reload(); }, 900);
</script>"""
)
PAGES = {
    "/": "<p>home",
    "/mark": "<p id=none><script>document.cookie = 'visitor=1; path=/; max-age=9999'; localStorage.seen = 1;</script>",
    "/cards": f"<ul>{CARDS}</ul><img src=/image.png><link rel=stylesheet href=/style.css>",
    "/late": LATE,
    "/short": SHORT_THEN_FULL,
    "/none": "<p id=none>검색결과가 없습니다",
    "/about": "<ul><li class=card id=me></li></ul><script>me.textContent="
    "navigator.webdriver + ' ' + navigator.languages.join()</script>",
    "/busy": f"<ul>{CARDS}</ul><script>setTimeout(() => {{ for (;;); }}, 0)</script>",
    "/alert": f"<script>alert('안내')</script><ul>{CARDS}</ul>",
    "/who": "<ul><li class=card id=me></li></ul><script>"
    "me.textContent = (document.cookie || 'nobody') + ' ' + (localStorage.seen || 'new')</script>",
    "/endless": CHALLENGE,
    "/ad": "<img src=/ad.png><script src=/ad.js></script>",
    "/favicon.ico": "",
}


class Server(http.server.ThreadingHTTPServer):
    """The pages above; `/hang` never answers, `/204` has no body, `/file` is a download, `/refused` a 403.

    `/door` challenges whoever has no cookie, and lets pass who waits.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.release = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: object) -> None:
        """A browser that was killed is no error."""


class Handler(http.server.BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_GET(self) -> None:
        """Answer from the table."""
        self.server.asked.append(self.path)
        cleared = "cleared=1" in self.headers.get("Cookie", "")
        if self.path == "/hang":
            self.server.release.wait(30)
        if self.path == "/204":
            self.send_response(HTTPStatus.NO_CONTENT)
            self.end_headers()
        elif self.path == "/file":
            self._answer(200, "x" * 1000, "application/octet-stream")
        elif self.path == "/door":
            self._answer(*((200, "<p>welcome") if cleared else (403, CLEARS)))
        elif self.path == "/framed":
            there = f"http://localhost:{self.server.server_port}/ad"
            self._answer(200, f"<ul>{CARDS}</ul><iframe src={there}></iframe><script src=/slow.js></script>")
        else:
            self._answer(200 if self.path in PAGES else 403, PAGES.get(self.path, "<h1>Forbidden"))

    def _answer(self, status: int, text: str, kind: str = "text/html; charset=utf-8") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: the test reads `asked`."""


class Proxy(http.server.ThreadingHTTPServer):
    """A plain proxy on loopback that notes every address it is asked for; it reaches loopback only."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ProxyHandler)
        self.asked: list[str] = []
        self.address = f"127.0.0.1:{self.server_port}"


class ProxyHandler(http.server.BaseHTTPRequestHandler):
    """One request through the proxy."""

    server: Proxy

    def do_GET(self) -> None:
        """Fetch it from loopback."""
        self.server.asked.append(self.path)
        request = urllib.request.Request(self.path, headers={"Cookie": self.headers.get("Cookie", "")})  # noqa: S310 - http
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5) as answer:
            body = answer.read()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.headers.get("Content-Type", "text/html"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        """Refuse: nothing in these tests may want the world."""
        self.server.asked.append(self.path)
        self.send_error(HTTPStatus.FORBIDDEN)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextlib.contextmanager
def serving(server: Kind) -> Iterator[Kind]:
    """The server, answering."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def fetching(places: Path | Places, **settings: object) -> Iterator[BrowserFetcher]:
    """Browsers of one process, headless; keywords are of `[browser]`."""
    env = {f"LPS_BROWSER__{name.upper()}": str(value).lower() for name, value in {"headless": True, **settings}.items()}
    loaded = config.load(env=env).browser
    own = places if isinstance(places, Places) else Places(loaded.per_machine, places)
    fetcher = BrowserFetcher(loaded, own)
    try:
        yield fetcher
    finally:
        fetcher.close()


def get(
    fetcher: BrowserFetcher,
    server: Server,
    path: str,
    seconds: float = 15,
    *,
    home: str = "/",
    via: Via = DIRECT,
    mall: str = "coupang",
) -> Body:
    """One page of the server."""
    until = time.monotonic() + seconds
    door = server.url + home if home else ""
    return fetcher.get(server.url + path, until, READY, mall=mall, home=door, block_css=True, via=via)


def family(status: str = "") -> list[psutil.Process]:
    """What this process has started, as deep as it goes; by default what still runs."""
    found = []
    for process in psutil.Process(os.getpid()).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            is_zombie = process.status() == psutil.STATUS_ZOMBIE
            found += [process] if is_zombie == (status == psutil.STATUS_ZOMBIE) else []
    return found


def words(process: psutil.Process) -> list[str]:
    """Its command line, empty once it has ended."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def chromiums() -> set[int]:
    """The pids of the browsers that this process has, one a browser."""
    found = {process.pid: words(process) for process in family()}
    return {
        pid
        for pid, line in found.items()
        if line
        and line[0].endswith("chromium")
        and any(word.startswith("--remote-debugging-port") for word in line)
        and not any(word.startswith("--type=") for word in line)
    }
