"""The HTTP side: one threaded HTTP/1.1 server on loopback.

`serve()` answers when it returns. `Market.close()` ends at once: waiting scenarios are woken, open connections shut,
every thread joined, so that nothing is left open behind a test.
"""

from __future__ import annotations

import math
import socket
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast

from sandbox.ai import SEED
from sandbox.malls import MALLS
from sandbox.market import Malls

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Self

    from sandbox.answer import Answer

_IDLE_S = 75
_REASONS = {one.value: one.phrase for one in HTTPStatus}


class Market:
    """A running sandbox."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="sandbox", daemon=True)
        self._thread.start()
        self.malls = server.malls
        self.oracle = server.malls.oracle
        self.url = f"http://127.0.0.1:{server.server_port}"
        """Where it answers, no trailing slash."""

    def base_urls(self) -> dict[str, str]:
        """Mall → its `base_url`."""
        return {mall: f"{self.url}/{mall}" for mall in MALLS}

    def set_scenario(self, mall: str, name: str, arg: str = "") -> None:
        """From now on this mall behaves like that. Raises scenario.UnknownScenario."""
        self.malls.set_scenario(mall, name, arg)

    def counts(self) -> dict[str, dict[str, int]]:
        """Per mall: `requests`, `searches`, `bytes`."""
        return self.malls.counts()

    def pages_by_ip(self) -> dict[str, dict[str, int]]:
        """Address → mall → pages it asked for."""
        return self.malls.pages_by_ip()

    def reset(self) -> None:
        """All counts to zero, all scenarios off."""
        self.malls.reset()

    def close(self) -> None:
        """Stop; calling it twice is harmless."""
        if not self._server.closing.is_set():
            self._server.shutdown()
            self._server.hang_up()
            self._server.server_close()
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(*, port: int = 0, fixtures: Path | None = None, latency_ms: int = 0, ai_seed: int = SEED) -> Market:
    """Start on 127.0.0.1. Raises OSError when the port is taken, fixtures.NoFixtures for an unusable folder."""
    return Market(_Server(port, Malls(fixtures=fixtures, latency_ms=latency_ms, ai_seed=ai_seed)))


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, port: int, malls: Malls) -> None:
        self.malls = malls
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        # The stock version asks the resolver for this machine's name, which can take seconds without a network.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", int(self.server_address[1])

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        with self._guard:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A visitor who leaves in the middle of an answer is no error of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def hang_up(self) -> None:
        """Wake every waiting scenario and shut every connection."""
        self.closing.set()
        with self._guard:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = _IDLE_S
    wbufsize = 0

    @property
    def _market(self) -> _Server:
        return cast("_Server", self.server)

    def do_GET(self) -> None:
        if self.path.startswith("/_sandbox/"):
            self._send("", self._market.malls.control(self.path.partition("?")[0], None))
            return
        headers: Mapping[str, str] = {name.lower(): value for name, value in self.headers.items()}
        mall, answer, wait_s = self._market.malls.answer(
            self.path, headers.get("host", ""), headers, self.client_address[0]
        )
        if wait_s and self._market.closing.wait(None if math.isinf(wait_s) else wait_s):
            self.close_connection = True
            return
        self._send(mall, answer)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body, path = self.rfile.read(size), self.path.partition("?")[0]
        if not path.startswith("/ai/"):
            self._send("", self._market.malls.control(path, body))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer, wait_s = self._market.malls.oracle.answer(path, headers, body)
        if wait_s and self._market.closing.wait(None if math.isinf(wait_s) else wait_s):
            self.close_connection = True
            return
        self._send("", answer)

    def _send(self, mall: str, answer: Answer) -> None:
        head = [f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}"]
        head += ["X-LPS-Sandbox: 1", f"Date: {self.date_time_string()}"]
        if answer.status != HTTPStatus.NO_CONTENT:
            head += [f"Content-Type: {answer.content_type}", f"Content-Length: {len(answer.body)}"]
        head += [f"{name}: {value}" for name, value in answer.headers]
        body = b"" if self.command == "HEAD" else answer.body
        if answer.cut_at is not None:
            body = body[: answer.cut_at]
            self.close_connection = True
        if self.close_connection:
            head.append("Connection: close")
        sent = ("\r\n".join(head) + "\r\n\r\n").encode("latin-1") + body
        if mall:
            self._market.malls.count(mall, size_bytes=len(sent))
        self.wfile.write(sent)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the name is http.server's)
        """Requests are counted, not logged."""
