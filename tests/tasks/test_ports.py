"""Addresses in use: leases, budgets, rotation, rests, breakers and daily caps, on real sockets and a real database."""

from __future__ import annotations

import http.client
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import config
from crawl import Crawler
from crawl.mall import DIRECT, Body
from errors import Blocked, ByteCap, ProxyAuth, ProxyDead
from model import SourceOutcome
from store import crawls, measures, ops, proxies
from tasks.ports import SharedPorts
from tests.tasks.proxied import QUERY, environment, world

if TYPE_CHECKING:
    from crawl.mall import Ready, Via
    from sandbox.gate import Gate
    from tests.conftest import Database
    from tests.tasks.clock import Clock


def test_no_address_asks_for_a_fourth_page(db: Database) -> None:
    """Ten searches of four malls: three pages an address at most, as the market counts them, and none was refused."""
    with world(db) as here:
        for mall in ("coupang", "gmarket", "auction", "st11"):
            here.market.set_scenario(mall, "ip_budget", "3")
        for n in range(10):
            assert here.fetch(("coupang", "gmarket", "auction", "st11")[n % 4]).offers
        pages = here.pages()
        assert (10, 3) == (sum(pages.values()), max(pages.values()))
        assert [(0,)] == here.rows("SELECT count(*) FROM bot_detection")


def test_a_session_leaves_a_row_with_what_it_did(db: Database) -> None:
    """Requests, bytes to the byte, and why it ended: its budget."""
    with world(db) as here:
        pages = [here.fetch() for _ in range(3)]
        rows = here.rows("SELECT mall, requests, bytes, end_reason, budget FROM crawl_session")
        assert [("coupang", 3, here.gate.total_bytes(), "budget", 3)] == rows
        assert here.gate.total_bytes() == sum(page.proxy_bytes for page in pages)


def test_the_same_mall_goes_on_with_its_address(db: Database) -> None:
    """A second search of the same mall soon after needs no new lease; a third one is still within the budget."""
    with world(db) as here:
        for _ in range(3):
            here.fetch()
        assert 1 == len(here.gate.addresses())
        here.fetch()
        assert 2 == len(here.gate.addresses())


def test_an_idle_address_is_given_back(db: Database) -> None:
    """After `keep_s` its port is free for others, and so is what is left of its budget."""
    with world(db, LPS_SESSION__KEEP_S="0.1", LPS_SESSION__LEASE_S="3") as here:
        here.fetch()
        until = time.monotonic() + 5
        while here.rows("SELECT 1 FROM proxy_port WHERE lease_owner IS NOT NULL") and time.monotonic() < until:
            threading.Event().wait(0.05)
        assert [("idle", 1)] == here.rows("SELECT end_reason, requests FROM crawl_session")


def test_a_refusal_takes_the_next_address(db: Database) -> None:
    """The search goes on; the refusal leaves a row with the real address; the port rests for this mall alone."""
    with world(db, ports=2) as here:
        here.market.set_scenario("coupang", "block403", "first=1")
        page = here.fetch()
        assert page.offers
        # What every address brought is kept as evidence, the refusal too.
        assert ["blocked", "ok"] == [one.reading.outcome for one in page.seen]
        addresses = here.gate.addresses()
        assert 2 == len(addresses)
        rows = here.rows("SELECT mall, marker, ip, ip_request_no FROM bot_detection")
        assert [("coupang", "akamai", addresses[0], 1)] == rows
        assert [("block", "coupang", 1)] == here.rows(
            "SELECT end_reason, mall, requests FROM crawl_session WHERE ended_at IS NOT NULL"
        )
        with db.pool.autocommit() as cur:
            resting = {row.port: row.cooldowns for row in proxies.ports_of(cur) if row.cooldowns}
            assert [{"coupang": pytest.approx(600, abs=5)}] == list(resting.values())
            assert 50.0 == crawls.usable_ports_pct(cur)
            assert 1 == crawls.block_sessions(cur, 6)
        with db.pool.transaction() as cur:
            now, told = ops.snapshot(cur), measures.measure(cur, "proxy_ports_low", lease_s=30)
            assert (50.0, 1) == (now.usable_ports_pct, now.block_sessions_6h)
            assert [50.0] == [reading.value for reading in told if not isinstance(reading, str)]


