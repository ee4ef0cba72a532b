"""Submits a product and waits for its result, with every stage shown as it ends."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

import config
import store.jobs
import store.offers
from cli import progress
from errors import BadProduct, LpsError, Setup
from model import JobStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from config import Settings
    from model import Decision, Job, JobSource, Product, Submitted
    from store.pool import Pool

_POLL_S = 0.05
_SLACK_S = 45.0
"""Seconds past a search's deadline after which nobody seems to work on it: a lease, the reaper, a match."""


class Stopped(LpsError):
    """Stopped by Ctrl-C."""


class Stopping:
    """Whether we were asked to stop, and whether once more, impatiently."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.hurry = threading.Event()

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[None]:
        """Take SIGINT, SIGTERM and SIGHUP as the question."""

        def ask(_number: int, _frame: FrameType | None) -> None:
            (self.hurry if self.asked.is_set() else self.asked).set()

        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = [signal.signal(number, ask) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """A search that is over."""

    job: Job
    submitted: Submitted
    sources: list[JobSource]
    decisions: list[Decision]

    @property
    def status(self) -> int:
        """The exit status: 0 found, 3 not found or no safe match, 1 anything else."""
        if self.job.status is not JobStatus.DONE or self.job.result is None:
            return 1
        return 0 if self.job.result["outcome"] == "found" else 3


def require_usable(product: Product) -> None:
    """Refuse a product that cannot be searched for, before anything is started for it.

    Raises:
        UsageError: the text names the field.
    """
    from tasks.submit import check  # noqa: PLC0415 - reads the settings and loads the tasks: not for `--help`

    try:
        check(product)
    except BadProduct as error:
        raise click.UsageError(str(error)) from error


def follow(
    product: Product,
    settings: Settings,
    stopping: Stopping,
    *,
    turn: Callable[[], None],
    shown: progress.Progress,
    again: bool = False,
    deadline_s: float | None = None,
) -> Finished:
    """Search for a product to the end.

    Args:
        settings: of the place where the workers are.
        turn: called between two looks; it may raise to end the waiting.
        shown: where the stages appear.

    Raises:
        BadProduct: it cannot be searched for.
        Stopped: we were asked to stop; the search is cancelled if it was ours.
        Setup: nobody works on the search.
    """
    config.adopt(settings)
    from tasks.runtime import runtime  # noqa: PLC0415 - reads the settings and loads the tasks: not for `--help`
    from tasks.submit import submit  # noqa: PLC0415 - as above

    runtime.use(settings)
    limit_s = (deadline_s or settings.search.deadline_s) + _SLACK_S
    try:
        submitted = submit(product, again=again, deadline_s=deadline_s)
        if submitted.cached:
            shown = progress.Silent()  # Nothing happens that could be watched.
        with shown:
            stages = progress.Stages(shown)
            job = _wait(runtime.pool, submitted, stages, stopping, turn, time.monotonic() + limit_s)
            with runtime.pool.autocommit() as cur:
                sources = store.offers.sources(cur, job.job_id)
                decisions = store.offers.decisions(cur, job.job_id)
            stages.show(job, sources)
            stages.finish(job, decisions)
    finally:
        runtime.close()
    return Finished(job=job, submitted=submitted, sources=sources, decisions=decisions)


def _wait(
    pool: Pool,
    submitted: Submitted,
    stages: progress.Stages,
    stopping: Stopping,
    turn: Callable[[], None],
    deadline: float,
) -> Job:
    while True:
        with pool.autocommit() as cur:
            job = store.jobs.get(cur, submitted.job_id)
            sources = store.offers.sources(cur, submitted.job_id)
        if job is None:
            raise Setup(f"job {submitted.job_id} is no longer in the database")
        if job.final:
            return job
        stages.show(job, sources)
        if time.monotonic() > deadline:
            raise Setup(f"job {submitted.job_id} is not done long after its deadline: does a worker run?")
        turn()
        if stopping.asked.wait(_POLL_S):
            if not submitted.deduped:
                with pool.autocommit() as cur:
                    store.jobs.cancel(cur, submitted.job_id, "stopped by Ctrl-C")
            raise Stopped
