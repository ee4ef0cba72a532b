"""Two real processes on the same ports, and one that is killed while it holds some."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from store import proxies
from tests.conftest import ROOT
from tests.tasks.proxied import world
from tests.tasks.replica import LEASE_S

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Database
    from tests.tasks.proxied import World


def replica(here: World, log: Path, seconds: float) -> subprocess.Popen[bytes]:
    """Start one."""
    ports = here.gate.ports
    said = [here.database.url, str(log), str(seconds), str(ports[0]), str(len(ports))]
    return subprocess.Popen([sys.executable, "-m", "tests.tasks.replica", *said], cwd=ROOT, stderr=subprocess.PIPE)


def held(log: Path, until: float) -> dict[int, list[tuple[float, float]]]:
    """Port → when it was held, from … to; a holder that was killed held it until `until`."""
    begun: dict[str, tuple[int, float]] = {}
    spans: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for line in log.read_text(encoding="utf-8").splitlines():
        what, port, lease, at = line.split()
        if what == "taken":
            begun[lease] = int(port), float(at)
        else:
            number, since = begun.pop(lease)
            spans[number].append((since, float(at)))
    for number, since in begun.values():
        spans[number].append((since, max(since, until)))
    return {number: sorted(rows) for number, rows in spans.items()}


def test_no_port_is_ever_held_twice(db: Database, tmp_path: Path) -> None:
    """Two replicas of four threads on six ports: no two spans of a port overlap, no address asks for a fourth page."""
    log = tmp_path / "leases"
    with world(db, ports=6) as here:
        for mall in ("coupang", "gmarket", "auction", "st11"):
            here.market.set_scenario(mall, "ip_budget", "3")
        running = [replica(here, log, 4) for _ in range(2)]
        said = [one.communicate(timeout=60)[1] for one in running]
        assert [b"", b""] == said
        spans = held(log, time.monotonic())
        assert sum(map(len, spans.values())) > 20
        for rows in spans.values():
            assert all(before[1] <= after[0] for before, after in pairwise(rows))
        assert max(here.pages().values()) <= 3
        assert [(0,)] == here.rows("SELECT count(*) FROM bot_detection")
        assert [(0,)] == here.rows("SELECT count(*) FROM proxy_port WHERE lease_owner IS NOT NULL")
        assert {str(here.gate.total_bytes())} == {
            str(total) for (total,) in here.rows("SELECT sum(bytes) FROM crawl_session")
        }


def test_a_killed_holders_ports_come_back_when_its_leases_end(db: Database, tmp_path: Path) -> None:
    """Not before, for it might live; and as new addresses, for nobody knows what it did with the old ones."""
    log = tmp_path / "leases"
    with world(db, ports=4) as here:
        for mall in ("coupang", "gmarket", "auction", "st11"):
            here.market.set_scenario(mall, "slow", "300")
        doomed = replica(here, log, 60)
        until = time.monotonic() + 30
        while len(here.rows("SELECT 1 FROM proxy_port WHERE lease_owner IS NOT NULL")) < 4 and time.monotonic() < until:
            threading.Event().wait(0.02)
        doomed.send_signal(signal.SIGKILL)
        doomed.communicate(timeout=10)
        killed = time.monotonic()
        assert here.ports.lease("coupang", need=1) is None
        lease = None
        while lease is None and time.monotonic() < killed + 4 * LEASE_S:
            lease = here.ports.lease("coupang", need=1)
            threading.Event().wait(0.05)
        assert lease is not None
        assert (0, True) == (lease.uses, lease.generation > 1)
        assert time.monotonic() - killed <= LEASE_S + 1
        threading.Event().wait(max(0.0, killed + LEASE_S + 0.5 - time.monotonic()))
        with db.pool.transaction() as cur:
            proxies.free_orphans(cur)
        rows = here.rows("SELECT DISTINCT end_reason FROM crawl_session WHERE lease <> %s", lease.lease_id)
        assert ("lost",) in rows
        assert (None,) not in rows
