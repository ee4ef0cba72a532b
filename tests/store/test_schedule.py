"""When a watched product is looked up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from store.schedule import KST, first_time, next_time

MONDAY_NOON = datetime(2026, 11, 30, 12, 0, tzinfo=KST)


def test_the_interval_is_spread() -> None:
    """10 % earlier to 10 % later, by chance."""
    turns = [next_time(MONDAY_NOON, 3600, business_hours=False, chance=chance) - MONDAY_NOON for chance in (0, 0.5, 1)]
    assert [3240, 3600, 3960] == [turn.total_seconds() for turn in turns]


@pytest.mark.parametrize(
    ("now", "hours", "expected"),
    [
        ("2026-11-30 10:00", 3, "2026-11-30 13:00"),  # Monday, still open
        ("2026-11-30 17:00", 3, "2026-12-01 09:15"),  # closed by then: next morning
        ("2026-11-30 02:00", 3, "2026-11-30 09:15"),  # before the morning
        ("2026-12-04 17:30", 3, "2026-12-07 09:15"),  # Friday evening: Monday
        ("2026-12-05 12:00", 3, "2026-12-07 09:15"),  # Saturday
        ("2026-12-06 23:00", 3, "2026-12-07 09:15"),  # Sunday night
    ],
)
def test_business_hours_are_those_of_korea(now: str, hours: int, expected: str) -> None:
    """Monday to Friday, 09:00 to 18:00, whatever the zone of the clock; else in the first half hour of the next day."""
    moment = datetime.fromisoformat(now).replace(tzinfo=KST).astimezone(UTC)
    turn = next_time(moment, hours * 3600, business_hours=True, chance=0.5)
    assert expected == f"{turn.astimezone(KST):%Y-%m-%d %H:%M}"


def test_a_new_one_is_looked_up_soon() -> None:
    """Within ten minutes, or in the next business hours."""
    assert timedelta(0) <= first_time(MONDAY_NOON, 86400, business_hours=True) - MONDAY_NOON <= timedelta(minutes=10)
    night = MONDAY_NOON + timedelta(hours=10)
    assert 9 == first_time(night, 86400, business_hours=True).astimezone(KST).hour
