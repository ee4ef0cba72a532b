"""Ending the messages of a cancelled job, running ones too: with their fence raised, what they bring is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import MALLS
from store.sql import beside
from tasks.queue.payload import clean, message_id

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)
STEPS = (*MALLS, "match", "persist")


def cancel(cur: Cursor, job_id: str, last_round: int, reason: str) -> tuple[int, int]:
    """End every message of a job's search, and tell the workers at COMMIT. Gives how many waited, and how many ran.

    Lock order: messages before the job's row, as in every `effect`.
    """
    ids = [message_id(job_id, step, number) for step in STEPS for number in range(last_round + 2)]
    cur.execute(SQL["cancel"], {"job_id": job_id, "ids": ids, "malls": list(MALLS), "reason": clean(reason)})
    waited, ran, _ = cur.fetchone()
    return waited, ran
