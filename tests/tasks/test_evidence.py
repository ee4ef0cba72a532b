"""What a search leaves behind: the pages of winner and runner-up, and every page that could not be read."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

import config
from crawl import Page, Seen, parse_file
from crawl.evidence import FRESH_S, Folder
from crawl.mall import Body
from errors import Blocked, UpstreamDown
from model import Offer, SourceOutcome
from store import evidence as rows
from tasks import evidence
from tests.tasks.conftest import ENV, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Database


@pytest.fixture
def folder(market: ScriptedMarket, tmp_path: Path, db: Database) -> Folder:
    """Evidence goes here, and all five malls are asked."""
    del db
    return use(market, tmp_path)


def use(market: ScriptedMarket, path: Path, **env: str) -> Folder:
    """Work with these settings from now on."""
    from tasks.runtime import runtime

    settings = config.load(env=ENV | {"LPS_EVIDENCE__DIR": str(path), "LPS_SEARCH__FALLBACK": "always"} | env)
    runtime.use(settings, runtime.pool, market)
    return Folder(path / "sandbox")


def seen(mall: str, text: str = "<html>", **body: Any) -> tuple[Seen, ...]:
    """A page as it came."""
    came = Body(content=text, url=f"https://{mall}.example/?q=1&key=hidden", **body)
    return (Seen(body=came, reading=parse_file(mall, text, status=came.status)),)


def page(mall: str, *offers: Offer) -> Page:
    """A page with these offers, whose body names the mall."""
    read = Seen(body=seen(mall, f"<html>{mall}")[0].body, reading=parse_file("naver", '{"total": 0, "items": []}'))
    outcome = SourceOutcome.OK if offers else SourceOutcome.EMPTY
    return Page(mall=mall, query="q", outcome=outcome, offers=offers, cards=len(offers), seen=(read,))


def refused(mall: str, error: type[Blocked | UpstreamDown], kind: str) -> Blocked | UpstreamDown:
    """A failure with the page that caused it."""
    failure = error(f"{mall} refuses", kind=kind)
    failure.seen = seen(mall, "<title>Just a moment...</title>", status=403)
    return failure


def search(bench: Bench, market: ScriptedMarket) -> str:
    """Naver wins before Auction and Coupang; Gmarket refuses, 11st has nothing."""
    market.script["naver"] = [page("naver", offer("naver", 5_000))]
    market.script["coupang"] = [page("coupang", offer("coupang", 7_000))]
    market.script["auction"] = [page("auction", offer("auction", 6_000))]
    market.script["gmarket"] = [refused("gmarket", Blocked, "cloudflare")]
    market.script["st11"] = [page("st11")]
    return bench.search().job_id


def kept(db: Database) -> dict[str, bool]:
    """Mall → whether its page stays."""
    return {str(mall): bool(keep) for mall, keep in db.rows("SELECT mall, keep FROM evidence")}


def test_winner_runner_up_and_failures_stay(bench: Bench, market: ScriptedMarket, db: Database, folder: Folder) -> None:
    """The rows name hash, address without secrets, status and outcome; the bodies are as they came."""
    job = search(bench, market)
    wanted = {"naver": True, "auction": True, "gmarket": True, "coupang": False, "st11": False}
    assert wanted == {mall: keep for mall, keep in kept(db).items() if mall in wanted}
    with db.pool.autocommit() as cur:
        by_mall = {row.mall: row for row in rows.of_job(cur, job)}
    refusal = by_mall["gmarket"]
    assert ("blocked", "cloudflare", 403, "utf-8") == (refusal.outcome, refusal.kind, refusal.status, refusal.charset)
    assert "https://gmarket.example/?q=1&key=…" == refusal.url
    assert b"Just a moment" in folder.get(refusal.sha256)
    assert b"<html>naver" == folder.get(by_mall["naver"].sha256)


def test_the_rest_goes_after_an_hour_and_all_of_it_after_its_days(
    bench: Bench, market: ScriptedMarket, db: Database, folder: Folder
) -> None:
    """Rows first, then the bodies that no row names."""
    search(bench, market)
    old(folder)
    assert 0 == evidence.prune()
    db.rows("UPDATE evidence SET fetched_at = fetched_at - interval '2 hours'")
    assert 3 == evidence.prune()  # 11st was asked twice
    assert {"naver", "auction", "gmarket"} == set(kept(db))
    assert 3 == len(list(folder.path.glob("*/*.gz")))
    db.rows("UPDATE evidence SET fetched_at = fetched_at - interval '15 days'")
    evidence.prune()
    assert ({}, []) == (kept(db), list(folder.path.glob("*/*.gz")))


def old(folder: Folder) -> None:
    """Make every file old enough to be removed."""
    for file in folder.path.glob("*/*.gz"):
        os.utime(file, (time.time() - 2 * FRESH_S,) * 2)


def test_a_retried_failure_leaves_its_page_too(
    bench: Bench, market: ScriptedMarket, db: Database, folder: Folder
) -> None:
    """What a later try makes good was still seen."""
    market.script["naver"] = [refused("naver", UpstreamDown, "http_500"), page("naver", offer("naver", 5_000))]
    assert bench.done()["complete"]
    assert 2 == len(db.rows("SELECT 1 FROM evidence WHERE mall = 'naver'"))
    assert list(folder.path.glob("*/*.gz"))


@pytest.mark.parametrize(("keep", "malls"), [("all", 5), ("none", 0)])
def test_it_can_be_all_or_nothing(
    bench: Bench, market: ScriptedMarket, db: Database, tmp_path: Path, keep: str, malls: int
) -> None:
    """By switch."""
    use(market, tmp_path, LPS_EVIDENCE__KEEP=keep)
    search(bench, market)
    assert malls == sum(kept(db).values()) == len(kept(db))


def test_a_folder_that_cannot_be_written_costs_no_search(
    bench: Bench, market: ScriptedMarket, db: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A named warning, and the answer all the same."""
    (tmp_path / "file").write_text("in the way")
    use(market, tmp_path / "file")
    market.script["naver"] = [page("naver", offer("naver", 5_000))]
    assert "found" == bench.done()["outcome"]
    assert {} == kept(db)
    said = capsys.readouterr()
    assert "evidence is not kept" in said.out + said.err
