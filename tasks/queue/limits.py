"""How many read a mall at once, and how soon one request follows another, across all machines.

A turn is reserved by one UPDATE; whoever got it waits for it. A slot belongs to a running message and is free as soon
as that no longer runs under its fence: ended, reaped or cancelled, nobody has to give it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor
    from tasks.queue.delivery import Delivery

SQL = beside(__file__)


def turn(cur: Cursor, mall: str, *, gap_s: float, most_s: float) -> float | None:
    """Reserve the next request to a mall: seconds until it may begin; None if that is more than `most_s`."""
    cur.execute(SQL["turn"], {"mall": mall, "gap_s": gap_s, "most_s": most_s})
    row = cur.fetchone()
    return None if row is None else float(row[0])


def slot(cur: Cursor, mall: str, delivery: Delivery, *, most: int) -> bool:
    """Be one of at most `most` that read this mall, until this try ends; needs a transaction."""
    values = {"mall": mall, "most": most, "message_id": delivery.message_id, "fence": delivery.fence}
    cur.execute(SQL["alone"], values)
    cur.execute(SQL["make"], values)
    cur.execute(SQL["slot"], values)
    return bool(cur.rowcount)


def postpone(cur: Cursor, delivery: Delivery, delay_s: float) -> bool:
    """There is no room now: the message waits, and the try does not count."""
    cur.execute(SQL["postpone"], {"message_id": delivery.message_id, "fence": delivery.fence, "delay_s": delay_s})
    return bool(cur.rowcount)
