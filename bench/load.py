"""Searches an hour with 1, 2 and 4 worker processes, and how many connections they hold.

    make bench-load

An own PostgreSQL, the sandbox market (300 ms an answer, http fetcher, all five malls), submitted all at once. The
machine's cores are shared by all of it, so the ratios say less than on machines of their own; the connections do not.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import embedded
from model import Product
from sandbox.catalogue import products
from store import migrate
from store.pool import Pool
from tests.chaos.faults import BIN, ROOT
from tests.chaos.run import environment, new_database

LATENCY_MS = 300
BUDGET = 40


def market() -> tuple[subprocess.Popen[str], str]:
    """The sandbox market and its address."""
    command = [sys.executable, "-m", "sandbox", "--port", "0", "--latency-ms", str(LATENCY_MS)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    return process, process.stdout.readline().split()[-1]


def run(cluster: embedded.Cluster, address: str, workers: int, searches: int) -> dict[str, Any]:
    """One measurement with so many worker processes."""
    folder = Path(tempfile.mkdtemp(prefix="lps-load-"))
    url = new_database(cluster, f"lps_load_{workers}_{time.time_ns()}")
    env = environment("http", url, address, folder) | {
        "LPS_QUEUE__LEASE_S": "30",
        "LPS_WORKER__PROCESSES": str(workers),
        "LPS_SEARCH__DEADLINE_S": "600",
        "DB_CONNECTION_BUDGET": str(BUDGET),
        "WORKER_CONCURRENCY": "4",
    }
    env |= {f"LPS_{mall}__MIN_GAP_S": "0" for mall in ("NAVER", "COUPANG", "GMARKET", "AUCTION", "ST11")}
    with closing(Pool(url, size=2, application="bench load")) as pool, (folder / "log").open("ab") as log:
        migrate.run(pool, "sandbox")
        command = [str(BIN / "dramatiq"), "tasks", "--processes", "1", "--threads", "8"]
        units = [subprocess.Popen(command, env=env, cwd=ROOT, stdout=log, stderr=log) for _ in range(workers)]
        try:
            return measured(pool, units, workers, searches)
        finally:
            for unit in units:
                unit.terminate()
            for unit in units:
                unit.wait(40)


def measured(pool: Pool, units: list[Any], workers: int, searches: int) -> dict[str, Any]:
    """Submit everything, wait for the last, count connections meanwhile."""
    pause = threading.Event()
    while count(pool, "SELECT count(*) FROM worker WHERE stopped_at IS NULL") < workers:
        pause.wait(0.2)
        assert all(unit.poll() is None for unit in units)
    submit(pool, searches)
    started, most = time.monotonic(), 0
    while count(pool, "SELECT count(*) FROM job WHERE status IN (1, 2)"):
        most = max(most, count(pool, "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'lps %%'"))
        pause.wait(0.2)
    took = time.monotonic() - started
    found = count(pool, "SELECT count(*) FROM job WHERE result->>'outcome' = 'found'")
    return {"workers": workers, "searches": searches, "found": found, "took_s": round(took, 2),
            "per_hour": round(searches / took * 3600), "connections": most}  # fmt: skip


def submit(pool: Pool, searches: int) -> None:
    """As tasks.submit does it, by this process."""
    import config
    from tasks.runtime import runtime
    from tasks.submit import submit as submit_one

    env = {"LPS_SANDBOX__ON": "true", "LPS_SEARCH__FALLBACK": "always", "NAVER_KEYS": "a:b"}
    env |= {f"LPS_{mall}__OPERATOR_ACCEPTS_TERMS": "true" for mall in ("COUPANG", "GMARKET", "AUCTION", "ST11")}
    runtime.use(config.load(env=env | {"LPS_SEARCH__DEADLINE_S": "600"}), pool)
    goods = [product.request for product in products()]
    for n in range(searches):
        good = goods[n % len(goods)]
        submit_one(Product(code=f"L{n}", name=good.name, specification=good.specification), again=True)


def count(pool: Pool, sql: str) -> int:
    """The one number of a statement."""
    with pool.autocommit() as cur:
        cur.execute(sql)
        return int(cur.fetchone()[0])


def main() -> int:
    """Print the table; exit 1 when connections exceed the budget or a search did not end found or empty."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=120)
    options = parser.parse_args()
    with ExitStack() as stack:
        cluster = stack.enter_context(embedded.Cluster(embedded.test_home()))
        stack.callback(embedded.remove, cluster.home)
        process, address = market()
        stack.callback(process.wait)
        stack.callback(process.terminate)
        rows = [run(cluster, address, workers, options.searches) for workers in (1, 2, 4)]
    print(f"{'workers':>8} {'searches':>9} {'found':>6} {'s':>7} {'per hour':>9} {'ratio':>6} {'connections':>12}")
    for row in rows:
        ratio = row["per_hour"] / rows[0]["per_hour"]
        print(f"{row['workers']:>8} {row['searches']:>9} {row['found']:>6} {row['took_s']:>7} {row['per_hour']:>9,}"
              f" {ratio:>6.2f} {row['connections']:>5} of {BUDGET}")  # fmt: skip
    print(json.dumps(rows))
    return 0 if all(row["connections"] <= BUDGET for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
