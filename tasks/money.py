"""Caps in force, and what happens when they are reached."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from errors import OverBudget
from store import spend
from tasks.runtime import runtime

if TYPE_CHECKING:
    from store.pool import Cursor

LEAST_USD = Decimal("0.001")
"""What must be left before a new search is taken: about one question to a small model."""


def caps() -> spend.Caps:
    """[money] as the ledger takes it."""
    money = runtime.settings.money
    return spend.Caps.of(money.job_cap_usd, money.hour_cap_usd, money.day_cap_usd)


def admit(cur: Cursor) -> None:
    """Whether a new search may be taken at all.

    Raises:
        OverBudget: the hour's or the day's money is gone, and `[money] over` is "refuse".
    """
    if runtime.settings.money.over == "refuse":
        scope = spend.full(cur, caps(), LEAST_USD)
        if scope:
            raise OverBudget(scope, LEAST_USD)


def write_off(cur: Cursor) -> int:
    """Settle what dead workers reserved, at its worst case; returns how many."""
    return spend.write_off(cur, runtime.settings.money.unsettled_s)
