"""Five hosts, one database: a crawler is cut off amid its crawls and comes back; nothing is lost or doubled.

    make test-hosts          (root, `ip netns`; about five minutes)

Network namespaces with names and addresses of their own: two crawlers, a light worker with a clock, a second clock, the
web. PostgreSQL, the sandbox market and the proxy gate are on this machine, reached over the bridge. Malls are read by
the http fetcher through leased ports. Exit 1 when something does not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

import embedded
from model import MALLS
from sandbox.catalogue import products
from sandbox.gate import PASSWORD, USER, Gate
from sandbox.server import serve
from store import access, keys, migrate
from store.pool import Pool
from tests.chaos import invariants
from tests.chaos.faults import BIN
from tests.chaos.run import new_database
from tests.hosts.net import HERE, Host, Network, environment

LEASE_S = 10
CUT_S = 100
PORTS = 6
WATCHED = """
CREATE TABLE lease_log (at timestamptz, host text, port int, was uuid, now uuid, taken bool);
CREATE FUNCTION watch_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO lease_log VALUES (lps.now(), NEW.host, NEW.port, OLD.lease_owner, NEW.lease_owner,
    OLD.lease_owner IS NOT NULL AND NEW.lease_owner IS NOT NULL AND OLD.lease_until > lps.now());
  RETURN NEW; END $$;
CREATE TRIGGER watch_lease BEFORE UPDATE ON proxy_port FOR EACH ROW
  WHEN (OLD.lease_owner IS DISTINCT FROM NEW.lease_owner) EXECUTE FUNCTION watch_lease();
"""
"""Every change of a port's holder; `taken` = from a holder whose lease still ran."""


def settings(network: Network, database: str, market: int, gate: Gate) -> dict[str, str]:
    """As every host has them."""
    for port in (market, *gate.ports):
        network.offer(port)
    malls = {f"LPS_{mall.upper()}__BASE_URL": f"http://{HERE}:{market}/{mall}" for mall in MALLS}
    pages = [mall.upper() for mall in MALLS if mall != "naver"]
    return environment(
        **malls,
        **{f"LPS_{mall}__FETCHER": "http" for mall in pages},
        **{f"LPS_{mall}__OPERATOR_ACCEPTS_TERMS": "true" for mall in pages},
        LPS_ST11__SHOP_URL=f"http://{HERE}:{market}/st11",
        LPS_DATABASE__URL=database,
        LPS_DATABASE__NAME=database.rsplit("/", 1)[1],
        LPS_SANDBOX__ON="true",
        LPS_SEARCH__FALLBACK="always",
        LPS_QUEUE__LEASE_S=LEASE_S,
        LPS_PROXY__HOST=HERE,
        LPS_PROXY__PORT=gate.ports[0],
        LPS_PROXY__PORTS=PORTS,
        LPS_PROXY__USER=USER,
        LPS_PROXY__PASSWORD=PASSWORD,
        LPS_PROXY__IP_URL="http://ip.decodo.com/json",
        LPS_SESSION__LEASE_S=LEASE_S,
        LPS_SESSION__GAP_S="0.2",
        LPS_ALERT__WORKER_DOWN__FOR_S="0",
        LPS_ALERT__WORKER_DOWN__KEEP_S="0",
        NAVER_KEYS="sandbox:sandbox",
        WORKER_CONCURRENCY="2",
    )


