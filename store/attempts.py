"""Rows of `attempt`, the append-only record of every try (the queue writes them, with the end of each try)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import Attempt
from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)


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
