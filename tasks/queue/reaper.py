"""Messages whose owner is gone come back: queued again, or dead when every try is used up. Row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from errors import LpsError
from store.sql import beside
from tasks.queue import endings
from tasks.queue.delivery import read

if TYPE_CHECKING:
    from store.pool import Cursor
    from tasks.queue.broker import LpsBroker
    from tasks.queue.delivery import Delivery

SQL = beside(__file__)
LIMIT = 200

log = structlog.get_logger(__name__)


class WorkerGoneError(LpsError):
    """The worker that ran this message is gone, or did not renew its lease."""


@dataclass(frozen=True, slots=True)
class Reaped:
    """What one pass of the reaper did."""

    queued: int = 0
    dead: int = 0
    failed: int = 0
    """Rows that could not be reaped now; they are tried again after a lease."""


def reap(cur: Cursor, broker: LpsBroker) -> Reaped:
    """Bring back at most `LIMIT` expired leases; nothing if another reaper is at work."""
    cur.execute(SQL["lead"])
    if not cur.fetchone()[0]:
        return Reaped()
    cur.execute(SQL["expired"], {"limit": LIMIT})
    counts = {"queued": 0, "dead": 0, "failed": 0}
    for *row, queue, worker in cur.fetchall():
        delivery, _ = read(queue, tuple(row))
        delivery.worker = worker
        error = WorkerGoneError(f"{delivery.worker} is gone after try {delivery.attempt}")
        counts[bring_back(cur, broker, delivery, error)] += 1
    return Reaped(**counts)


def bring_back(cur: Cursor, broker: LpsBroker, delivery: Delivery, error: LpsError) -> str:
    """Take a message from its worker: `queued` again, `dead` when no try is left, `failed` if it cannot be written."""
    cur.execute("SAVEPOINT reap")
    try:
        if delivery.attempt >= broker.max_attempts_of(delivery):
            endings.bury(cur, delivery, error)
            if broker.on_dead:
                broker.on_dead(cur, endings.dead(delivery, error))
            state = "dead"
        else:
            # The first loss is hardly the message's fault; one that kills its workers waits longer each time.
            endings.retry(cur, delivery, error, (delivery.attempt - 1) * broker.min_backoff_s, outcome="lost")
            state = "queued"
    except Exception as failure:
        # on_dead is not ours: one row that cannot be buried must not keep the others from coming back.
        cur.execute("ROLLBACK TO SAVEPOINT reap")
        cur.execute(
            SQL["postpone"],
            {"message_id": delivery.message_id, "fence": delivery.fence, "lease_s": broker.lease_s},
        )
        log.exception("reap", message_id=delivery.message_id, error=str(failure))
        return "failed"
    cur.execute("RELEASE SAVEPOINT reap")
    log.warning("reaped", stage=delivery.actor_name, id=delivery.subject, worker=delivery.worker, state=state)
    return state
