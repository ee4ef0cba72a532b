"""Real servers on loopback: the sandbox market, and one that answers with whatever bytes a test gives it."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

import config
from sandbox import server as market_server
from tests.crawl.browser_server import Server, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sandbox.server import Market

Settings = config.Settings


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Self-written pages for browsers, on loopback."""
    with serving(Server()) as server:
        yield server
        server.release.set()


@dataclass
class RawServer:
    """Answers each connection with the next list of byte pieces; the last one is repeated."""

    url: str
    received: list[bytes] = field(default_factory=list)


@contextmanager
def raw_server(*answers: Sequence[bytes], gap_s: float = 0.0) -> Iterator[RawServer]:
    """A server whose every answer is exactly these pieces, `gap_s` seconds apart, then the end of the connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    serving = RawServer(url=f"http://127.0.0.1:{listener.getsockname()[1]}")
    ended = threading.Event()

    def serve() -> None:
        for number in range(1000):
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                serving.received.append(connection.recv(65536))
                for piece in answers[min(number, len(answers) - 1)]:
                    try:
                        connection.sendall(piece)
                    except OSError:
                        break
                    if ended.wait(gap_s):
                        return

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield serving
    finally:
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


@pytest.fixture(scope="session")
def _market() -> Iterator[Market]:
    with market_server.serve() as market:
        yield market


@pytest.fixture
def market(_market: Market) -> Iterator[Market]:
    """The sandbox market, well-behaved again after each test."""
    _market.reset()
    yield _market
    _market.reset()


@pytest.fixture
def settings(market: Market) -> Callable[..., Settings]:
    """Settings under which every mall is the sandbox's and needs no browser; keywords are further environment."""

    def load(**env: str) -> Settings:
        said = {f"LPS_{name.upper()}__BASE_URL": url for name, url in market.base_urls().items()}
        said |= {f"LPS_{name}__FETCHER": "http" for name in ("COUPANG", "GMARKET", "AUCTION", "ST11")}
        said["LPS_ST11__SHOP_URL"] = market.base_urls()["st11"]
        return config.load(env=said | {"LPS_SANDBOX__ON": "true"} | env)

    return load