@pytest.mark.parametrize("scenario", ["http429", "block403"])
def test_a_mall_that_always_refuses_ends_blocked(db: Database, scenario: str) -> None:
    """So many addresses as `rotations` says, then no more: neither the queue nor a ladder multiplies them."""
    with world(db, LPS_SESSION__ROTATIONS="3") as here:
        here.market.set_scenario("coupang", scenario)
        with pytest.raises(Blocked) as caught:
            here.fetch()
        assert SourceOutcome.BLOCKED is caught.value.outcome
        assert 3 == here.market.counts()["coupang"]["searches"] == len(caught.value.seen)
        assert caught.value.proxy_bytes > 0
        assert [(3,)] == here.rows("SELECT count(*) FROM bot_detection")


def test_a_refused_login_is_never_empty(db: Database) -> None:
    """407: `proxy_auth`, whatever the page looks like; the port rests for every mall."""
    with world(db, DECODO_PASSWORD="wrong", LPS_SESSION__ROTATIONS="2") as here:
        with pytest.raises(ProxyAuth) as caught:
            here.fetch(query="없는상품 ZZZ-9999")
        assert (SourceOutcome.PROXY_AUTH, "http_407") == (caught.value.outcome, caught.value.kind)
        rows = here.rows("SELECT cooldown_until ? '*', last_error FROM proxy_port WHERE errors > 0")
        assert [(True, "http_407")] * 2 == rows


class HalfCarried:
    """Stands in for a browser whose page comes, while what its script asks for is refused by the proxy."""

    def __init__(self, gate: Gate, page: str) -> None:
        self.gate = gate
        self.page = page

    def get(self, url: str, deadline: float, ready: Ready, *, via: Via = DIRECT, **about: object) -> Body:
        """The mall's own "nothing found", written by a script that got no data."""
        del deadline, ready, about
        self.gate.set_fault(self.gate.ports[0], "http_407")
        connection = http.client.HTTPConnection(via.proxy, timeout=5)
        connection.request("GET", "http://www.coupang.com/np/data")
        assert 502 == connection.getresponse().status
        connection.close()
        return Body(content=self.page, url=url, status=200)

    def abort(self, thread: int) -> None:
        """Nothing is under way."""

    def close(self) -> None:
        """Nothing is held."""


def test_nothing_found_is_not_believed_while_the_proxy_refuses(db: Database) -> None:
    """A page that says "no result" because its data did not come is the proxy's failure."""
    with world(db, ports=1, LPS_COUPANG__FETCHER="browser", LPS_SESSION__ROTATIONS="1") as here:
        page = (Path(__file__).parent.parent / "pages/coupang/no_result.html").read_text(encoding="utf-8")
        browser = HalfCarried(here.gate, page)
        crawler = Crawler(here.settings, browser=lambda: browser, ports=here.ports)
        with pytest.raises(ProxyAuth):
            crawler.fetch("coupang", QUERY, time.monotonic() + 10)
        crawler.close()


@pytest.mark.parametrize(("fault", "kind"), [("dead", "refused"), ("reset", "reset"), ("http_502", "http_502")])
def test_a_dead_port_is_left_for_the_next(db: Database, fault: str, kind: str) -> None:
    """One search over a dead port and a good one ends well; the dead one is known."""
    with world(db, ports=2) as here:
        here.gate.set_fault(here.gate.ports[0], fault)
        assert here.fetch().offers
        rows = here.rows("SELECT port, last_error FROM proxy_port WHERE errors > 0")
        assert [(here.gate.ports[0], kind)] == rows


def test_without_any_port_a_search_ends_at_once(db: Database) -> None:
    """All of them rest: `proxy_dead`, without waiting for a miracle."""
    with world(db, ports=2) as here:
        for port in here.gate.ports:
            here.gate.set_fault(port, "dead")
        with pytest.raises(ProxyDead):
            here.fetch()
        started = time.monotonic()
        with pytest.raises(ProxyDead) as caught:
            here.fetch()
        assert "cooldown" == caught.value.kind
        assert time.monotonic() - started < 1


