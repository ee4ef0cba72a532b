"""The real malls, asked once each: `LPS_LIVE=1 ./lps test -k live`, with the settings of `config.local.toml`.

Nothing here runs by itself: real malls are asked only by an operator who has decided so (docs/crawling.md).
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

import config
from crawl import Crawler, health, robots
from crawl.http import HttpFetcher
from errors import SourceFailure
from model import MALLS, SourceOutcome
from tests.conftest import OPERATOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from config import Settings

pytestmark = pytest.mark.skipif(
    os.environ.get("LPS_LIVE") != "1",
    reason="asks real malls: set LPS_LIVE=1 and accept their terms in config.local.toml",
)


@pytest.fixture(scope="module")
def live() -> Settings:
    """The operator's own settings, of the live world."""
    settings = config.load(env=OPERATOR)
    if settings.sandbox.on:
        pytest.skip("[sandbox] on = true: this would only ask the sandbox")
    return settings


@pytest.fixture(scope="module")
def crawler(live: Settings) -> Iterator[Crawler]:
    """One crawler for all malls."""
    opened = Crawler(live)
    yield opened
    opened.close()


@pytest.mark.parametrize("mall", MALLS)
def test_a_live_mall_still_reads(live: Settings, crawler: Crawler, mall: str) -> None:
    """Its known product is on its page, with name, price, link and number; a refusal is called one."""
    block = live.mall(mall)
    if block.why_disabled:
        pytest.skip(f"{mall} may not be asked: {block.why_disabled}")
    try:
        page = crawler.fetch(mall, block.canary, time.monotonic() + block.deadline_s)
    except SourceFailure as error:
        if error.outcome in (SourceOutcome.BLOCKED, SourceOutcome.PROXY_AUTH, SourceOutcome.PROXY_DEAD):
            pytest.skip(f"{mall} cannot be asked from here: {error.outcome} {error.kind}")
        raise
    tally = health.tally(page.seen[-1].reading.parsed)
    assert health.known(page.offers, block.canary)
    assert all(having >= 0.8 * cards for cards, having in tally.values()), tally


@pytest.mark.parametrize("mall", MALLS)
def test_a_live_malls_rules_can_be_read(live: Settings, mall: str) -> None:
    """Its robots.txt answers; what it says is for the operator."""
    http = HttpFetcher()
    try:
        found = robots.ask(http, mall, live.mall(mall), time.monotonic() + 15)
    finally:
        http.close()
    assert all(one.status is not None for one in found), [one.why for one in found]
