"""When a watched product is looked up: at its interval, spread, and in business hours in Korea where that is wanted."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

KST = ZoneInfo("Asia/Seoul")
OPEN_HOUR, CLOSE_HOUR, WEEKEND = 9, 18, 5
SPREAD = 0.1
"""Share of the interval by which each turn comes earlier or later, so that not all of them come at once."""
MIN_EVERY_S, MAX_EVERY_S = 300, 90 * 86400


def next_time(now: datetime, every_s: float, *, business_hours: bool, chance: float) -> datetime:
    """When a product is looked up next.

    Args:
        now: aware.
        every_s: the interval.
        business_hours: only Monday to Friday, 09:00 to 18:00 in Korea; holidays are not known.
        chance: 0…1, where in the spread.
    """
    moment = now + timedelta(seconds=every_s * (1 - SPREAD + 2 * SPREAD * chance))
    return _opened(moment, chance) if business_hours else moment


def _opened(moment: datetime, chance: float) -> datetime:
    """The moment itself within business hours, else somewhere in the first half hour of the next ones."""
    local = moment.astimezone(KST)
    if local.weekday() < WEEKEND and OPEN_HOUR <= local.hour < CLOSE_HOUR:
        return moment
    day = local if local.hour < OPEN_HOUR else local + timedelta(days=1)
    while day.weekday() >= WEEKEND:
        day += timedelta(days=1)
    return day.replace(hour=OPEN_HOUR, minute=0, second=0, microsecond=0) + timedelta(seconds=1800 * chance)


def first_time(now: datetime, every_s: float, *, business_hours: bool) -> datetime:
    """When a new watch is looked up first: soon, but a file of new ones not all at once."""
    moment = now + timedelta(seconds=min(every_s, 600) * random.random())  # noqa: S311 - spreads load, no secret
    return _opened(moment, random.random()) if business_hours else moment  # noqa: S311 - as above
