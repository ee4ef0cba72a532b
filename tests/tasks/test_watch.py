"""Watched products: what is told of their price, and when they are looked up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from model import Priority
from store import jobs, watches
from store.watches import Terms, Watch
from tests.tasks.conftest import WATER, offer

if TYPE_CHECKING:
    from tests.conftest import Database
    from tests.tasks.conftest import Bench, ScriptedMarket

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TERMS: dict[str, Any] = {
    "target_krw": 300,
    "every_s": 3600,
    "direction": "both",
    "business_hours": False,
    "url": "",
    "signer": "",
}


def told(prices: list[Any], **terms: Any) -> list[str | None]:
    """The event of each price in turn; (price, False) is one of an incomplete search."""
    from tasks.watch import judge

    values = TERMS | terms
    watch = Watch(
        1, "W1", "생수", "6개", **values, next_at=NOW, paused=False, side=None, told_krw=None, last_krw=None,
        last_job_id=None, last_at=None, note="", who="alice", created_at=NOW,
    )  # fmt: skip
    events = []
    for entry in prices:
        price, complete = entry if isinstance(entry, tuple) else (entry, True)
        judged = judge(watch, price, complete=complete)
        events.append(judged.event and judged.event.removeprefix("price."))
        from dataclasses import replace

        watch = replace(watch, side=judged.side, told_krw=judged.told_krw, last_krw=price)
    return events


@pytest.mark.parametrize(
    ("prices", "terms", "events"),
    [
        ([310, 283, 280, 279, 275], {}, [None, "below", "lower", None, "lower"]),  # each new low, by steps of 1 %
        ([280], {}, ["below"]),  # met by the first search
        ([310, 320], {}, [None, "higher"]),
        ([280, 310, 280], {}, ["below", "above", "below"]),
        ([280, 310, 280], {"direction": "down"}, ["below", None, "below"]),
        ([310, 280, 310], {"direction": "up"}, ["above", None, "above"]),
        ([280, (310, False), 280], {}, ["below", None, None]),  # an incomplete search tells of no rise
        ([310, (280, False)], {}, [None, "below"]),  # but of a fall
        ([300, 300, 300], {}, ["below", None, None]),
        ([100, 100, 99, 102, 102], {"target_krw": None}, [None, None, "lower", "higher", None]),
        ([100, 90], {"target_krw": None, "direction": "up"}, [None, None]),
    ],
)
def test_it_tells_of_crossings_and_steps_once(
    prices: list[Any], terms: dict[str, Any], events: list[str | None]
) -> None:
    """Each crossing once, each further step of 1 % once, in the wanted direction only."""
    assert events == told(prices, **terms)


def watched(db: Database, **terms: Any) -> int:
    """A watch of the market's water, due now."""
    with db.pool.transaction() as cur:
        watch_id = watches.add(cur, WATER, Terms(**(TERMS | terms)), next_at=watches.now(cur), who="alice")
    assert watch_id
    return watch_id


def seen(db: Database, watch_id: int) -> Watch:
    """The watch now."""
    with db.pool.autocommit() as cur:
        found = watches.one(cur, watch_id)
    assert found
    return found


def recheck(db: Database) -> int:
    """One tick of the clock."""
    from tasks.watch import recheck_due

    with db.pool.transaction() as cur:
        return recheck_due(cur, 100)


def test_what_is_due_is_looked_up_behind_everything_else(db: Database, market: ScriptedMarket) -> None:
    """Once, with the lowest priority, and then an interval later; a paused one never."""
    watch_id = watched(db)
    assert [1, 0] == [recheck(db), recheck(db)]
    assert [(int(Priority.RECHECK),)] == db.rows("SELECT priority FROM job")
    assert seen(db, watch_id).next_at > datetime.now(UTC) + timedelta(minutes=50)
    db.rows("UPDATE watch SET next_at = lps.now(), paused = true")
    db.rows("UPDATE job SET status = 5, finished_at = lps.now()")
    assert 0 == recheck(db)


def test_a_young_answer_is_taken_instead(bench: Bench, db: Database, market: ScriptedMarket) -> None:
    """What was found within half the interval is judged, and no mall is asked again."""
    market.script["naver"] = [(offer("naver", 250),)]
    bench.search()
    asked = len(market.asked)
    watch_id = watched(db)
    assert 0 == recheck(db)
    assert (250, asked) == (seen(db, watch_id).last_krw, len(market.asked))
    assert [("price.below",)] == db.rows("SELECT event FROM outbox")


def test_any_search_of_the_product_is_judged(bench: Bench, db: Database, market: ScriptedMarket) -> None:
    """A person's search crosses the target, too: one message, in the transaction that stored the price."""
    watch_id = watched(db, target_krw=10_000)
    market.script["naver"] = [(offer("naver", 12_000),), (offer("naver", 9_000),)]
    market.script["coupang"] = [()]
    bench.search()
    assert [] == db.rows("SELECT event FROM outbox")
    bench.search(again=True)
    rows = db.rows("SELECT event, body->>'price_krw', body->>'before_krw', kind FROM outbox")
    assert [("price.below", "9000", "12000", "price")] == rows
    assert ("below", 9000) == (seen(db, watch_id).side, seen(db, watch_id).last_krw)


def test_a_failed_search_keeps_the_last_price(bench: Bench, db: Database, market: ScriptedMarket) -> None:
    """A price, an absence, the same price again: nothing is told of it."""
    watch_id = watched(db, target_krw=20_000)
    market.script["naver"] = [(offer("naver", 9_000),), (), (offer("naver", 9_000),)]
    for _ in range(3):
        bench.search(again=True)
    assert [("price.below",)] == db.rows("SELECT event FROM outbox")
    assert (9000, "") == (seen(db, watch_id).last_krw, seen(db, watch_id).note)


def test_another_question_under_the_same_code_is_not_judged(db: Database, market: ScriptedMarket) -> None:
    """Used goods under the product's code are no price of the product."""
    from tasks import ends
    from tasks.submit import submit

    watch_id = watched(db)
    job_id = submit(WATER, options={"allow_used": True}).job_id
    with db.pool.transaction() as cur:
        jobs.finish(cur, job_id, {"outcome": "found", "complete": True, "lowest": {"price": 1}})
        ends.ended(cur, job_id)
    assert seen(db, watch_id).last_krw is None


def test_slack_commands_in_a_name_are_text() -> None:
    """A product called <!channel> pings nobody."""
    from tasks.watch import text

    watch = Watch(
        1, "W1", "<!channel> & co", "", **TERMS, next_at=NOW, paused=False, side=None, told_krw=None, last_krw=None,
        last_job_id=None, last_at=None, note="", who="a", created_at=NOW,
    )  # fmt: skip
    assert text(watch, 250, "price.below").startswith("&lt;!channel&gt; &amp; co: 250원")
