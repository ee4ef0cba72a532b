"""One replica of a crawler: `python -m tests.tasks.replica DSN LOG SECONDS FIRST_PORT PORTS`.

Four threads search four malls over the given ports until the time is over. Every lease is written down, one line each,
appended: `taken PORT LEASE SECONDS` once it is held, `given PORT LEASE SECONDS` before it is given back.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING

import config
from crawl import Crawler
from errors import SourceFailure
from store.pool import Pool
from tasks.ports import SharedPorts
from tests.tasks.proxied import MALLS, QUERY, environment

if TYPE_CHECKING:
    from crawl.ports import LeaseEnd
    from store.proxies import Lease

LEASE_S = 3


class WrittenDown(SharedPorts):
    """Leases that leave a line when they begin and when they end."""

    def __init__(self, settings: config.Settings, pool: Pool, log: str) -> None:
        super().__init__(settings, pool)
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._port: dict[str, int] = {}

    def lease(self, mall: str, *, need: int) -> Lease | None:
        """As ever, written down."""
        lease = super().lease(mall, need=need)
        if lease:
            self._port[lease.lease_id] = lease.port
            self._write("taken", lease.lease_id)
        return lease

    def release(self, lease_id: str, end: LeaseEnd) -> None:
        """As ever, written down."""
        self._write("given", lease_id)
        super().release(lease_id, end)

    def _write(self, what: str, lease_id: str) -> None:
        os.write(self._log, f"{what} {self._port[lease_id]} {lease_id} {time.monotonic():.6f}\n".encode())


def main(dsn: str, log: str, seconds: str, first: str, ports: str) -> None:
    """Crawl until the time is over."""
    numbers = tuple(range(int(first), int(first) + int(ports)))
    settings = config.load(env=environment(numbers, LPS_SESSION__LEASE_S=str(LEASE_S), LPS_SESSION__KEEP_S="0.3"))
    pool = Pool(dsn, size=6, application="lps replica")
    crawler = Crawler(settings, ports=WrittenDown(settings, pool, log))
    until = time.monotonic() + float(seconds)

    def search(mall: str) -> None:
        while time.monotonic() < until:
            try:
                crawler.fetch(mall, QUERY, time.monotonic() + 10)
            except SourceFailure as error:
                sys.stderr.write(f"{mall}: {error!r}\n")

    threads = [threading.Thread(target=search, args=(mall,)) for mall in MALLS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    crawler.close()
    pool.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
