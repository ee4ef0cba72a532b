"""Whom a match round asks: people's corrections, the shared memory of verdicts, a model that is paid for."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ai import ask, money
from store import decisions, spend
from tasks.money import caps
from tasks.runtime import runtime

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from decimal import Decimal

    from ai.cache import Pair
    from model import Job
    from ruling import Ruling

_SLACK_S = 5
"""A lease outlives the asker's own deadline by this, so that only a dead asker's pairs change hands."""


class Counsel:
    """`ai.match_open.Counsel` for one match round of one job.

    Args:
        job: whose offers are judged.
        wait: passes so many seconds between two looks; raises Lost when the round is no longer ours.
    """

    thorough = False

    def __init__(self, job: Job, wait: Callable[[float], object]) -> None:
        self._job = job
        self._wait = wait
        self._settings = runtime.settings.ai
        self._left_s = (job.deadline_at - datetime.now(UTC)).total_seconds()
        self.why_off = self._settings.why_off
        self.model = "" if self.why_off else self._settings.model

    def corrections(self, pairs: Sequence[Pair]) -> Mapping[str, Ruling]:
        """What people said."""
        with runtime.pool.autocommit() as cur:
            return decisions.corrections(cur, [pair.id for pair in pairs])

    def rule(self, pairs: Sequence[Pair]) -> ask.Asked:
        """Remembered verdicts, and one call for the rest within what is left of `[ai] deadline_s` and the search."""
        # Past the search's deadline what is remembered still counts; it is only too late to ask.
        allowed_s = max(0.0, min(self._settings.deadline_s, self._left_s))
        panel = ask.Panel(
            model=runtime.model,
            memory=Memory(self._job, self.model, allowed_s + _SLACK_S),
            purse=Purse(self._job.job_id),
            tariff=money.tariff(self._settings.prices, self.model, datetime.now(UTC).date()),
            wait=self._wait,
            max_offers=self._settings.max_offers,
            max_calls=self._settings.max_calls,
        )
        return ask.rule(panel, pairs, seed=self._job.job_id, until=time.monotonic() + allowed_s)


class Memory:
    """`ai.ask.Memory` in the database, under the round's name: its next try goes on where a killed one was."""

    def __init__(self, job: Job, model: str, lease_s: float) -> None:
        self._me = str(uuid.uuid5(uuid.UUID(job.job_id), f"match {job.round}"))
        self._model = model
        self._lease_s = lease_s

    def take(self, pairs: Sequence[Pair]) -> tuple[Mapping[str, Ruling], AbstractSet[str]]:
        """As the protocol says."""
        return decisions.take(runtime.pool, self._me, pairs, model=self._model, lease_s=self._lease_s)

    def keep(self, rulings: Mapping[str, Ruling]) -> None:
        """As the protocol says."""
        if rulings:
            decisions.keep(runtime.pool, self._me, rulings)

    def give_back(self, keys: Sequence[str]) -> None:
        """As the protocol says."""
        if keys:
            decisions.give_back(runtime.pool, self._me, keys)


class Purse:
    """`ai.ask.Purse` on the ledger."""

    def __init__(self, job_id: str) -> None:
        self._job_id = job_id

    def reserve(self, usd: Decimal, detail: Mapping[str, object]) -> str:
        """As the protocol says."""
        return spend.reserve(
            runtime.pool, caps(), kind="ai", stage="match", usd=usd, job_id=self._job_id, detail=detail
        )

    def settle(self, receipt: str, usd: Decimal, detail: Mapping[str, object]) -> None:
        """As the protocol says."""
        spend.settle(runtime.pool, receipt, usd, detail)
