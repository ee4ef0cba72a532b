"""The web process beside a bare Flask route on the same server: ratios in one run, medians of alternating rounds.

    make bench-web [JOBS=1000000]

An own PostgreSQL (fsync on), gunicorn as `lps up` starts it (1 process, 8 threads), 16 clients in threads of another
process. The bare routes are `INSERT` of one row and `SELECT 1` through the same pool. Goals: submission at 40 % of the
bare INSERT's rate, its p99 within 3 × its p50, a result page of 300 offers within 10 ×, the operators' overview with
a million finished searches within 15 × of SELECT 1, 200 open progress pages at half load within 20 %, pages of at most
60 kB, a process of at most 80 MB.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import flask
import psutil

import embedded
from embedded.waiting import free_port
from store import access, migrate
from store.keys import Wanted
from store.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent
CLIENTS, THREADS = 16, 8
URL = "LPS_DATABASE__URL"


def bare() -> flask.Flask:
    """One row, or nothing at all: what Flask, gunicorn and PostgreSQL cost by themselves."""
    app = flask.Flask("bare")
    pool = Pool(os.environ[URL], size=THREADS)  # noqa: TID251 - the bench hands it over so

    @app.post("/insert")
    def insert() -> dict[str, Any]:
        name = flask.request.get_json()["product_name"]
        with pool.autocommit() as cur:
            cur.execute("INSERT INTO bench (name) VALUES (%s) RETURNING id", (name,))
            return {"id": cur.fetchone()[0]}

    @app.get("/one")
    def one() -> dict[str, Any]:
        with pool.autocommit() as cur:
            cur.execute("SELECT 1")
            return {"one": cur.fetchone()[0]}

    return app


@contextlib.contextmanager
def gunicorn(app: str, env: dict[str, str], path: str) -> Iterator[tuple[int, psutil.Process]]:
    """An application under gunicorn: its port, and its one worker."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", app, "--bind", f"127.0.0.1:{port}", "--worker-class", "gthread"]
    env = env | {"MALLOC_ARENA_MAX": "2"}  # as cli/stack.py starts every process
    command += ["--workers", "1", "--threads", str(THREADS), "--log-level", "warning", "--no-control-socket"]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | env) as process:  # noqa: TID251 - handed on
        try:
            end = time.monotonic() + 60
            while time.monotonic() < end:
                with contextlib.suppress(OSError):
                    ask(port, "GET", path)
                    break
                threading.Event().wait(0.1)
            yield port, psutil.Process(process.pid).children()[0]
        finally:
            process.terminate()
            process.wait(30)


def ask(port: int, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> bytes:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers or {})
        answer = connection.getresponse()
        data = answer.read()
        if answer.status >= 400:
            raise SystemExit(f"{method} {path}: {answer.status} {data[:300]!r}")
        return data
    finally:
        connection.close()