def start(hosts: dict[str, Host], env: dict[str, str], folder: Path) -> None:
    """Two crawlers, a light worker with a clock, a second clock, the web."""
    crawler = ["coupang", "gmarket", "auction", "st11", "canary"]
    queues = {"crawler1": crawler, "crawler2": crawler, "light": ["naver", "match", "persist", "outbox", "ops"]}
    for name, served in queues.items():
        own = env | {"LPS_WORKER__HEARTBEAT_FILE": str(folder / f"{name}.beat")}
        command = [str(BIN / "dramatiq"), "tasks", "--processes", "1", "--threads", "8", "--queues", *served]
        hosts[name].start(command, own, folder)
    for name in ("light", "clock"):
        hosts[name].start([str(BIN / "periodiq"), "periodic"], env, folder)
    web = env | {"LPS_WEB__HOST": "0.0.0.0", "LPS_WEB__OPEN": "sandbox"}  # noqa: S104 - a namespace of its own
    hosts["web"].start([str(BIN / "gunicorn"), "web:create_app()", "--bind", "127.0.0.1:9600", "--bind",
                        f"{hosts['web'].address}:9600", "--worker-class", "gthread", "--threads", "8",
                        "--no-control-socket"], web, folder)  # fmt: skip


@dataclass(frozen=True)
class Web:
    """Where searches are submitted, and with which key."""

    address: str
    key: str


def submit(web: Web, names: list[tuple[str, str]], every_s: float, submitted: set[str]) -> None:
    """One search after the other over HTTP."""
    pause, head = threading.Event(), {"Authorization": f"Bearer {web.key}"}
    for n, (name, spec) in enumerate(names):
        body = {"product_code": f"H{n}", "product_name": name, "specification": spec, "again": True}
        answer = requests.post(f"{web.address}/v1/lps/search", json=body, headers=head, timeout=10)
        if answer.status_code not in (200, 202):
            sys.stderr.write(f"submit: {answer.status_code} {answer.text[:200]}\n")
            return
        submitted.add(answer.json()["job_id"])
        pause.wait(every_s)


def ended(pool: Pool, seconds: float) -> bool:
    """Whether every search ends within the time."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while time.monotonic() < end:
        with pool.autocommit() as cur:
            if invariants.number(cur, "SELECT count(*) FROM job WHERE status IN (1, 2)") == 0:
                return True
        pause.wait(1)
    return False


_EVENTS = "SELECT count(*) FROM alert_event WHERE rule = 'worker_down' AND labels = 'crawler1' AND event = "
_NUMBERS = {
    "taken": "SELECT count(*) FROM lease_log WHERE taken",
    "leases": "SELECT count(*) FROM lease_log WHERE now IS NOT NULL",
    "over": "SELECT count(*) FROM crawl_session WHERE requests > 3",
    "back": "SELECT count(*) FROM attempt WHERE error_type = 'WorkerGoneError'",
    "fired": _EVENTS + "'fired'",
    "resolved": _EVENTS + "'resolved'",
    "doubled": """SELECT count(*) FROM (SELECT FROM alert_event WHERE event = 'fired'
      GROUP BY rule, labels, date_trunc('minute', at) HAVING count(*) > 1) AS twice""",
    "crawlers": "SELECT count(DISTINCT worker) FROM attempt WHERE stage = 'coupang' AND outcome = 'ok'",
}


def seen(pool: Pool) -> list[tuple[str, bool, Any]]:
    """What is asked for beside the invariants of the database."""
    with pool.transaction() as cur:
        n = {name: invariants.number(cur, sql) for name, sql in _NUMBERS.items()}
    return [
        ("no port taken from a holder whose lease ran", n["taken"] == 0 < n["leases"], n["leases"]),
        ("no address asked for a fourth page", n["over"] == 0, n["over"]),
        ("stages of the cut host were taken back", n["back"] > 0, n["back"]),
        ("worker_down raised for it, once", n["fired"] == 1, n["fired"]),
        ("and resolved after it came back", n["resolved"] == 1, n["resolved"]),
        ("two clocks told nothing twice", n["doubled"] == 0, n["doubled"]),
        ("both crawlers worked", n["crawlers"] >= 2, n["crawlers"]),
    ]


def main() -> int:
    """Run it; print what held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=90)
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("ip"):
        raise SystemExit("needs root and iproute2")
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="lps-hosts-"))
        cluster = stack.enter_context(embedded.Cluster(embedded.test_home()))
        stack.callback(embedded.remove, cluster.home)
        url = new_database(cluster, "lps_hosts")
        pool = Pool(url, size=3, application="hosts test")
        stack.callback(pool.close)
        migrate.run(pool, "sandbox")
        with pool.transaction() as cur:
            cur.execute(WATCHED)
        market = stack.enter_context(serve(port=0, latency_ms=1500))
        market.set_scenario("coupang", "ip_budget", "3")
        market_port = int(market.url.rsplit(":", 1)[1])
        gate = stack.enter_context(Gate(market_port, ports=PORTS))
        network = stack.enter_context(Network(["crawler1", "crawler2", "light", "clock", "web"]))
        port = int(url.rsplit(":", 1)[1].split("/")[0])
        network.offer(port)
        env = settings(network, url.replace("127.0.0.1", HERE), market_port, gate)
        start(network.hosts, env, folder)
        return play(network, pool, folder, options.searches)


