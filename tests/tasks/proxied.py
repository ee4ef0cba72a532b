"""A crawler that reads the sandbox's malls through its proxy gate, with leases on a real database."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import config
from crawl import Crawler
from sandbox.gate import Gate
from sandbox.server import Market, serve
from tasks.ports import SharedPorts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawl import Page
    from tests.conftest import Database

MALLS = ("coupang", "gmarket", "auction", "st11")
QUERY = "햇반"


def environment(ports: tuple[int, ...], **more: str) -> dict[str, str]:
    """Settings under which the malls' real names are read through these ports, over HTTP and without a browser."""
    hosts = {"coupang": "www.coupang.com", "gmarket": "www.gmarket.co.kr", "auction": "www.auction.co.kr"}
    said = {f"LPS_{name.upper()}__BASE_URL": f"http://{host}" for name, host in hosts.items()}
    said |= {"LPS_ST11__BASE_URL": "http://apis.11st.co.kr", "LPS_ST11__SHOP_URL": "http://search.11st.co.kr"}
    said |= {f"LPS_{name.upper()}__FETCHER": "http" for name in MALLS}
    said |= {f"LPS_{name.upper()}__OPERATOR_ACCEPTS_TERMS": "true" for name in MALLS}
    said |= {f"LPS_{name.upper()}__MIN_GAP_S": "0" for name in MALLS}
    said |= {
        "LPS_SANDBOX__ON": "true",
        "DECODO_HOST": "127.0.0.1",
        "DECODO_PORT": str(ports[0]),
        "DECODO_USER": "sandbox",
        "DECODO_PASSWORD": "sandbox",
        "LPS_PROXY__PORTS": str(len(ports)),
        "LPS_PROXY__IP_URL": "http://ip.decodo.com/json",
        "LPS_SESSION__GAP_S": "0",
        "LPS_SESSION__BREAKER_BLOCKS": "0",
    }
    return said | more


class World:
    """The market, its gate, and a crawler on a database."""

    def __init__(self, database: Database, market: Market, gate: Gate, **more: str) -> None:
        self.database = database
        self.market = market
        self.gate = gate
        self.environment = environment(gate.ports, **more)
        self.settings = config.load(env=self.environment)
        self.ports = SharedPorts(self.settings, database.pool)
        self.crawler = Crawler(self.settings, ports=self.ports)

    def fetch(self, mall: str = "coupang", query: str = QUERY, seconds: float = 10) -> Page:
        """One search."""
        return self.crawler.fetch(mall, query, time.monotonic() + seconds)

    def rows(self, sql: str, *args: Any) -> list[tuple[Any, ...]]:
        """What the database says."""
        return self.database.rows(sql, *args)

    def pages(self) -> dict[str, int]:
        """Address → pages it asked all malls for, as the market saw it."""
        return {ip: sum(row.values()) for ip, row in self.market.pages_by_ip().items()}


@contextmanager
def world(database: Database, *, ports: int = 4, **more: str) -> Iterator[World]:
    """A world of its own; keywords are further environment."""
    with serve() as market, Gate(int(market.url.rpartition(":")[2]), ports=ports) as gate:
        made = World(database, market, gate, **more)
        try:
            yield made
        finally:
            made.crawler.close()
