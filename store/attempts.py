"""Rows of `attempt`, the append-only record of every try (the queue writes them, with the end of each try)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One try of one stage, ended."""

    stage: str
    round: int
    try_: int
    worker: str
    started_at: datetime
    ended_at: datetime
    outcome: str
    error: str | None = None

    @property
    def took_ms(self) -> int:
        """How long it ran."""
        return round((self.ended_at - self.started_at).total_seconds() * 1000)


def of_job(cur: Cursor, job_id: str) -> list[Attempt]:
    """Every ended try of a job's stages, oldest first."""
    cur.execute(SQL["of_job"], (job_id,))
    return [
        Attempt(
            stage=stage,
            round=round_,
            try_=try_,
            worker=worker,
            started_at=started,
            ended_at=ended,
            outcome=outcome,
            error=error,
        )
        for stage, round_, try_, worker, started, ended, outcome, error in cur.fetchall()
    ]


def deadline(cur: Cursor, job_id: str, mall: str, error: str) -> None:
    """Record that the search's time ran out while this mall was still being read."""
    cur.execute(SQL["deadline"], {"job_id": job_id, "mall": mall, "error": error})
