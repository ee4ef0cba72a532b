"""One running market for the sandbox's own tests, reset before each of them."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import pytest

from sandbox.server import Market, serve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEYS = {"X-Naver-Client-Id": "id", "X-Naver-Client-Secret": "secret"}
SEARCHES = {
    "naver": ("/naver/v1/search/shop.json", "query"),
    "coupang": ("/coupang/np/search", "q"),
    "gmarket": ("/gmarket/n/search", "keyword"),
    "auction": ("/auction/n/search", "keyword"),
    "st11": ("/st11/search/api/tab", "kwd"),
}


@dataclass
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    text: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = self.body.decode(errors="replace")

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Visitor:
    """Asks one market, a new connection each time."""

    def __init__(self, market: Market) -> None:
        self.market = market

    def get(self, path: str, headers: Mapping[str, str] | None = None, *, method: str = "GET", body: str = "") -> Reply:
        """One request; `path` may be a whole URL of the market."""
        address = urlsplit(self.market.url)
        connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=10)
        try:
            target = path.removeprefix(self.market.url)
            connection.request(method, target, body=body.encode() or None, headers={**KEYS, **(headers or {})})
            response = connection.getresponse()
            return Reply(
                response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
            )
        finally:
            connection.close()

    def search(self, mall: str, query: str, **more: str) -> Reply:
        """A result page of a mall."""
        path, name = SEARCHES[mall]
        return self.get(f"{path}?{urlencode({name: query, **more})}")


@pytest.fixture(scope="session")
def running_market() -> Iterator[Market]:
    """The market of this run."""
    with serve() as market:
        yield market


@pytest.fixture
def visit(running_market: Market) -> Visitor:
    """Someone who asks the market, whose scenarios and counts are fresh."""
    running_market.reset()
    return Visitor(running_market)