def test_a_busy_pool_is_waited_for(db: Database) -> None:
    """One port, two malls at once: the second takes it when the first has given it back."""
    with world(db, ports=1, LPS_SESSION__REQUESTS_PER_IP="1") as here:
        here.market.set_scenario("coupang", "slow", "700")
        found: list[int] = []
        threads = [
            threading.Thread(target=lambda mall=mall: found.append(len(here.fetch(mall).offers)))
            for mall in ("coupang", "gmarket")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(15)
        assert 2 == len(found)
        assert all(found)
        assert 2 == len(here.gate.addresses())


def test_a_page_gone_wild_is_cut_off(db: Database) -> None:
    """A query may cost so many bytes and no more, and is not tried again at the same price."""
    with world(db, LPS_PROXY__MAX_KB="300") as here:
        here.market.set_scenario("coupang", "huge", "5")
        with pytest.raises(ByteCap):
            here.fetch()
        assert here.gate.total_bytes() < 1_000_000
        assert 1 == here.market.counts()["coupang"]["searches"]


def test_a_lost_lease_is_used_no_more(db: Database) -> None:
    """Another process has the port by now: the next page takes a new lease."""
    with world(db, ports=2) as here:
        here.fetch()
        here.rows("UPDATE proxy_port SET lease_owner = gen_random_uuid() WHERE lease_owner IS NOT NULL")
        assert here.fetch().offers
        assert 2 == len(here.gate.addresses())
        rows = here.rows("SELECT end_reason FROM crawl_session WHERE ended_at IS NOT NULL")
        assert [("lost",)] == rows


def test_the_reaper_takes_back_what_a_dead_process_held(db: Database, clock: Clock) -> None:
    """Its port is free, its session ended `lost`, and the next lease is a new address."""
    with world(db, ports=1) as here:
        here.fetch()
        clock.move(61)
        with db.pool.transaction() as cur:
            assert 1 == proxies.free_orphans(cur)
        assert [("lost",)] == here.rows("SELECT end_reason FROM crawl_session")
        assert [(None, "")] == here.rows("SELECT lease_owner, session FROM proxy_port")


def test_preflight_finds_a_live_port_and_its_address(db: Database) -> None:
    """Over a dead one, to one that carries."""
    with world(db, ports=3) as here:
        here.gate.set_fault(here.gate.ports[0], "dead")
        found = here.crawler.preflight(time.monotonic() + 10)
        assert (here.gate.ports[1], here.gate.addresses()[0]) == found
        assert [(0,)] == here.rows("SELECT count(*) FROM crawl_session")
        assert [(0,)] == here.rows("SELECT count(*) FROM proxy_port WHERE lease_owner IS NOT NULL")


def test_preflight_says_why_no_port_carries(db: Database) -> None:
    """407 means the account, not the ports."""
    with world(db, DECODO_PASSWORD="wrong") as here, pytest.raises(ProxyAuth):
        here.crawler.preflight(time.monotonic() + 10)


def test_preflight_tries_what_rests_too(db: Database) -> None:
    """Once the login is right again, nobody waits for the ports' rests."""
    with world(db, ports=2, DECODO_PASSWORD="wrong") as here:
        with pytest.raises(ProxyAuth):
            here.fetch()
        mended = config.load(env=environment(here.gate.ports))
        crawler = Crawler(mended, ports=SharedPorts(mended, db.pool))
        assert crawler.preflight(time.monotonic() + 10)
        assert crawler.fetch("coupang", QUERY, time.monotonic() + 10).offers
        crawler.close()


def test_a_new_range_of_ports_replaces_the_old(db: Database) -> None:
    """What is configured no more goes as soon as nobody uses it."""
    with world(db, ports=2) as here:
        here.rows("INSERT INTO proxy_port (host, port) VALUES ('old.example', 1)")
        here.fetch()
        assert {*here.gate.ports} == {port for (port,) in here.rows("SELECT port FROM proxy_port")}
