"""Stages of a search as people see them go by."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cli import progress
from model import Decision, Job, JobSource, JobStatus, Offer, Product, Reason, Same, SourceOutcome, SourceReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

NOW = datetime(2026, 11, 30, tzinfo=UTC)


class Recorder(progress.Silent):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def begin(self, stage: str) -> None:
        """A stage works."""
        self.told.append(f"{stage} …")

    def end(self, stage: str, text: str) -> None:
        """A stage is over."""
        self.told.append(f"{stage} {text}")


def job(status: JobStatus = JobStatus.RUNNING, outcome: str | None = None) -> Job:
    """A job of this status."""
    return Job(
        job_id="j",
        status=status,
        product=Product(code="c", name="n"),
        round=0,
        dedupe_key="k",
        deadline_at=NOW,
        created_at=NOW,
        updated_at=NOW,
        result={"outcome": outcome} if outcome else None,
    )


def source(mall: str, outcome: SourceOutcome | None = None, round_: int = 0, error: str = "") -> JobSource:
    """A mall being read, or read with this outcome in 120 ms."""
    report = SourceReport(mall=mall, outcome=outcome, error=error, took_ms=120) if outcome else None
    return JobSource(mall=mall, outcome=outcome, round=round_, report=report)


def shown(*polls: Sequence[JobSource]) -> list[str]:
    """What is told when the database says this, poll after poll."""
    recorder = Recorder()
    stages = progress.Stages(recorder)
    for sources in polls:
        stages.show(job(), sources)
    return recorder.told


def test_each_stage_begins_and_ends_once_however_often_it_is_looked_at() -> None:
    """Polling shows nothing twice."""
    reading, read = [source("naver"), source("coupang")], [source("naver", SourceOutcome.OK), source("coupang")]
    assert ["naver …", "coupang …", "naver ok, 0 offers, 0.1 s"] == shown(reading, reading, read, read)


def test_match_begins_when_the_last_mall_was_read() -> None:
    """And not before any was asked."""
    assert [] == shown([])
    assert ["naver ok, 0 offers, 0.1 s", "match …"] == shown([source("naver", SourceOutcome.OK)])


def test_a_mall_read_again_in_a_later_round_is_shown_again() -> None:
    """A second look is news."""
    told = shown([source("naver", SourceOutcome.OK)], [source("naver")], [source("naver", SourceOutcome.EMPTY, 1)])
    assert ["naver …", "naver empty, 0 offers, 0.1 s"] == told[2:4]


def test_a_failure_says_why() -> None:
    """The reason beside the outcome."""
    assert "coupang blocked (Access Denied)" in shown([source("coupang", SourceOutcome.BLOCKED, error="Access Denied")])


def test_the_end_counts_what_was_judged() -> None:
    """Offers, and how many are the same product."""
    recorder = Recorder()
    offer = Offer(mall="naver", rank=1, name="n", price_krw=1, url="u")
    same = Decision(offer=offer, verdict=Same.SAME, reason=Reason.OK, confidence=1)
    other = Decision(offer=offer, verdict=Same.DIFFERENT, reason=Reason.COUNT, confidence=1)
    progress.Stages(recorder).finish(job(JobStatus.DONE, "found"), [same, other])
    assert ["match 2 offers judged, 1 the same product", "persist stored: found"] == recorder.told


def test_a_dead_search_leaves_no_stage_open() -> None:
    """Whatever was still working was given up."""
    recorder = Recorder()
    stages = progress.Stages(recorder)
    stages.show(job(), [source("naver")])
    stages.finish(job(JobStatus.DEAD), [])
    assert ["naver …", "naver given up"] == recorder.told


def test_without_a_terminal_there_are_lines_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing of it reaches stdout, where the result goes."""
    chosen = progress.choose()
    assert isinstance(chosen, progress.Lines)
    chosen.end("naver", "ok")
    assert ("", "  naver    ok\n") == capsys.readouterr()


def test_bars_show_every_stage_with_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    """A stage that nobody saw begin gets its bar too."""
    with progress.Bars() as bars:
        bars.begin("naver")
        bars.end("naver", "ok, [3] offers")
        bars.end("match", "done")
    said = capsys.readouterr()
    assert "" == said.out
    assert "ok, [3] offers" in said.err
    assert "match" in said.err
