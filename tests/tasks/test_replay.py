"""A replayed dead letter takes its search up again, and the search ends as if nothing had failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from errors import Blocked, Drift, UpstreamDown
from model import JobStatus
from tasks import operate
from tasks.operate import Which
from tests.tasks.conftest import WATER, Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from tests.conftest import Database

ALL = Which()


def _lose_naver(market: ScriptedMarket) -> None:
    market.script["naver"] = [UpstreamDown("refused")] * 5 + [[offer("naver", 4_000)]]
    market.script["coupang"] = [[offer("coupang", 7_000)]]


def test_a_replayed_mall_completes_a_search_that_ended_without_it(
    bench: Bench, market: ScriptedMarket, db: Database
) -> None:
    """The answer is the one it would have been, in one row of history; the failed tries stay on record."""
    _lose_naver(market)
    job = bench.search()
    assert job.result is not None
    assert (False, 7_000) == (job.result["complete"], job.result["lowest"]["price"])
    change = operate.replay(ALL, who="kim")
    assert (1, 1, {}) == (change.matching, len(change.outcomes.changed), change.outcomes.refused)
    again = bench.wait(job.job_id)
    assert again.result is not None
    assert (True, 4_000, "naver") == (
        again.result["complete"],
        again.result["lowest"]["price"],
        again.result["lowest"]["mall"],
    )
    assert [(4_000, "naver")] == db.rows("SELECT final_lowest, final_source FROM price_history")
    tries = [row[0] for row in db.rows("SELECT outcome FROM attempt WHERE stage = 'naver' ORDER BY attempt_id")]
    assert ["retry"] * 4 + ["dead", "ok"] == tries


def test_a_second_click_changes_nothing(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Neither while the replayed stage runs nor after it."""
    _lose_naver(market)
    job = bench.search()
    letters = operate.dead_letters()
    assert 1 == len(operate.replay(Which(ids=[letters[0].message.message_id[:8]]), who="kim").outcomes.changed)
    assert [] == operate.replay(ALL, who="kim").letters
    bench.wait(job.job_id)
    assert [] == operate.replay(Which(ids=[job.job_id]), who="kim").letters
    assert [("kim", "replay")] == db.rows("SELECT who, action FROM audit")


def test_a_search_that_died_of_its_malls_lives_again(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """DEAD to RUNNING to DONE; malls that answered "blocked" are not dead letters and stay as they were."""
    for mall in ("gmarket", "auction", "st11"):
        market.script[mall] = [Drift("changed")]
    for mall in ("naver", "coupang"):
        market.script[mall] = [UpstreamDown("refused")] * 5 + [[offer(mall, 5_000)]]
    job = bench.search()
    assert JobStatus.DEAD is job.status
    assert 2 == len(operate.replay(ALL, who="kim", stagger_s=0).outcomes.changed)
    again = bench.wait(job.job_id)
    assert (JobStatus.DONE, None) == (again.status, again.error)
    assert again.result is not None
    sources = {mall: source["outcome"] for mall, source in again.result["sources"].items()}
    assert {"naver": "ok", "coupang": "ok", "gmarket": "drift", "auction": "drift", "st11": "drift"} == sources
    assert 1 == market.count("gmarket")


def test_a_replayed_match_goes_on_where_it_stood(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """Its job died with it; no mall is asked again."""
    market.script["naver"] = [[offer("naver", 5_000)]]
    # What the malls answered cannot be read: match fails on every try.
    broken = "CREATE FUNCTION lps.broken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE division_by_zero; END'"
    db.rows(broken)
    db.rows("CREATE TRIGGER broken BEFORE INSERT ON offer_verdict FOR EACH ROW EXECUTE FUNCTION lps.broken()")
    try:
        job = bench.search()
        assert JobStatus.DEAD is job.status
    finally:
        db.rows("DROP TRIGGER broken ON offer_verdict; DROP FUNCTION lps.broken()")
    asked = len(market.asked)
    [group] = operate.dead_groups()
    assert ("match", 1) == (group.queue, group.count)
    operate.replay(Which(group=group.key), who="kim")
    again = bench.wait(job.job_id)
    assert (JobStatus.DONE, asked) == (again.status, len(market.asked))


def test_a_stage_whose_product_is_searched_again_is_refused(market: ScriptedMarket, db: Database) -> None:
    """One search a product at a time: the text names the other one, and the letter stays."""
    job_id = _dead_job(db)
    from tasks.submit import submit

    other = submit(WATER, again=True)
    assert other.job_id != job_id
    [why] = operate.replay(ALL, who="kim").outcomes.refused.values()
    assert other.job_id in why
    assert 1 == len(operate.dead_letters())
    assert [] == db.rows("SELECT * FROM audit")


def test_a_cancelled_search_is_not_revived(market: ScriptedMarket, db: Database) -> None:
    """What a person ended stays ended."""
    job_id = _dead_job(db)
    db.rows("UPDATE job SET status = 5, error = 'not wanted' WHERE job_id = %s", job_id)
    [why] = operate.replay(ALL, who="kim").outcomes.refused.values()
    assert "cancelled: not wanted" in why


def test_a_dry_run_and_a_cap_take_no_more_than_they_say(market: ScriptedMarket, db: Database) -> None:
    """The oldest go first; what is left is told."""
    _dead_job(db)
    change = operate.replay(ALL, who="kim", dry_run=True)
    assert (1, 1, []) == (change.matching, len(change.letters), change.outcomes.changed)
    assert 1 == len(operate.dead_letters())
    with pytest.raises(ValueError, match="cap"):
        operate.replay(ALL, who="kim", cap=100_000)
    with pytest.raises(ValueError, match="no id"):
        Which(ids=["%"])


def test_a_letter_is_shown_with_its_earlier_lives(bench: Bench, market: ScriptedMarket) -> None:
    """Every try, and who replayed it."""
    market.script["naver"] = [UpstreamDown("refused")]
    market.script["coupang"] = [Blocked("no", kind="akamai")]
    job = bench.search()
    operate.replay(ALL, who="kim")
    bench.wait(job.job_id)
    letter, tries, notes = operate.dead_letter(operate.dead_letters()[0].message.message_id[:6])
    assert ("naver", 10) == (letter.message.actor, len(tries))
    assert [("kim", "replay", 5)] == [(note.who, note.action, note.detail["attempts"]) for note in notes]


def _dead_job(db: Database) -> str:
    """A search that a dead naver stage left DEAD."""
    from tasks.submit import submit

    job_id = submit(WATER).job_id
    db.rows("UPDATE job SET status = 4, error = 'no source answered', finished_at = lps.now()")
    db.rows("UPDATE job_source SET outcome = 'net', finished_at = lps.now()")
    db.rows("UPDATE dramatiq.queue SET state = 'rejected', last_error = 'UpstreamDown: x' WHERE queue_name = 'naver'")
    db.rows("DELETE FROM dramatiq.queue WHERE queue_name <> 'naver'")
    return job_id
