"""Known products, looked up in the sandbox market by a real worker: a changed mall is held back before it misleads."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest

import config
from crawl import Crawler
from model import MALLS, Product
from sandbox import server
from store import health
from tasks import operate
from tasks.ports import SharedPorts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sandbox.server import Market
    from tests.conftest import Database
    from tests.tasks.conftest import Bench

RICE = Product(code="R1", name="햇반 백미밥 210g", specification="24개")


@pytest.fixture
def market(db: Database, tmp_path: Path) -> Iterator[Market]:
    """The runtime of this process on this test's database and the sandbox market, without a browser."""
    from tasks.runtime import runtime

    was = runtime.settings
    with server.serve() as sandbox:
        env = {f"LPS_{mall.upper()}__BASE_URL": url for mall, url in sandbox.base_urls().items()}
        env |= {f"LPS_{mall}__FETCHER": "http" for mall in ("COUPANG", "GMARKET", "AUCTION", "ST11")}
        env |= {"LPS_ST11__SHOP_URL": sandbox.base_urls()["st11"], "LPS_EVIDENCE__DIR": str(tmp_path)}
        settings = config.load(
            env=env | {"LPS_SANDBOX__ON": "true", "LPS_SEARCH__FALLBACK": "always", "LPS_ST11__DEADLINE_S": "2"}
        )
        runtime.use(settings, db.pool, Crawler(settings, ports=SharedPorts(settings, db.pool)))
        yield sandbox
        runtime.use(was)


def look(bench: Bench, mall: str) -> None:
    """Send one canary and wait for its end."""
    from tasks.runtime import runtime

    message = runtime.broker.message("canary", mall, job=str(uuid.uuid4()), step=mall)
    runtime.broker.enqueue(message)
    ended = "SELECT state FROM dramatiq.queue WHERE message_id = %s AND state IN ('done', 'rejected')"
    for _ in range(400):
        if rows := bench.database.rows(ended, message.message_id):
            assert [("done",)] == rows
            return
        bench.database.rows("SELECT pg_sleep(0.02)")
    raise AssertionError("the canary has not ended")


def open_signs(db: Database) -> list[tuple[str, str, bool]]:
    """(mall, sign, paused) of every mall whose pages changed."""
    with db.pool.autocommit() as cur:
        return [(one.mall, one.sign, one.paused) for one in health.drifting(cur)]


def held() -> dict[str, str]:
    """Mall → who holds it back."""
    return {pause.name: pause.who for pause in operate.paused()}


def usual(db: Database, mall: str, **fields: tuple[int, float]) -> None:
    """What the mall's cards had a day ago: field → (cards, of which had it)."""
    for field, (cards, having) in fields.items():
        db.rows(
            "INSERT INTO page_health (hour, mall, field, cards, had)"
            " VALUES (date_trunc('hour', lps.now()) - interval '1 day', %s, %s, %s, %s)",
            *(mall, field, cards, having),
        )


@pytest.mark.parametrize("mall", MALLS)
def test_a_mall_that_reads_is_left_alone(bench: Bench, market: Market, db: Database, mall: str) -> None:
    """Its cards are counted for the hour, its price remembered, nothing else happens."""
    market.set_scenario(mall, "drift_hash")
    look(bench, mall)
    assert ([], {}) == (open_signs(db), held())
    fields = db.rows("SELECT field, had = cards FROM page_health WHERE field <> 'price_krw' ORDER BY field")
    assert [("item_id", True), ("name", True), ("price", True), ("url", True)] == fields
    assert [(1,)] == db.rows("SELECT cards FROM page_health WHERE field = 'price_krw'")


@pytest.mark.parametrize("mall", MALLS)
def test_a_renamed_page_holds_its_mall_back_until_it_reads_again(
    bench: Bench, market: Market, db: Database, mall: str
) -> None:
    """Twice seen, it is drift: searches leave the mall out and say so; read again, it comes back by itself."""
    market.set_scenario(mall, "drift_prefix")
    look(bench, mall)
    assert ([(mall, "drift", True)], {mall: "canary"}) == (open_signs(db), held())
    source = bench.done(RICE)["sources"][mall]
    assert ("paused", 0) == (source["outcome"], source["offers"])
    market.set_scenario(mall, "ok")
    look(bench, mall)
    assert ([], {}) == (open_signs(db), held())
    actions = "SELECT action FROM audit WHERE who = 'canary' AND subject = %s ORDER BY audit_id"
    assert [("pause",), ("drift",), ("resume",), ("recovered",)] == db.rows(actions, mall)


