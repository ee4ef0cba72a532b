"""`lps load`: submits products to a running LPS and says how long they took and what they cost."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from statistics import quantiles
from typing import Any

import click
import requests

from cli import place, running
from errors import LpsError, Setup

POLL_S = 0.5
GOODS = (
    ("햇반 백미밥 210g", "24개"),
    ("삼다수 2L", "6개"),
    ("신라면 120g", "40개"),
    ("코카콜라 355ml", "24캔"),
    ("맥심 모카골드 마일드 커피믹스", "100개입"),
    ("더블에이 A4 80g", "2500매"),
    ("크리넥스 물티슈 100매", "10팩"),
    ("스팸 클래식 200g", "10개"),
)
"""Searched in turn, each time as a product of its own; what the sandbox does not know ends `not_found`."""


@dataclass(frozen=True, slots=True)
class Ended:
    """One search that ended."""

    seconds: float
    outcome: str
    metrics: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Target:
    """Where to submit."""

    address: str
    key: str

    def ask(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """One request.

        Raises:
            LpsError: it was refused, with what the server said.
        """
        head = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            with requests.Session() as session:
                # The web is this machine's, or the operator's: no proxy of the environment leads there.
                session.trust_env = False
                method = "GET" if body is None else "POST"
                answer = session.request(method, self.address + path, json=body, headers=head, timeout=30)
        except requests.RequestException as error:
            raise LpsError(f"{self.address} does not answer: {error}") from error
        if not answer.ok:
            raise LpsError(f"{path}: HTTP {answer.status_code} {answer.text[:300]}")
        found: dict[str, Any] = answer.json()
        return found


@click.command()
@click.option("-n", "--number", type=click.IntRange(1, 100_000), default=8, show_default=True, help="Searches.")
@click.option(
    "--at-once", type=click.IntRange(1, 200), default=32, show_default=True, help="Submitted and not yet ended."
)
@click.option("--web", default="", help="Address of the web; by default the running `lps up`'s.")
@click.option("--key", default="", help="API key; by default the running `lps up`'s.")
def load(*, number: int, at_once: int, web: str, key: str) -> int:
    """Submit products and report throughput, p50 and p95, and what they cost.

    Searches wait in the queue while all workers are busy: that is what is measured. Exit status 1 if one did not end.
    """
    target = _target(web, key)
    started = time.monotonic()
    goods = list(itertools.islice(itertools.cycle(GOODS), number))
    with ThreadPoolExecutor(at_once) as threads:
        ended = list(threads.map(lambda pair: _search(target, *pair), enumerate(goods)))
    took = time.monotonic() - started
    print("\n".join(report(ended, took)))
    return 0 if all(one.outcome not in ("dead", "late") for one in ended) else 1


def report(ended: list[Ended], took: float) -> list[str]:
    """The lines that are printed: of searches that ended, over `took` seconds."""
    seconds = sorted(one.seconds for one in ended)
    cuts = quantiles(seconds, n=20, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 19
    outcomes = sorted({one.outcome for one in ended})
    ai, proxy, total = (sum((_cost(one, name) for one in ended), Decimal(0)) for name in ("ai", "proxy", "total"))
    carried = sum(int((one.metrics.get("crawl") or {}).get("proxy_bytes") or 0) for one in ended)
    return [
        f"searches    {len(ended)} in {took:.1f} s = {len(ended) / took * 3600:,.0f} an hour",
        f"latency     p50 {cuts[9]:.2f} s  p95 {cuts[18]:.2f} s  max {seconds[-1]:.2f} s",
        "outcomes    " + "  ".join(f"{name} {sum(one.outcome == name for one in ended)}" for name in outcomes),
        f"cost        AI {ai:.6f} USD  proxy {proxy:.6f} USD ({carried:,} bytes)  total {total:.6f} USD",
    ]


def _target(web: str, key: str) -> Target:
    if web:
        return Target(web.rstrip("/"), key)
    up = running.find()
    if up is None:
        raise Setup("no `lps up` runs here: start it, or name the web with --web")
    own = place.STATE / "api.key"
    return Target(up.web.rstrip("/"), key or (own.read_text(encoding="utf-8").strip() if own.exists() else ""))


def _search(target: Target, n: int, good: tuple[str, str]) -> Ended:
    body = {"product_code": f"LOAD{n}", "product_name": good[0], "specification": good[1], "again": True}
    started, pause = time.monotonic(), threading.Event()
    job_id = target.ask("/v1/lps/search", body)["job_id"]
    while True:
        job = target.ask(f"/v1/lps/jobs/{job_id}")
        seconds = time.monotonic() - started
        if job.get("finished_at"):
            result = job.get("result") or {}
            outcome = result.get("outcome") or ("dead" if job.get("error") else "cancelled")
            return Ended(seconds, str(outcome), result.get("metrics") or {})
        if seconds > 600:
            sys.stderr.write(f"{job_id}: not ended after {seconds:.0f} s\n")
            return Ended(seconds, "late", {})
        pause.wait(POLL_S)


def _cost(one: Ended, name: str) -> Decimal:
    return Decimal(str((one.metrics.get("cost") or {}).get(f"{name}_usd") or 0))
