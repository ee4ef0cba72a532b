"""The memory of verdicts: a pair is one asker's at a time, and is paid for once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import TYPE_CHECKING

from ai import ask, prompt
from ai.cache import Pair, pair
from ai.client import Reply
from ai.money import Tariff
from errors import AiDown
from model import Product, Reason, Same
from ruling import Ruling, Usage
from store import decisions, spend
from store.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ai.prompt import Prompt
    from tests.conftest import Database

MODEL = "gpt-4o-mini"
TARIFF = Tariff(model=MODEL, input_usd=Decimal("0.15"), cached_usd=Decimal("0.075"), output_usd=Decimal("0.6"))
SAME = Ruling(verdict=Same.SAME, reason=Reason.OK, confidence=0.9, source="ai", cost_usd=Decimal("0.0001"))
FREE = spend.Caps()


def _pairs(*titles: str) -> list[Pair]:
    return [pair(Product(code="", name="물"), title, model=MODEL) for title in titles]


class _Everyone:
    """A model that calls everything the same but the control that is not, slowly; it counts what it was asked."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    def ask(self, asked: Prompt, timeout_s: float) -> Reply:
        threading.Event().wait(min(timeout_s, 0.3))
        self.titles += asked.titles
        count = len(asked.titles) + 2
        rows = [
            f'{{"i":{n},"v":"{"different" if n == asked.different else "same"}","r":"ok"}}' for n in range(1, count + 1)
        ]
        return Reply('{"decisions":[' + ",".join(rows) + "]}", Usage(input_tokens=100, output_tokens=10))


class _Desk:
    """Memory and purse of one worker, as `tasks.counsel` makes them."""

    def __init__(self, pool: Pool, me: str, lease_s: float = 20) -> None:
        self._pool, self._me, self._lease_s = pool, me, lease_s

    def take(self, pairs: Sequence[Pair]) -> tuple[Mapping[str, Ruling], AbstractSet[str]]:
        return decisions.take(self._pool, self._me, pairs, model=MODEL, lease_s=self._lease_s)

    def keep(self, rulings: Mapping[str, Ruling]) -> None:
        decisions.keep(self._pool, self._me, rulings)

    def give_back(self, keys: Sequence[str]) -> None:
        decisions.give_back(self._pool, self._me, keys)

    def reserve(self, usd: Decimal, detail: Mapping[str, object]) -> str:
        return spend.reserve(self._pool, FREE, kind="ai", stage="match", usd=usd, detail=detail)

    def settle(self, receipt: str, usd: Decimal, detail: Mapping[str, object]) -> None:
        spend.settle(self._pool, receipt, usd, detail)


def _me(n: int) -> str:
    return f"00000000-0000-0000-0000-{n:012d}"


def _panel(pool: Pool, n: int, model: ask.Model) -> ask.Panel:
    desk = _Desk(pool, _me(n))
    wait = threading.Event().wait
    return ask.Panel(model=model, memory=desk, purse=desk, tariff=TARIFF, wait=wait, max_offers=40, max_calls=1)


def test_eight_workers_on_the_same_pairs_pay_each_once(db: Database) -> None:
    """Overlapping lists at the same moment: every title is asked about once, and everyone gets every verdict."""
    titles = [f"물 {n}호" for n in range(12)]
    model, start, pool = _Everyone(), threading.Barrier(8), Pool(db.url, size=8)

    def work(n: int) -> ask.Asked:
        mine = _pairs(*titles[n % 4 :], *titles[: n % 4])
        start.wait(10)
        return ask.rule(_panel(pool, n, model), mine, seed=str(n), until=time.monotonic() + 15)

    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(work, range(8)))
    pool.close()
    assert sorted(titles) == sorted(model.titles)
    assert {12} == {len(one.rulings) for one in told}
    assert (12, 8 * 12 - 12) == (sum(one.asked for one in told), sum(one.cached for one in told))
    assert [(sum(one.calls for one in told),)] == db.rows("SELECT count(*) FROM spend WHERE settled_usd > 0")


def test_a_dead_askers_pairs_change_hands_when_its_lease_is_over(db: Database) -> None:
    """Until then they are nobody else's; after it they may be paid for once more; the late answer changes nothing."""
    (one,) = _pairs("물 1호")
    assert ({}, {one.key}) == decisions.take(db.pool, _me(1), [one], model=MODEL, lease_s=60)
    assert ({}, set()) == decisions.take(db.pool, _me(2), [one], model=MODEL, lease_s=60)
    db.rows("UPDATE match_decision SET lease_until = lps.now() - interval '1 second'")
    assert ({}, {one.key}) == decisions.take(db.pool, _me(2), [one], model=MODEL, lease_s=60)
    decisions.keep(db.pool, _me(1), {one.key: SAME})
    assert [(None,)] == db.rows("SELECT verdict FROM match_decision")
    decisions.keep(db.pool, _me(2), {one.key: SAME})
    assert [("same",)] == db.rows("SELECT verdict FROM match_decision")


def test_whoever_waits_takes_over_what_was_given_back(db: Database) -> None:
    """The first asker's model fails; the second, who waited, asks in its place."""

    class _Broken:
        def ask(self, asked: Prompt, timeout_s: float) -> Reply:
            del asked, timeout_s
            threading.Event().wait(0.3)
            raise AiDown

    pairs, until = _pairs("물 1호"), time.monotonic() + 10
    with ThreadPoolExecutor(2) as threads:
        broken = threads.submit(ask.rule, _panel(db.pool, 1, _Broken()), pairs, seed="1", until=until)
        threading.Event().wait(0.1)
        told = threads.submit(ask.rule, _panel(db.pool, 2, _Everyone()), pairs, seed="2", until=until).result()
    assert ("ai_error", "") == (broken.result().why, told.why)
    assert [Same.SAME] == [ruling.verdict for ruling in told.rulings.values()]


def test_waiting_ends_at_the_deadline(db: Database) -> None:
    """Another worker's pair that never comes leaves the offer open, and the round says why."""
    pairs = _pairs("물 1호")
    decisions.take(db.pool, _me(1), pairs, model=MODEL, lease_s=60)
    began = time.monotonic()
    told = ask.rule(_panel(db.pool, 2, _Everyone()), pairs, seed="2", until=began + 0.6)
    assert ("deadline", {}) == (told.why, told.rulings)
    assert time.monotonic() - began < 3


def test_a_correction_replaces_the_one_before_and_outlives_every_version(db: Database) -> None:
    """It is found under the texts alone, whatever model is asked."""
    with db.pool.transaction() as cur:
        for verdict, who in ((Same.SAME, "kim"), (Same.DIFFERENT, "lee")):
            decisions.correct(cur, _pairs("물 1호")[0], verdict, Reason.VARIANT, who=who, why="맛")
        other = pair(Product(code="x", name=" 물 "), "물  1호", model="another")
        said = decisions.corrections(cur, [other.id])
        cases = decisions.labelled(cur)
    assert (Same.DIFFERENT, "lee", "person") == (said[other.id].verdict, said[other.id].who, said[other.id].source)
    assert [("물", "물 1호", 0, "variant", "맛")] == [
        (case["request_name"], case["offer_title"], case["label"], case["reason"], case["why"]) for case in cases
    ]


def test_the_prompt_version_is_part_of_what_is_remembered() -> None:
    """A verdict of another prompt, gate or model answers no question of this one."""
    one, other = _pairs("물 1호")[0], pair(Product(code="", name="물"), "물 1호", model="gpt-4.1-mini")
    assert one.id == other.id
    assert one.key != other.key
    assert prompt.PROMPT_VERSION in one.version
