"""The life of an alert over a fed clock and series."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from alerts import engine
from alerts.engine import Missing, State, Timing
from alerts.rules import Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

START = datetime(2030, 1, 1, tzinfo=UTC)
HOUR = 60
"""Minutes."""


def sample(value: float, limit: float = 10) -> Sample:
    """Rings at ten, clear below eight."""
    return Sample(value=value, limit=limit, above=value >= limit, clear=value < limit * 0.8, text=f"{value:g}")


def live(series: Sequence[float | Missing], timing: Timing, *, delivered: bool = True) -> tuple[list[str], list[str]]:
    """Feed one value a minute; gives (minute:event …, minute:notice …), every notice arriving unless said otherwise."""
    state, events, notices = State(rule="blocks", since=START), [], []
    for minute, value in enumerate(series):
        now = START + timedelta(minutes=minute)
        seen = value if isinstance(value, Missing) else sample(value)
        state, event = engine.step(state, seen, timing, now)
        kind = engine.due(state, event, timing, now)
        if event:
            events.append(f"{minute}:{event}")
        if kind:
            notices.append(f"{minute}:{kind}")
            state = engine.told(state, "n", now)
        state = engine.settled(state, event, now)
        if delivered and state.notices:
            state = State.of({**{name: getattr(state, name) for name in state.__dataclass_fields__}, "delivered": True})
    return events, notices


def test_it_waits_for_as_long_as_the_rule_says() -> None:
    """Pending at first, firing after `for`; what falls back in between never rings."""
    timing = Timing(for_s=120, keep_s=0)
    assert (["0:pending", "2:fired", "3:resolved"], ["2:firing", "3:resolved"]) == live([10, 10, 10, 1], timing)
    assert (["0:pending", "3:pending"], []) == live([10, 10, 1, 10, 10], timing)


def test_it_fires_at_once_without_a_wait() -> None:
    """`for` 0."""
    assert ["0:fired"] == live([10], Timing())[0]


def test_an_hour_of_flapping_is_told_at_most_twice() -> None:
    """On and off each minute: one firing, and its end once it has been calm for long enough."""
    for timing in (Timing(), Timing(for_s=120)):
        _, notices = live([10, 0] * 30 + [0] * 10, timing)
        assert len(notices) <= 2


def test_a_value_at_its_limit_does_not_come_and_go() -> None:
    """Between 80 % and the limit a firing alert stays."""
    assert ["0:fired", "7:resolved"] == live([10, 9, 9, 10, 9, 9, 9, 0], Timing(keep_s=0))[0]


def test_it_is_told_again_after_four_hours_then_eight_then_sixteen_then_daily() -> None:
    """A repeat is a reminder, not an alarm."""
    notices = live([10.0] * (80 * HOUR), Timing())[1]
    assert [0, 4, 12, 28, 52, 76] == [int(notice.split(":")[0]) // HOUR for notice in notices]


def test_its_end_is_told_only_to_whoever_was_told_of_it() -> None:
    """A firing whose notice never arrived ends in silence."""
    series: list[float | Missing] = [10, 0, 0]
    assert ["0:firing", "1:resolved"] == live(series, Timing(keep_s=0))[1]
    assert ["0:firing"] == live(series, Timing(keep_s=0), delivered=False)[1]


@pytest.mark.parametrize(("minutes", "told"), [(9, []), (11, ["10:unknown", "11:known"])])
def test_a_failing_measurement_is_told_when_it_lasts(minutes: int, told: list[str]) -> None:
    """Not known is not well: after ten minutes it is said, and said again when it is over."""
    series: list[float | Missing] = [*[Missing("statement timeout", failed=True)] * minutes, 0]
    assert told == live(series, Timing())[1]


def test_nothing_to_measure_is_no_failure() -> None:
    """An idle installation is not woken."""
    assert ([], []) == live([Missing("too little", failed=False)] * 30 + [0], Timing())


def test_a_firing_alert_fires_until_it_is_known_not_to() -> None:
    """Missing values end nothing, and the time in which it was clear begins anew after them."""
    gap = Missing("statement timeout", failed=True)
    events, notices = live([10, 0, gap, gap, 0, 0, 0], Timing(keep_s=120))
    assert ["0:fired", "6:resolved"] == events
    assert ["0:firing", "6:resolved"] == notices


def test_the_peak_is_the_worst_value() -> None:
    """The highest, or the lowest where low is bad."""
    for values, low, peak in (((10, 41, 12), False, 41), ((30, 4, 20), True, 4)):
        state = State(rule="x", since=START)
        for value in values:
            seen = Sample(value=value, limit=10, above=True, clear=False, text="", low_is_bad=low)
            state, _ = engine.step(state, seen, Timing(), START)
        assert peak == state.peak
