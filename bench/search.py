"""How long a search takes, stage by stage, against the same fetches, match and persist called bare.

    make bench-search [N=15]

One process: a real worker on a real PostgreSQL (fsync on), the sandbox market answering in 0 ms from another process,
real Chromium, warm. Runs of the queue and of the bare path alternate, so that noise of the machine meets both. The goal
is a wall time of at most 1.3 times the critical path.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dramatiq
import psycopg2
import psycopg2.extensions
import structlog

import config
import embedded
from ai.match import decide
from model import FALLBACK, FIRST, Job, JobStatus, Priority, Product
from store import attempts, databases, jobs, migrate, offers, prices
from store.pool import Pool
from store.spend import Spent
from tasks import broker, result
from tasks.queue import current_message
from tasks.runtime import runtime
from tasks.submit import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model import JobSource

ROOT = Path(__file__).parent.parent
CASES = {
    "first malls only": ("never", Product(code="B1", name="햇반 백미밥 210g", specification="24개")),
    "with the fallback round": ("always", Product(code="B2", name="햇반 백미밥 210g", specification="24개")),
}
GOAL = 1.3


COUNTS: dict[str, int] = {}


class Counting(psycopg2.extensions.cursor):  # type: ignore[misc]  # psycopg2 carries no types
    """Counts statements, by the stage whose thread runs them."""

    def execute(self, query: Any, args: Any = None) -> None:
        """Count, then run."""
        try:
            stage = current_message().actor_name
        except LookupError:
            stage = "submit, claims, leases"
        COUNTS[stage] = COUNTS.get(stage, 0) + 1
        super().execute(query, args)


@contextmanager
def market() -> Iterator[str]:
    """The sandbox market in a process of its own; gives its address."""
    command = [sys.executable, "-m", "sandbox", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().split()[-1]
        process.terminate()


def settings_for(url: str, fallback: str) -> config.Settings:
    """LPS on the sandbox, with this fallback policy."""
    env = {"LPS_SANDBOX__ON": "true", "NAVER_KEYS": "sandbox:sandbox", "LPS_SEARCH__FALLBACK": fallback}
    for mall in (*FIRST, *FALLBACK):
        env[f"LPS_{mall.upper()}__BASE_URL"] = f"{url}/{mall}"
        if mall != "naver":
            env[f"LPS_{mall.upper()}__OPERATOR_ACCEPTS_TERMS"] = "true"
    env["LPS_ST11__SHOP_URL"] = f"{url}/st11"
    return config.load(env=env)


def queued(pool: Pool, product: Product) -> tuple[float, Job]:
    """Submit and wait for the end; seconds, and the job."""
    started = time.perf_counter()
    job_id = submit(product, again=True).job_id
    with closing(pool.dedicated("bench")) as connection, connection.cursor() as cur:
        while True:
            # PostgreSQL waits, not this process: a busy loop here would slow the worker it measures.
            cur.execute("SELECT status, pg_sleep(0.002) FROM job WHERE job_id = %s", (job_id,))
            if cur.fetchone()[0] in (JobStatus.DONE, JobStatus.DEAD):
                took = time.perf_counter() - started
                break
    with pool.transaction() as cur:
        job = jobs.get(cur, job_id)
    assert job is not None
    if job.status is not JobStatus.DONE:
        raise SystemExit(f"the search is {job.status.name}: {job.error}")
    return took, job


def bare(pool: Pool, job: Job, sources: list[JobSource]) -> float:
    """The same queries, decisions and rows, without a queue; seconds."""
    asked = {s.mall: s.report.queries for s in sources if s.report}

    def read(mall: str) -> list[Any]:
        return [o for query in asked[mall] for o in runtime.fetch(mall, query, time.monotonic() + 30).offers]

    started = time.perf_counter()
    found: list[Any] = []
    with ThreadPoolExecutor(8) as threads:
        for malls in (FIRST, FALLBACK):
            here = [mall for mall in malls if mall in asked]
            if here:
                found += [offer for part in threads.map(read, here) for offer in part]
                match = decide(job.product, found, shipping=runtime.assumed_shipping)
    ordered = result.ordered(match)
    answer = result.build(job, sources, ordered, result.Bill(Spent(), ()))
    with pool.transaction() as cur:
        job_id = jobs.submit(
            cur, job.product, priority=Priority.INTERACTIVE, deadline_s=90, trace_id="bench", options={}
        )
        assert job_id
        offers.decide(cur, job_id, ordered)
        jobs.finish(cur, job_id, answer)
        prices.record(cur, job_id, job.product.code, result.lowest_by_mall(ordered))
    return time.perf_counter() - started


def hops(pool: Pool, job_id: str) -> list[tuple[str, float, float]]:
    """(stage, ms waited since the stage before it ended or the search began, ms run) in the order they ended."""
    with pool.transaction() as cur:
        job = jobs.get(cur, job_id)
        tries = attempts.of_job(cur, job_id)
    assert job is not None
    rows = []
    for one in tries:
        before = [t.ended_at for t in tries if t.ended_at <= one.started_at] or [job.created_at]
        rows.append((one.stage, (one.started_at - max(before)).total_seconds() * 1000, float(one.took_ms)))
    return rows


def measure(pool: Pool, url: str, runs: int) -> dict[str, Any]:
    """Both cases, both ways, alternating."""
    table: dict[str, Any] = {}
    for name, (fallback, product) in CASES.items():
        runtime.use(settings_for(url, fallback), pool)
        queued(pool, product)
        queue_s, bare_s, stages, statements = [], [], [], []
        for _ in range(runs):
            COUNTS.clear()
            took, job = queued(pool, product)
            statements.append(dict(COUNTS))
            with pool.transaction() as cur:
                sources = offers.sources(cur, job.job_id)
            queue_s.append(took)
            stages.append(hops(pool, job.job_id))
            bare_s.append(bare(pool, job, sources))
        table[name] = {
            "queue_ms": statistics.median(queue_s) * 1000,
            "bare_ms": statistics.median(bare_s) * 1000,
            "ratio": statistics.median(queue_s) / statistics.median(bare_s),
            "stages": _stages(stages, statements),
        }
    return table


def _stages(runs: list[list[tuple[str, float, float]]], statements: list[dict[str, int]]) -> list[dict[str, Any]]:
    names = list(dict.fromkeys(stage for run in runs for stage, _, _ in run))
    rows = []
    for name in [*names, "submit, claims, leases"]:
        waits = [wait for run in runs for stage, wait, _ in run if stage == name]
        works = [work for run in runs for stage, _, work in run if stage == name]
        counts = [count.get(name, 0) for count in statements]
        rows.append(
            {
                "stage": name,
                "wait_ms": statistics.median(waits) if waits else None,
                "run_ms": statistics.median(works) if works else None,
                "sql": statistics.median(counts),
            }
        )
    return rows


def show(table: dict[str, Any]) -> None:
    """Print the table, then the JSON."""
    for name, row in table.items():
        print(
            f"\n{name}: {row['queue_ms']:.0f} ms, critical path {row['bare_ms']:.0f} ms, ratio {row['ratio']:.2f} ",
            end="",
        )
        print(f"(goal ≤ {GOAL})")
        print(f"  {'stage':<24}{'wait ms':>9}{'run ms':>9}{'SQL':>6}")
        for stage in row["stages"]:
            wait, run = (f"{stage[key]:.1f}" if stage[key] is not None else "" for key in ("wait_ms", "run_ms"))
            print(f"  {stage['stage']:<24}{wait:>9}{run:>9}{stage['sql']:>6.0f}")
    print(json.dumps(table))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--database-url", help="a server on which a database may be made; default: an embedded one")
    args = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    with ExitStack() as stack:
        server = args.database_url or stack.enter_context(own_cluster())
        dsn = stack.enter_context(own_database(server))
        pool = Pool(dsn, size=12, application="lps bench", cursor_factory=Counting)
        stack.callback(pool.close)
        migrate.run(pool, "sandbox")
        url = stack.enter_context(market())
        runtime.use(settings_for(url, "never"), pool)
        worker = dramatiq.Worker(broker, worker_threads=8)
        worker.start()
        stack.callback(runtime.close)
        stack.callback(worker.stop)
        show(measure(pool, url, args.runs))


@contextmanager
def own_cluster() -> Iterator[str]:
    """An embedded PostgreSQL for this run."""
    with embedded.Cluster(embedded.test_home()) as cluster:
        yield cluster.url("postgres")
    embedded.remove(cluster.home)


@contextmanager
def own_database(server: str) -> Iterator[str]:
    """An empty database for this run."""

    def dsn(name: str) -> str:
        return f"{server.rsplit('/', 1)[0]}/{name}"

    name = f"lps_bench_{uuid.uuid4().hex[:12]}"
    databases.ensure(dsn, name)
    try:
        yield dsn(name)
    finally:
        databases.drop(dsn, name)


if __name__ == "__main__":
    main()