def play(network: Network, pool: Pool, folder: Path, searches: int) -> int:
    """Submit, cut, bring back, wait, look."""
    web, pause, submitted = f"http://{network.hosts['web'].address}:9600", threading.Event(), set[str]()
    answering(web, pause)
    with pool.transaction() as cur:
        _, key = access.new_key(cur, keys.Wanted(name="hosts", scopes=("submit", "read")), who="test")
    thread = threading.Thread(target=submit, args=(Web(web, key), wanted(searches), 180 / searches, submitted))
    thread.start()
    pause.wait(25)
    busy(pool, "crawler1")
    sys.stderr.write("crawler1 is cut off\n")
    network.hosts["crawler1"].pull()
    pause.wait(CUT_S)
    network.hosts["crawler1"].plug()
    sys.stderr.write("crawler1 is back\n")
    thread.join()
    over = ended(pool, 240)
    pause.wait(130)  # two ticks of the clock: the alert ends
    shown: list[tuple[str, bool, Any]] = [("every search ended", over, len(submitted))]
    shown += [(check.name, check.broken == 0, check.broken) for check in invariants.checks(pool, submitted)]
    shown += seen(pool)
    for what, good, value in shown:
        sys.stdout.write(f"{'ok ' if good else 'BAD'} {what}: {value}\n")
    for name, value in {**invariants.counts(pool), **sources(pool)}.items():
        sys.stdout.write(f"    {name}: {value}\n")
    sys.stdout.write(f"logs in {folder}\n")
    return 0 if all(good for _, good, _ in shown) else 1


def sources(pool: Pool) -> dict[str, int]:
    """What the malls answered, for the record."""
    with pool.autocommit() as cur:
        cur.execute("SELECT 'sources ' || outcome, count(*) FROM job_source GROUP BY outcome ORDER BY 2 DESC")
        return dict(cur.fetchall())


def busy(pool: Pool, host: str) -> None:
    """Wait until this host reads at least two pages."""
    pause = threading.Event()
    for _ in range(600):
        with pool.autocommit() as cur:
            cur.execute(
                "SELECT count(*) FROM dramatiq.queue q JOIN worker w ON w.worker_id = q.owner"
                " WHERE q.state = 'consumed' AND w.host = %s",
                (host,),
            )
            if cur.fetchone()[0] >= 2:
                return
        pause.wait(0.1)
    raise SystemExit(f"{host} reads nothing: the test would show nothing")


def answering(web: str, pause: threading.Event) -> None:
    """Wait until the web is ready."""
    for _ in range(60):
        with contextlib.suppress(requests.RequestException):
            if requests.get(f"{web}/readyz", timeout=2).status_code == 200:
                return
        pause.wait(1)
    raise SystemExit("the web is not ready within a minute")


def wanted(searches: int) -> list[tuple[str, str]]:
    """So many products, the catalogue's in turn."""
    goods = [product.request for product in products()]
    return [(goods[n % len(goods)].name, goods[n % len(goods)].specification) for n in range(searches)]


if __name__ == "__main__":
    sys.exit(main())
