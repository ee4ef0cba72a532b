"""Cron lines as periodiq reads them, refused where it would read them wrongly.

Source  periodiq 0.14.0, `expand_valid` and `CronSpec.validate`
"""

from __future__ import annotations

import re

_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
_NAMED = ("@yearly", "@annually", "@monthly", "@daily", "@midnight", "@hourly")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAYS_IN_MONTH = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_SUNDAY = "the scheduler never fires on weekday 0 or sun: write Sunday as 7"


def check_cron(line: str) -> str:
    """The line itself, stripped.

    Raises:
        ValueError: periodiq would refuse it, fire at other times, or never fire.
    """
    text = line.strip()
    if text == "@weekly":
        raise ValueError(f'cannot be "@weekly", which stands for weekday 0; {_SUNDAY}, as in "0 0 * * 7"')
    if text in _NAMED:
        return text
    fields = text.split()
    if len(fields) != len(_FIELDS):
        raise ValueError('should be five fields (minute hour day month weekday), as in "17 3 * * *"')
    fields[4] = _number_weekdays(fields[4])
    minute_to_weekday = [_expand(field, *spec) for field, spec in zip(fields, _FIELDS, strict=True)]
    _, _, days, months, weekdays = minute_to_weekday
    if 0 in weekdays and len(weekdays) < 8:
        raise ValueError(_SUNDAY)
    if len(weekdays) == 8 and min(days) > max(_DAYS_IN_MONTH[month] for month in months):
        raise ValueError("never fires: no such month has that day")
    return text


def _number_weekdays(field: str) -> str:
    for n, day in enumerate(_WEEKDAYS):
        field = field.lower().replace(day, str(n))
    return field


def _expand(field: str, name: str, low: int, high: int) -> set[int]:
    values: set[int] = set()
    for part in field.split(","):
        found = re.fullmatch(r"(\*|(\d+)(?:-(\d+))?)(?:/(\d+))?", part, re.ASCII)
        if not found:
            raise ValueError(f"{name}: only numbers, lists, ranges and steps are understood, as in 1,5 or 1-5 or */15")
        every, first, last, step = found.groups()
        start, end = (low, high) if every == "*" else (int(first), int(last or first))
        if not low <= start <= end <= high:
            raise ValueError(f"{name}: should be within {low}-{high}, smaller number first")
        if step is not None and (int(step) < 1 or (every != "*" and last is None)):
            raise ValueError(f"{name}: a step of 1 or more follows a range or *, as in */15 or 0-30/10")
        values |= set(range(start, end + 1, int(step or 1)))
    return values