def test_a_flicker_holds_nobody_back(bench: Bench, market: Market, db: Database) -> None:
    """The second look decides."""
    market.set_scenario("coupang", "drift_prefix", "first=1")
    look(bench, "coupang")
    assert ([], {}) == (open_signs(db), held())


def test_a_field_that_falls_warns_before_it_is_gone(bench: Bench, market: Market, db: Database) -> None:
    """Every third card has lost its price: each offer is still right, but the page has changed."""
    usual(db, "coupang", price=(1000, 990), name=(1000, 1000))
    market.set_scenario("coupang", "no_price")
    look(bench, "coupang")
    assert [("coupang", "price", True)] == open_signs(db)
    ((text,),) = db.rows("SELECT text FROM mall_drift")
    assert "99% before" in str(text)


def test_a_price_from_the_wrong_place_is_seen(bench: Bench, market: Market, db: Database) -> None:
    """A known product that costs a tenth of yesterday's price is read wrongly."""
    usual(db, "gmarket", price_krw=(24, 24 * 500_000))
    look(bench, "gmarket")
    assert [("gmarket", "price_krw", True)] == open_signs(db)


@pytest.mark.parametrize("scenario", ["block403", "error500", "truncated"])
def test_a_mall_that_cannot_be_reached_has_not_changed(
    bench: Bench, market: Market, db: Database, scenario: str
) -> None:
    """Neither held back nor taken for well."""
    with db.pool.transaction() as cur:
        health.drifted(cur, "auction", "price", "as it was")
    market.set_scenario("auction", scenario)
    look(bench, "auction")
    assert ([("auction", "price", False)], {}) == (open_signs(db), held())
    blocks = db.rows("SELECT mall, marker, job_id FROM bot_detection")
    assert blocks == ([("auction", "cloudflare", None)] if scenario == "block403" else [])


def test_nothing_found_for_a_known_product_is_no_answer(bench: Bench, market: Market, db: Database) -> None:
    """A wrong "nothing found" would be remembered as truth."""
    market.set_scenario("auction", "empty")
    look(bench, "auction")
    assert ([("auction", "empty", True)], {"auction": "canary"}) == (open_signs(db), held())


def test_a_persons_pause_is_never_touched(bench: Bench, market: Market, db: Database) -> None:
    """Held back by a person, the mall is not even asked; no canary takes that pause over or ends it."""
    operate.pause("coupang", who="kim", reason="their lawyer called")
    for scenario in ("drift_prefix", "ok"):
        market.set_scenario("coupang", scenario)
        look(bench, "coupang")
    assert ({"coupang": "kim"}, 0) == (held(), market.counts()["coupang"]["requests"])
    with db.pool.transaction() as cur:
        assert not health.hold(cur, "coupang", reason="drift", who="canary")
        assert not health.release(cur, "coupang", who="canary")
    assert {"coupang": "kim"} == held()


def test_a_search_that_meets_a_changed_page_says_so_at_once(bench: Bench, market: Market, db: Database) -> None:
    """The row is there before the next canary; the mall is not held back for one search's page."""
    market.set_scenario("coupang", "drift_prefix")
    assert "drift" == bench.done(RICE)["sources"]["coupang"]["outcome"]
    assert ([("coupang", "search", False)], {}) == (open_signs(db), held())


def test_the_patrol_sends_one_canary_a_mall(bench: Bench, market: Market, db: Database) -> None:
    """Every mall that may be asked, each in a message of its own."""
    from tasks.canary import patrol

    patrol.send()
    done = "SELECT count(*) FROM dramatiq.queue WHERE queue_name = 'canary' AND state = 'done'"
    for _ in range(400):
        if db.rows(done) == [(5,)]:
            break
        db.rows("SELECT pg_sleep(0.02)")
    assert dict.fromkeys(MALLS, 1) == {mall: row["searches"] for mall, row in market.counts().items()}
