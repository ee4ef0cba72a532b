"""How malls are spared: rests that double, breakers, daily caps, gaps; on real sockets and a real database."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

import config
from crawl import Crawler
from errors import Blocked, Paused, RateLimited, UpstreamDown
from sandbox.server import serve
from store import proxies
from tasks.ports import SharedPorts
from tests.tasks.proxied import QUERY, world

if TYPE_CHECKING:
    from tests.conftest import Database
    from tests.tasks.clock import Clock


def test_rests_double_and_end_with_an_answer(db: Database, clock: Clock) -> None:
    """10 minutes, 20, 40 … 6 hours at most; a mall that answers again wipes the slate."""
    with world(db, ports=1, LPS_SESSION__ROTATIONS="1") as here:
        here.market.set_scenario("coupang", "block403")
        rests = []
        for _ in range(8):
            with pytest.raises(Blocked):
                here.fetch()
            with db.pool.autocommit() as cur:
                rests.append(proxies.ports_of(cur)[0].cooldowns["coupang"])
            clock.move(rests[-1] + 1)
        assert [round(rest / 600) for rest in rests] == [1, 2, 4, 8, 16, 32, 36, 36]
        here.market.reset()
        assert here.fetch().offers
        here.crawler.close()
        assert [({},)] == here.rows("SELECT strikes FROM proxy_port")


def test_a_breaker_opens_for_all_and_one_probe_closes_it(db: Database, clock: Clock) -> None:
    """After five refusals nobody asks; after the hold exactly one does; its answer lets all in again."""
    with world(db, ports=8, LPS_SESSION__BREAKER_BLOCKS="5") as here:
        here.market.set_scenario("coupang", "block403")
        for _ in range(2):
            with pytest.raises(Blocked):
                here.fetch()
        asked = here.market.counts()["coupang"]["searches"]
        with pytest.raises(Paused) as caught:
            here.fetch()
        assert ("breaker", asked) == (caught.value.kind, here.market.counts()["coupang"]["searches"])
        assert here.fetch("gmarket").offers
        clock.move(601)
        here.market.set_scenario("coupang", "slow", "500")
        outcomes: list[str] = []

        def visit() -> None:
            try:
                outcomes.append("ok" if here.fetch().offers else "empty")
            except Paused:
                outcomes.append("paused")

        threads = [threading.Thread(target=visit) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(15)
        assert ["ok", "paused", "paused", "paused"] == sorted(outcomes)
        assert here.fetch().offers


def test_a_refused_probe_keeps_the_mall_shut_for_longer(db: Database, clock: Clock) -> None:
    """One request, then twice the hold."""
    with world(db, ports=8, LPS_SESSION__BREAKER_BLOCKS="3") as here:
        here.market.set_scenario("coupang", "block403")
        with pytest.raises(Blocked):
            here.fetch()
        clock.move(601)
        asked = here.market.counts()["coupang"]["searches"]
        with pytest.raises(Blocked):
            here.fetch()
        assert asked + 1 == here.market.counts()["coupang"]["searches"]
        assert [(2,)] == here.rows("SELECT strikes FROM mall_breaker")
        clock.move(1000)
        with pytest.raises(Paused):
            here.fetch()


def test_a_days_pages_are_capped(db: Database) -> None:
    """The cap holds over all addresses; the mall is held back, not blocked."""
    with world(db, LPS_COUPANG__MAX_PAGES_DAY="4") as here:
        for _ in range(4):
            here.fetch()
        with pytest.raises(Paused) as caught:
            here.fetch()
        assert ("day_cap", 4) == (caught.value.kind, here.market.counts()["coupang"]["searches"])


def test_the_gap_between_two_pages_of_an_address_is_kept(db: Database) -> None:
    """Three pages of one address take two gaps at least."""
    with world(db, LPS_SESSION__GAP_S="0.4") as here:
        started = time.monotonic()
        for _ in range(3):
            here.fetch()
        assert 0.8 <= time.monotonic() - started < 3


def test_a_visit_that_waits_can_be_given_up(db: Database) -> None:
    """A cancelled search does not sit out a gap."""
    with world(db, LPS_SESSION__GAP_S="20") as here:
        here.fetch(seconds=60)
        me = threading.get_ident()
        threading.Timer(0.3, lambda: here.crawler.abort(me)).start()
        started = time.monotonic()
        with pytest.raises(UpstreamDown, match="given up"):
            here.fetch(seconds=60)
        assert time.monotonic() - started < 5


def test_without_a_proxy_a_refusal_is_recorded_too(db: Database) -> None:
    """Directly there is one address: no rotation, one row, no lease and no session."""
    with serve() as market:
        said = {f"LPS_{mall.upper()}__BASE_URL": url for mall, url in market.base_urls().items()}
        settings = config.load(env=said | {"LPS_SANDBOX__ON": "true", "LPS_COUPANG__FETCHER": "http"})
        crawler = Crawler(settings, ports=SharedPorts(settings, db.pool))
        market.set_scenario("coupang", "block403")
        with pytest.raises(Blocked):
            crawler.fetch("coupang", QUERY, time.monotonic() + 10)
        crawler.close()
        assert 1 == market.counts()["coupang"]["searches"]
    assert [("coupang", "akamai", "direct", 1)] == db.rows("SELECT mall, marker, ip, ip_request_no FROM bot_detection")
    assert [(0, 0)] == db.rows("SELECT (SELECT count(*) FROM crawl_session), (SELECT count(*) FROM proxy_port)")


@pytest.mark.parametrize(("mall", "recorded"), [("naver", 0), ("coupang", 1)])
def test_a_used_up_quota_is_no_refusal(db: Database, mall: str, recorded: int) -> None:
    """Naver's 429 is its key's; a page's 429 is meant for us."""
    with serve() as market:
        said = {f"LPS_{name.upper()}__BASE_URL": url for name, url in market.base_urls().items()}
        settings = config.load(env=said | {"LPS_SANDBOX__ON": "true", "LPS_COUPANG__FETCHER": "http"})
        crawler = Crawler(settings, ports=SharedPorts(settings, db.pool))
        market.set_scenario(mall, "http429")
        with pytest.raises(RateLimited):
            crawler.fetch(mall, QUERY, time.monotonic() + 10)
        crawler.close()
    assert [(recorded,)] == db.rows("SELECT count(*) FROM bot_detection")
