"""A search as it goes, on stderr: a bar a stage on a terminal, a line a finished stage otherwise."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol, Self

from model import Same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.progress import TaskID

    from model import Decision, Job, JobSource, SourceReport

MATCH = "match"
PERSIST = "persist"


class Progress(Protocol):
    """Shows the stages of one search."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def begin(self, stage: str) -> None:
        """This stage works now."""
        ...

    def end(self, stage: str, text: str) -> None:
        """This stage is over, and this came of it."""
        ...


def choose(*, quiet: bool = False) -> Progress:
    """Bars when stderr is a terminal; nothing at all when quiet."""
    if quiet:
        return Silent()
    return Bars() if sys.stderr.isatty() else Lines()


class Silent:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    def begin(self, stage: str) -> None:
        """Nothing to show."""

    def end(self, stage: str, text: str) -> None:
        """Nothing to show."""


class Lines(Silent):
    """A line a finished stage."""

    def end(self, stage: str, text: str) -> None:
        """Say it."""
        print(f"  {stage:<8} {text}", file=sys.stderr, flush=True)


class Bars:
    """A bar a stage."""

    def __init__(self) -> None:
        # rich takes a tenth of a second to load, which nobody without a terminal should wait for.
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
        from rich.progress import Progress as Rich  # noqa: PLC0415

        self._rich = Rich(
            SpinnerColumn(finished_text="•"),
            TextColumn("{task.fields[stage]:<8}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            TextColumn("{task.fields[text]}", markup=False),
            console=Console(stderr=True),
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._rich.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._rich.stop()

    def begin(self, stage: str) -> None:
        """Let its bar move; a stage that works again gets another one."""
        self._tasks[stage] = self._rich.add_task("", stage=stage, text="", total=None)

    def end(self, stage: str, text: str) -> None:
        """Fill its bar."""
        if stage not in self._tasks:
            self.begin(stage)
        self._rich.update(self._tasks[stage], total=1, completed=1, text=text)


class Stages:
    """Turns what the database says, poll after poll, into stages that begin and end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._open: set[str] = set()
        self._told: dict[str, int] = {}
        self._matched_round = -1

    def show(self, job: Job, sources: Sequence[JobSource]) -> None:
        """The job as it is now."""
        for source in sources:
            if source.report is None:
                self._begin(source.mall)
            elif self._told.get(source.mall) != source.round:
                self._told[source.mall] = source.round
                self._end(source.mall, describe(source.report))
        if not job.final and sources and all(source.report for source in sources):
            self._begin(MATCH)

    def finish(self, job: Job, decisions: Sequence[Decision]) -> None:
        """The job is final."""
        if job.result is None:
            for stage in sorted(self._open):
                self._end(stage, "given up")
            return
        same = sum(decision.verdict is Same.SAME for decision in decisions)
        self._end(MATCH, f"{len(decisions)} offers judged, {same} the same product")
        self._end(PERSIST, f"stored: {job.result['outcome']}")

    def _begin(self, stage: str) -> None:
        if stage not in self._open:
            self._open.add(stage)
            self._progress.begin(stage)

    def _end(self, stage: str, text: str) -> None:
        self._open.discard(stage)
        self._progress.end(stage, text)


def describe(report: SourceReport) -> str:
    """What became of one mall, in a few words."""
    seconds = f"{report.took_ms / 1000:.1f} s"
    if report.outcome.answered:
        return f"{report.outcome}, {len(report.offers)} offers, {seconds}"
    why = ": ".join(part for part in (report.kind, report.error) if part)
    return f"{report.outcome}{f' ({why})' if why else ''}"
