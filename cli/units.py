"""The processes of a stack, as anybody could start them by hand."""

from __future__ import annotations

import socket
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from cli.stack import Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from config import Settings

_BIN = Path(sys.executable).parent
GRACEFUL_S = 10
"""Seconds an open request or message may take when its process stops."""


def script(name: str) -> tuple[str, ...]:
    """An installed program, run by this interpreter."""
    return (sys.executable, str(_BIN / name))


def market(port: int, fixtures: Path | None, latency_ms: int, gate: str = "") -> Unit:
    """The sandbox market, with its proxy gate on ports FIRST:COUNT."""
    more = ["--fixtures", str(fixtures)] if fixtures else []
    more += ["--gate", gate] if gate else []
    command = (sys.executable, "-m", "sandbox", "--port", str(port), "--latency-ms", str(latency_ms), *more)
    return Unit(name="sandbox", command=command, answers=lambda: _connects("127.0.0.1", port))


def worker(number: int, settings: Settings, queues: Sequence[str] = ()) -> Unit:
    """One worker process: dramatiq stops all its processes when one ends, so each is a unit of its own."""
    command = (
        *script("dramatiq"),
        "tasks",
        *("--processes", "1", "--threads", str(settings.worker.threads)),
        *("--worker-shutdown-timeout", str(GRACEFUL_S * 1000)),
        *(("--queues", *queues) if queues else ()),
    )
    return Unit(name=f"worker-{number}", command=command, stop_s=GRACEFUL_S + 5)


def workers(settings: Settings) -> list[Unit]:
    """As many worker processes as the settings say."""
    return [worker(number + 1, settings) for number in range(settings.worker.processes)]


def scheduler() -> Unit:
    """The clock."""
    return Unit(name="scheduler", command=(*script("periodiq"), "periodic"), stop_s=2)


def web(settings: Settings) -> Unit:
    """Pages and API."""
    block = settings.web
    host = f"[{block.host}]" if ":" in block.host else block.host
    command = (
        *script("gunicorn"),
        "web:create_app()",
        *("--bind", f"{host}:{block.port}", "--worker-class", "gthread"),
        *("--workers", str(block.processes), "--threads", str(block.threads)),
        *("--graceful-timeout", str(GRACEFUL_S), "--log-level", "warning", "--no-control-socket"),
    )
    return Unit(name="web", command=command, answers=lambda: _healthy(settings), stop_s=GRACEFUL_S + 2)


def address(settings: Settings) -> str:
    """Where the pages are, as a browser on this machine reaches them."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.web.host, settings.web.host)  # noqa: S104 - compared, not bound
    return f"http://{f'[{host}]' if ':' in host and host[0] != '[' else host}:{settings.web.port}"


def _connects(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def _healthy(settings: Settings) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address(settings)}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
