"""Searches while workers are killed, frozen and cut off from PostgreSQL, and what must hold afterwards.

    make chaos                       both runs, five minutes each
    .venv/bin/python -m tests.chaos.run --minutes 1 --only http

An own PostgreSQL (fsync on), the sandbox market, four worker units and the clock; faults at random moments, the same
for the same `--seed`: SIGKILL, SIGSTOP beyond the lease and back, `restart -m immediate`. Beside it, on the same server
and under the same faults, a chain of stages on stock dramatiq-pg, for the record. Exit 1 if an invariant is broken.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg2
import requests
import structlog

import config
import embedded
from errors import DatabaseDown
from model import MALLS, Product
from sandbox.catalogue import ABSENT, products
from store import migrate
from store.pool import Pool
from tests.chaos import invariants
from tests.chaos.faults import BIN, ROOT, Faults, Unit, schedule

if TYPE_CHECKING:
    from collections.abc import Iterator

UNITS = 4
LEASE_S = 6.0
TICK_S = LEASE_S / 3
"""Every worker's hub reaps that often."""
SEARCHES = {"http": 100, "browser": 13}
"""A minute; five minutes make 500 and 65."""
LATENCY_MS = {"http": 800, "browser": 300}
"""How long a mall takes to answer: there is a middle to be killed in."""


@dataclass
class World:
    """One run's surroundings."""

    kind: str
    minutes: float
    env: dict[str, str]
    pool: Pool
    faults: Faults
    units: list[Unit]
    beside: list[Unit]
    stock: Any
    """`tests.chaos.stock`, loaded with this run's database."""
    market: str
    submitted: set[str] = field(default_factory=set)
    refused: int = 0
    latest_lease_s: float = 0


def environment(kind: str, url: str, market: str, folder: Path) -> dict[str, str]:
    """LPS on this run's database and market."""
    env = {
        "PATH": os.environ["PATH"],
        "TMPDIR": str(folder),
        "HOME": str(folder),
        "LPS_DATABASE__URL": url,
        "LPS_DATABASE__NAME": url.rsplit("/", 1)[1],
        "LPS_SANDBOX__ON": "true",
        "LPS_SEARCH__FALLBACK": "always" if kind == "http" else "when_unmatched",
        "LPS_QUEUE__LEASE_S": f"{LEASE_S:g}",
        "LPS_WORKER__PROCESSES": str(UNITS),
        "LPS_WORKER__HEARTBEAT_FILE": str(folder / "heartbeat"),
        "LPS_LOG__LEVEL": "warning",
        "LPS_ST11__SHOP_URL": f"{market}/st11",
        "NAVER_KEYS": "sandbox:sandbox",
        "LPS_AI__API_KEY": "sandbox",
        "LPS_AI__BASE_URL": f"{market}/ai/v1",
    }
    for mall in MALLS:
        env[f"LPS_{mall.upper()}__BASE_URL"] = f"{market}/{mall}"
        if mall != "naver":
            env[f"LPS_{mall.upper()}__OPERATOR_ACCEPTS_TERMS"] = "true"
            if kind == "http":
                env[f"LPS_{mall.upper()}__FETCHER"] = "http"
    return env


@contextmanager
def market(kind: str) -> Iterator[str]:
    """The sandbox market in a process of its own; gives its address."""
    command = [sys.executable, "-m", "sandbox", "--port", "0", "--latency-ms", str(LATENCY_MS[kind])]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().split()[-1]
        process.terminate()


