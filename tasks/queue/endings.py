"""How a try ends: finish, retry, bury, release. Each acts only for the owner, and says whether it was still that.

    queued ──claim──► consumed ──finish──► done
       ▲                 │  │
       └─retry, release──┘  └──bury──► rejected

Every function takes a cursor first and writes the ending and its row in `attempt` together.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from store import prepared
from store.prepared import INDEXED
from store.sql import beside
from tasks.queue.delivery import DeadMessage
from tasks.queue.payload import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from store.pool import Cursor
    from tasks.queue.delivery import Delivery

SQL = beside(__file__)


def finish(
    cur: Cursor,
    delivery: Delivery,
    *,
    outcome: str = "done",
    mall: str | None = None,
    error: BaseException | None = None,
    before: str = "",
) -> bool:
    """The work is done. `outcome`, `mall` and `error` go into the attempt: a source says how the mall answered.

    `before`: what opens the transaction in the same round trip, see `store.prepared`.
    """
    row = _row(delivery, outcome, error)
    prepared.execute(cur, "lps_finish", SQL["finish"], row | {"mall": mall or delivery.mall}, before)
    return bool(cur.rowcount)


def finish_all(cur: Cursor, deliveries: Sequence[Delivery]) -> set[tuple[str, int]]:
    """`finish` for many at once; gives the keys of those that were still ours."""
    rows = [_row(delivery, delivery.outcome, None) for delivery in deliveries]
    prepared.execute(cur, "lps_finish_all", SQL["finish_all"], {"rows": json.dumps(rows, default=str)}, INDEXED)
    return set(cur.fetchall())


def retry(
    cur: Cursor, delivery: Delivery, error: BaseException, delay_s: float, outcome: Literal["retry", "lost"] = "retry"
) -> bool:
    """It failed, or its worker is gone; the same row waits `delay_s` seconds."""
    row = _row(delivery, outcome, error) | {"delay_s": delay_s}
    cur.execute(SQL["retry"], row)
    return bool(cur.rowcount)


def bury(cur: Cursor, delivery: Delivery, error: BaseException) -> bool:
    """It is dead, with the reason."""
    cur.execute(SQL["bury"], _row(delivery, "dead", error))
    return bool(cur.rowcount)


def release(cur: Cursor, delivery: Delivery) -> bool:
    """This worker will not do it; another may at once."""
    cur.execute(SQL["release"], _row(delivery, "released", None))
    return bool(cur.rowcount)


def dead(delivery: Delivery, error: BaseException) -> DeadMessage:
    """What `on_dead` is told."""
    return DeadMessage(
        message_id=delivery.message_id,
        queue=delivery.queue,
        actor=delivery.actor_name,
        args=delivery.args,
        kwargs=delivery.kwargs,
        options=delivery.options,
        attempts=delivery.attempt,
        error_type=type(error).__name__,
        error=clean(str(error)),
        exception=error,
    )


def _row(delivery: Delivery, outcome: str, error: BaseException | None) -> dict[str, Any]:
    return {
        "message_id": delivery.message_id,
        "fence": delivery.fence,
        "job_id": delivery.job_id,
        "stage": delivery.actor_name,
        "mall": delivery.mall,
        "round": delivery.round,
        "try": delivery.attempt,
        "worker": delivery.worker,
        "started_at": delivery.started_at,
        "outcome": outcome,
        "error_type": None if error is None else type(error).__name__,
        "error": None if error is None else clean(str(error)),
    }
