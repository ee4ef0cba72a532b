"""What a search's end sets off, in the transaction that ends it: callbacks, a watched price, the next row of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import Priority
from store import jobs
from tasks import letters, watch
from tasks.runtime import runtime

if TYPE_CHECKING:
    from store.pool import Cursor


def ended(cur: Cursor, job_id: str) -> None:
    """A search is final now."""
    letters.ended(cur, job_id)
    watch.priced(cur, job_id)
    batch_id = jobs.batch_of(cur, job_id)
    if batch_id:
        message = runtime.broker.message("bulk", batch_id, job=job_id, step="bulk", priority=Priority.BATCH)
        runtime.broker.enqueue_in(cur, message)