@contextmanager
def world(kind: str, minutes: float, seed: int) -> Iterator[World]:
    """Everything of one run; what it started is gone afterwards."""
    with ExitStack() as stack:
        cluster = stack.enter_context(embedded.Cluster(embedded.test_home()))
        stack.callback(embedded.remove, cluster.home)
        folder = Path(tempfile.mkdtemp(prefix="lps-chaos-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        url, stock_url = (new_database(cluster, name) for name in ("lps_chaos", "stock_chaos"))
        pool = Pool(url, size=3, timeout_s=2, application="chaos")
        stack.callback(pool.close)
        migrate.run(pool, "sandbox")
        address = stack.enter_context(market(kind))
        env = environment(kind, url, address, folder)
        log = Path(tempfile.gettempdir()) / f"lps-chaos-{kind}.log"
        log.unlink(missing_ok=True)
        dramatiq = [str(BIN / "dramatiq"), "--processes", "1", "--threads"]
        ours = [Unit(f"worker-{n}", [*dramatiq, "8", "tasks"], env, log) for n in range(UNITS)]
        clock = Unit("clock", [str(BIN / "periodiq"), "periodic"], env, log)
        stock, beside = stock_units(stock_url, env, dramatiq)
        faults = Faults(cluster, [[*ours, clock], beside], schedule(seed, minutes * 60, UNITS, LEASE_S))
        stack.callback(lambda: [unit.stop(1) for unit in (*ours, clock, *beside)])
        yield World(kind, minutes, env, pool, faults, [*ours, clock], beside, stock, address)


def stock_units(url: str, env: dict[str, str], dramatiq: list[str]) -> tuple[Any, list[Unit]]:
    """Stock dramatiq-pg with as many workers."""
    os.environ["CHAOS_STOCK_URL"] = url
    sys.modules.pop("tests.chaos.stock", None)
    stock = importlib.import_module("tests.chaos.stock")
    stock.setup()
    log = Path(os.devnull)
    beside = {**env, "CHAOS_STOCK_URL": url}
    return stock, [Unit(f"stock-{n}", [*dramatiq, "4", "tests.chaos.stock"], beside, log) for n in range(UNITS)]


def new_database(cluster: embedded.Cluster, name: str) -> str:
    """An empty database; it goes with the cluster."""
    with closing(psycopg2.connect(cluster.url())) as connection:
        connection.autocommit = True
        connection.cursor().execute(f'CREATE DATABASE "{name}"')
    return cluster.url(name)


def wanted(number: int) -> Product:
    """The goods of the market in turn, now and then what it has not, each under a code of its own."""
    goods = [product.request for product in products()]
    asked = ABSENT if number % 20 == 19 else goods[number % len(goods)]
    return Product(code=f"CHAOS-{number}", name=asked.name, specification=asked.specification)


def drive(here: World, say: Any) -> None:
    """Submit and let things happen, then wait until all is quiet."""
    from tasks.runtime import runtime

    runtime.use(config.load(env=here.env), here.pool)
    total, started, tick = round(SEARCHES[here.kind] * here.minutes), time.monotonic(), threading.Event()
    stock = threading.Thread(target=submit_stock, args=(here.stock, total, here.minutes * 60), daemon=True)
    stock.start()
    seconds, sent, said = here.minutes * 60, 0, 0.0
    while (now := time.monotonic() - started) < seconds:
        here.faults.step(now)
        if sent < total and now >= sent * (seconds - 5) / total and submit(here, sent):
            sent += 1
        watch_leases(here)
        if now - said >= 30:
            said = now
            say(f"  {now:3.0f} s: {sent} searches sent, {here.faults.counts}")
        tick.wait(0.05)
    here.faults.over()
    while sent < total:
        sent += submit(here, sent)
    stock.join(60)
    quiet(here, 150)


def submit(here: World, number: int) -> bool:
    """Send one search; False when the database was away: it is sent again, and counts once."""
    from tasks.submit import submit as start

    try:
        here.submitted.add(start(wanted(number), again=True).job_id)
    except DatabaseDown:
        here.refused += 1
        return False
    return True


def submit_stock(stock: Any, total: int, seconds: float) -> None:
    """The same number over the same time; stock blocks while the database is away."""
    started, tick = time.monotonic(), threading.Event()
    for number in range(total):
        tick.wait(max(0.0, started + number * (seconds - 5) / total - time.monotonic()))
        for _ in range(5):
            try:
                stock.submit(number)
                break
            except Exception:  # noqa: BLE001 — whatever it raises while the database is away; it is only compared
                tick.wait(1)


def watch_leases(here: World) -> None:
    """How late the reapers are, while they have a database and time to have come round in it."""
    with contextlib.suppress(DatabaseDown):
        late = invariants.latest_lease_s(here.pool)
        if time.monotonic() - here.faults.up_since > 2 * TICK_S + 3:
            here.latest_lease_s = max(here.latest_lease_s, late)


def quiet(here: World, seconds: float) -> None:
    """Until nothing is open any more on ours, and on stock or its half of the time is over."""
    deadline, tick = time.monotonic() + seconds, threading.Event()
    open_ours = "SELECT (SELECT count(*) FROM job WHERE status IN (1, 2)) + (SELECT count(*) FROM dramatiq.queue"
    open_ours += " WHERE state IN ('queued', 'consumed') AND queue_name <> 'ops')"
    ours = 1
    while time.monotonic() < deadline:
        here.faults.step(0)
        with contextlib.suppress(DatabaseDown), here.pool.autocommit() as cur:
            ours = invariants.number(cur, open_ours)
        watch_leases(here)
        if not ours and (not here.stock.open_messages() or time.monotonic() > deadline - seconds / 2):
            return
        tick.wait(0.5)


def report(here: World, folder: str, say: Any) -> bool:
    """Print what is held against what; True if everything holds."""
    stopped = [unit.stop() for unit in here.units]
    for unit in here.beside:
        unit.stop(3)
    left = invariants.processes_with(folder)
    checks = invariants.checks(here.pool, here.submitted)
    billed = requests.get(f"{here.market}/_sandbox/counts", timeout=10).json()["ai"]
    ledger = invariants.ledger(here.pool, billed, sum(here.faults.counts.values()))
    checks += ledger.checks
    checks.append(invariants.Check("processes and browsers left", len(left)))
    checks.append(invariants.Check("leases older than two reaper ticks", int(here.latest_lease_s > 2 * TICK_S)))
    say(f"  faults: {here.faults.counts}; workers started {sum(unit.starts for unit in here.units)} times; "
        f"oldest lease over by {here.latest_lease_s:.1f} s (tick {TICK_S:g} s); slowest stop {max(stopped):.1f} s; "
        f"submissions refused while PostgreSQL was away: {here.refused}")  # fmt: skip
    found = invariants.counts(here.pool)
    say("  " + ", ".join(f"{name} {count}" for name, count in found.items()))
    say(f"  paid calls: {ledger.text}")
    for check in checks:
        say(f"  {'ok    ' if not check.broken else 'BROKEN'} {check.name}: {check.broken}")
    for line in left:
        say(f"         {line}")
    stock = here.stock.counts()
    say("  beside it, stock dramatiq-pg: " + ", ".join(f"{name} {count}" for name, count in stock.items()))
    broken = {check.name: check.broken for check in checks if check.broken}
    say(json.dumps({"kind": here.kind, "counts": found, "stock": stock, "broken": broken}))
    return not broken


def main() -> int:
    """Both runs, or one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5, help="of faults, for each run (default 5)")
    parser.add_argument("--only", choices=tuple(SEARCHES), help="one of the runs")
    parser.add_argument("--seed", type=int, default=20261201)
    args = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    logging.disable(logging.CRITICAL)

    def say(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    good = True
    for kind in [args.only] if args.only else SEARCHES:
        say(f"chaos, {kind}: {args.minutes:g} min, seed {args.seed}, {UNITS} workers, lease {LEASE_S:g} s")
        with world(kind, args.minutes, args.seed) as here:
            drive(here, say)
            good = report(here, here.env["TMPDIR"], say) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
