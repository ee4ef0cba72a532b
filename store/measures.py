"""What the alert rules look at: one statement a rule, each apart, so that one that fails leaves the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from errors import DatabaseDown
from model import Reading
from store.pool import DatabaseError, describe
from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Callable

    from store.pool import Cursor

T = TypeVar("T")

SQL = beside(__file__)
_MEASURES = {
    "dead": SQL["dead"],
    "blocks": SQL["blocks"],
    "queue_lag": SQL["queue_lag"],
    "deadline": SQL["deadline"],
    "cost": SQL["cost"],
    "proxy_ports_low": SQL["proxy_ports_low"],
    "budget_leak": SQL["budget_leak"],
    "worker_down": SQL["worker_down"],
    "no_consumer": SQL["no_consumer"],
    "drift": SQL["drift"],
    "scheduler_late": SQL["scheduler_late"],
    "delivery_failing": SQL["delivery_failing"],
    "dead_letters": SQL["dead_letters"],
    "ledger_leak": SQL["ledger_leak"],
}


def apart(cur: Cursor, read: Callable[[], T]) -> T | str:
    """What `read` gives; or why it failed, the transaction going on without it.

    Raises:
        DatabaseDown: the connection broke.
    """
    cur.execute(SQL["begin"])
    try:
        found = read()
    except DatabaseError as error:
        if cur.connection.closed:
            raise DatabaseDown(describe(error)) from error
        cur.execute(SQL["undo"])
        return describe(error)
    cur.execute(SQL["end"])
    return found


def measure(cur: Cursor, rule: str, *, lease_s: float) -> list[Reading] | str:
    """What a rule looks at, one reading a label; or why it could not be read.

    Args:
        cur: of a transaction, which goes on after a failure.
        rule: its name.
        lease_s: `[queue] lease_s`; a worker silent for two of these is lost.

    Raises:
        DatabaseDown: the connection broke.
    """

    def read() -> list[Reading]:
        cur.execute(_MEASURES[rule], {"lease_s": lease_s})
        return [Reading(labels=labels, value=value, n=n, detail=detail) for labels, value, n, detail in cur.fetchall()]

    return apart(cur, read)
