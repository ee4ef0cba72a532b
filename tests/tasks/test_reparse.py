"""Kept pages read again: what another parser would have seen, and whether the buyer would be told something else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tasks.operate import NotFound
from tasks.reparse import reparse
from tests.tasks.test_canary import RICE
from tests.tasks.test_canary import market as market  # noqa: PLC0414 - a fixture, by its name

if TYPE_CHECKING:
    from pathlib import Path

    from sandbox.server import Market
    from tests.conftest import Database
    from tests.tasks.conftest import Bench


def test_today_reads_as_yesterday(bench: Bench, market: Market) -> None:
    """The same parsers on the same bytes: nothing added, removed or changed, and the same winner."""
    market.set_scenario("gmarket", "block403")
    found = reparse(bench.search(RICE).job_id)
    assert 5 == len(found.malls)
    assert [] == [mall for mall in found.malls if mall.added or mall.removed or mall.changed]
    assert all(page.was == page.now for mall in found.malls for page in mall.pages)
    assert (True, True) == (found.same_winner, found.now is not None)
    assert {"blocked cloudflare"} == {page.now for mall in found.malls for page in mall.pages if mall.mall == "gmarket"}


def test_what_would_change_is_told(bench: Bench, market: Market, db: Database) -> None:
    """Stored as a worse parser would have: one offer missed, the winner's price misread."""
    job = bench.search(RICE)
    assert job.result is not None
    mall = job.result["lowest"]["mall"]
    ((stored,),) = db.rows("SELECT offers FROM job_source WHERE job_id = %s AND mall = %s", job.job_id, mall)
    offers = [offer for offer in stored if offer["url"] != job.result["lowest"]["url"]]  # type: ignore[attr-defined]
    offers[0]["price_krw"] += 1
    db.rows("UPDATE job_source SET offers = %s WHERE job_id = %s AND mall = %s", json.dumps(offers), job.job_id, mall)
    found = reparse(job.job_id)
    (changed,) = [one for one in found.malls if one.added or one.removed or one.changed]
    assert (mall, [job.result["lowest"]["url"]]) == (changed.mall, [offer.url for offer in changed.added])
    ((_, fields),) = changed.changed
    assert {"price_krw": (offers[0]["price_krw"], offers[0]["price_krw"] - 1)} == fields
    assert not found.same_winner
    assert found.now is not None
    assert job.result["lowest"]["url"] == found.now.url


def test_pages_that_are_gone_leave_the_stored_offers(bench: Bench, market: Market, tmp_path: Path) -> None:
    """Removed, or damaged: said, and nobody's offers disappear."""
    job = bench.search(RICE)
    for file in tmp_path.rglob("*.gz"):
        file.write_bytes(b"damaged")
    found = reparse(job.job_id)
    assert not any(mall.complete for mall in found.malls)
    assert all(page.error for mall in found.malls for page in mall.pages)
    assert found.same_winner


def test_what_was_never_searched_cannot_be_read_again(bench: Bench, market: Market) -> None:
    """No such job, or no id at all."""
    for job_id in ("00000000-0000-0000-0000-000000000000", "x"):
        with pytest.raises(NotFound):
            reparse(job_id)
