"""A receiver of notices on loopback that answers as it is told: a status, with Retry-After, or not at all."""

from __future__ import annotations

import http.server
import json
import threading
from typing import Any


class Receiver(http.server.ThreadingHTTPServer):
    """Answers with the next of its moods, the last one for ever, and keeps what it was sent.

    A mood is a status, a pair of status and Retry-After seconds, or "hang".
    """

    daemon_threads = True

    def __init__(self, *moods: int | tuple[int, int] | str) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.moods = list(moods or (200,))
        self.bodies: list[dict[str, Any]] = []
        self.gone = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/hook-hunter2"
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """End it, and whoever hangs on it."""
        self.gone.set()
        self.shutdown()
        self.server_close()


class _Answer(http.server.BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        """Keep the body, answer the mood."""
        length = int(self.headers.get("Content-Length") or 0)
        self.server.bodies.append(json.loads(self.rfile.read(length) or b"{}"))
        moods = self.server.moods
        mood = moods.pop(0) if len(moods) > 1 else moods[0]
        if mood == "hang":
            self.server.gone.wait(60)
            return
        status, wait = mood if isinstance(mood, tuple) else (int(mood), None)
        self.send_response(status)
        if wait is not None:
            self.send_header("Retry-After", str(wait))
        self.send_header("Content-Length", "0" if status == 204 else "2")
        self.end_headers()
        if status != 204:
            self.wfile.write(b"ok")

    def do_GET(self) -> None:
        """The same."""
        self.do_POST()

    def log_message(self, *_: object) -> None:
        """Nothing."""