def timed(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def load(call: Callable[[], object], seconds: float) -> tuple[float, list[float]]:
    """(calls a second, seconds of each) with all clients at once."""
    end, taken = time.monotonic() + seconds, list[float]()

    def client() -> None:
        while time.monotonic() < end:
            taken.append(timed(call))

    with ThreadPoolExecutor(CLIENTS) as clients:
        for _ in range(CLIENTS):
            clients.submit(client)
    return len(taken) / seconds, taken


def paced(call: Callable[[], object], rate: float, seconds: float) -> list[float]:
    """Seconds of each of so many calls a second, sent whether or not those before were answered (open loop)."""
    taken: list[float] = []

    def one(due: float) -> None:
        call()
        taken.append(time.monotonic() - due)

    with ThreadPoolExecutor(64) as clients:
        start = time.monotonic()
        for n in range(int(rate * seconds)):
            threading.Event().wait(max(0, start + n / rate - time.monotonic()))
            clients.submit(one, start + n / rate)
    return taken


@contextlib.contextmanager
def pollers(port: int, path: str, count: int) -> Iterator[None]:
    """Open progress pages: each asks every 2 s with the ETag it knows."""
    over = threading.Event()

    def page(n: int) -> None:
        known: dict[str, str] = {}
        over.wait(2 * n / count)
        while not over.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", path, headers=known)
            answer = connection.getresponse()
            answer.read()
            connection.close()
            known = {"If-None-Match": answer.headers["ETag"]}
            over.wait(2)

    threads = [threading.Thread(target=page, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def verdict(name: str, value: float, goal: float, unit: str = "×", *, least: bool = False) -> None:
    """One line of the table."""
    good = value >= goal if least else value <= goal
    print(f"  {name:52} {value:8.2f} {unit:3} goal {'≥' if least else '≤'} {goal:g}   {'ok' if good else 'MISSED'}")


def percentile(values: list[float], share: float) -> float:
    """The value below which this share lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def submissions(lps: int, plain: int, key: dict[str, str], rounds: int, seconds: float) -> float:
    """Rates of both, in turn; gives LPS's."""
    counter = itertools.count()
    header = {"Content-Type": "application/json"}

    def submit() -> None:
        ask(lps, "POST", "/v1/lps/search", {"product_name": f"상품 {next(counter)}호"}, header | key)

    def insert() -> None:
        ask(plain, "POST", "/insert", {"product_name": f"상품 {next(counter)}호"}, header)

    ours, bares, tails = [], [], []
    for _ in range(rounds):
        bares.append(load(insert, seconds)[0])
        rate, taken = load(submit, seconds)
        ours.append(rate)
        tails.append(percentile(taken, 0.99) / percentile(taken, 0.5))
    rate = statistics.median(ours)
    print(f"  submit {rate:.0f}/s, bare INSERT {statistics.median(bares):.0f}/s (16 clients)")
    shares = [own / bare_ for own, bare_ in zip(ours, bares, strict=True)]
    verdict("submission's rate of a bare INSERT's", statistics.median(shares), 0.4, least=True)
    verdict("submission's p99 of its p50", statistics.median(tails), 3)
    return rate


def pages(lps: int, plain: int, key: dict[str, str], result: str) -> None:
    """Reading: both pages against SELECT 1, in turn."""
    html = {"Accept": "text/html", **key}
    calls = {
        "one": lambda: ask(plain, "GET", "/one"),
        "result page with 300 offers": lambda: ask(lps, "GET", f"/jobs/{result}", headers=html),
        "operators' overview": lambda: ask(lps, "GET", "/ops", headers=html),
    }
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(60):
        for name, call in calls.items():
            taken[name].append(timed(call))
    one = statistics.median(taken.pop("one"))
    for (name, values), goal in zip(taken.items(), (10, 15), strict=True):
        print(f"  {name}: {statistics.median(values) * 1000:.1f} ms, SELECT 1: {one * 1000:.1f} ms")
        verdict(f"{name}, of SELECT 1", statistics.median(values) / one, goal)
    for name, path in (("result page", f"/jobs/{result}"), ("overview", "/ops")):
        page = ask(lps, "GET", path, headers=html).decode()
        linked = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
        weight = len(page.encode()) + sum(len(ask(lps, "GET", link.replace("&amp;", "&"))) for link in linked)
        verdict(f"weight of the {name}, its files included", weight / 1000, 60, "kB")


def polling(lps: int, key: dict[str, str], job: str, rate: float, seconds: float) -> None:
    """200 open pages beside submissions at half of what is possible."""
    counter = itertools.count()
    header = {"Content-Type": "application/json"} | key

    def submit() -> None:
        ask(lps, "POST", "/v1/lps/search", {"product_name": f"후보 {next(counter)}호"}, header)

    path = f"/v1/lps/jobs/{job}?view=progress"
    alone, beside = [], []
    for _ in range(3):
        alone.append(statistics.median(paced(submit, rate / 2, seconds)))
        with pollers(lps, path, 200):
            beside.append(statistics.median(paced(submit, rate / 2, seconds)))
    slower = statistics.median(beside) / statistics.median(alone)
    print(f"  p50 at {rate / 2:.0f}/s: {statistics.median(alone) * 1000:.1f} ms, with 200 pages open {slower:.2f} ×")
    verdict("submission's p50 beside 200 open pages", slower, 1.2)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1_000_000, help="finished searches in the table")
    parser.add_argument("--seconds", type=float, default=4, help="of one round")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    from bench.web_rows import finished_jobs, result_page, running_job  # clears the environment, as tests do

    home = embedded.test_home()
    with embedded.Cluster(home) as cluster:
        url = cluster.url("postgres")
        pool = Pool(url, size=2, statement_timeout_s=0)
        migrate.run(pool, "sandbox")
        with pool.transaction() as cur:
            cur.execute("CREATE TABLE bench (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL)")
            _, secret = access.new_key(cur, Wanted(name="bench", scopes=("admin",)), who="bench")
        key = {"Authorization": f"Bearer {secret}"}
        result, running = result_page(pool, 300), running_job(pool)
        finished_jobs(pool, args.jobs)
        env = {URL: url, "LPS_DATABASE__NAME": "postgres", "LPS_SANDBOX__ON": "true", "NAVER_KEYS": "a:b"}
        env |= {"LPS_WEB__RATE_PER_MIN": "100000000", "LPS_COUPANG__OPERATOR_ACCEPTS_TERMS": "true"}
        with (
            gunicorn("bench.web:bare()", env, "/one") as (plain, _),
            gunicorn("web:create_app()", env, "/healthz") as (lps, worker),
        ):
            pages(lps, plain, key, result)
            rate = submissions(lps, plain, key, args.rounds, args.seconds)
            polling(lps, key, running, rate, args.seconds)
            verdict("memory of the web process", worker.memory_info().rss / 1e6, 80, "MB")
        pool.close()
    embedded.remove(home)


if __name__ == "__main__":
    main()
