"""What a robots.txt says about an address, by RFC 9309."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from crawl import robots
from crawl.http import HttpFetcher
from model import MALLS

from .conftest import raw_server

if TYPE_CHECKING:
    from collections.abc import Callable

    from config import Settings
    from sandbox.server import Market

TEXT = """
Sitemap: https://x.example/sitemap.xml
User-agent: GoodBot
User-agent: LPS   # us
Allow: /np/search?q=
Disallow: /np/
Crawl-delay: 2

User-agent: *
Disallow: /np/search
Disallow: /*.json$
Allow: /
"""


@pytest.mark.parametrize(
    ("agent", "path", "why"),
    [
        ("lps", "/np/search?q=%EC%A3%BD", "Allow: /np/search?q="),
        ("lps", "/np/products", "Disallow: /np/"),
        ("lps", "/vp", "None"),
        ("other", "/np/search?q=1", "Disallow: /np/search"),
        ("other", "/v1/shop.json", "Disallow: /*.json$"),
        ("other", "/v1/shop.json?query=1", "Allow: /"),
        ("other", "/", "Allow: /"),
    ],
)
def test_the_longest_rule_decides(agent: str, path: str, why: str) -> None:
    """Of the group that is meant for us, else of the one for all."""
    assert why == str(robots.decisive(robots.rules_for(robots.read(TEXT), agent), path))


def test_a_delay_and_whom_it_is_for_are_told() -> None:
    """As written."""
    group = robots.rules_for(robots.read(TEXT))
    assert (("lps",), "2") == (group.agents, group.delay_s)


@pytest.mark.parametrize("text", ["", "no rules here", "Disallow: /", "User-agent: *\nDisallow:", "\0" * 1000])
def test_without_a_rule_nothing_is_forbidden(text: str) -> None:
    """An empty line, a rule for nobody, junk."""
    assert robots.decisive(robots.rules_for(robots.read(text)), "/np/search") is None


def test_every_mall_is_asked_where_it_is_searched(settings: Callable[..., Settings], market: Market) -> None:
    """11st has two addresses; Auction's invented rules forbid its search. No search is made."""
    http = HttpFetcher()
    found = [one for mall in MALLS for one in robots.ask(http, mall, settings().mall(mall), time.monotonic() + 5)]
    http.close()
    assert [*MALLS, "st11"] == [one.mall for one in found]
    assert ["auction"] == [one.mall for one in found if not one.allowed]
    assert 0 == sum(row["searches"] for row in market.counts().values())


@pytest.mark.parametrize(("status", "allowed"), [(404, True), (403, True), (500, False)])
def test_no_file_means_no_rules_and_an_error_means_stop(
    settings: Callable[..., Settings], status: int, allowed: bool
) -> None:
    """As the RFC has it."""
    answer = [f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()]
    http = HttpFetcher()
    with raw_server(answer) as server:
        block = settings(LPS_COUPANG__BASE_URL=server.url).mall("coupang")
        (found,) = robots.ask(http, "coupang", block, time.monotonic() + 5)
    http.close()
    assert (allowed, status) == (found.allowed, found.status)
