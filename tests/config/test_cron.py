"""Cron lines: accepted where periodiq fires as written, refused where it would not."""

from __future__ import annotations

import pytest
from periodiq import CronSpec

from config.cron import check_cron


@pytest.mark.parametrize(
    "line",
    [
        "* * * * *",
        "*/5 * * * *",
        "17 3 * * *",
        "0,30 9-18 * * mon-fri",
        "0 4 * * 7",
        "0 0 1 1 *",
        "@daily",
        " 0 0 29 2 * ",
    ],
)
def test_it_accepts_what_periodiq_reads_as_written(line: str) -> None:
    """The line comes back stripped, and periodiq can read it."""
    assert check_cron(line) == line.strip()
    assert CronSpec.parse(check_cron(line)) is not None


@pytest.mark.parametrize(
    "line",
    [
        *("", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8"),
        *("5-1 * * * *", "*/0 * * * *", "5/10 * * * *", "x * * * *", "-1 * * * *", "1, * * * *", "* * * jan *"),
        *("０ * * * *", "@reboot", "@Weekly", "0 0 31 2 *", "0 0 31 4,6,9,11 *"),
    ],
)
def test_it_refuses_what_cannot_be_meant(line: str) -> None:
    """Numbers out of range, half fields, days that no month has."""
    with pytest.raises(ValueError, match=r"should|only|cannot|follows|never"):
        check_cron(line)


@pytest.mark.parametrize(
    "line", ["0 0 * * 0", "0 0 * * sun", "0 0 * * SUN", "@weekly", "0 0 * * 0-6", "0 0 * * */2", "0 0 * * sun-mon"]
)
def test_it_refuses_sunday_as_zero(line: str) -> None:
    """Sunday is 7 to periodiq, which never fires on 0; the complaint says what to write."""
    with pytest.raises(ValueError, match="never fires on weekday 0 or sun: write Sunday as 7"):
        check_cron(line)


def test_periodiq_still_never_fires_on_weekday_zero() -> None:
    """The reason for the refusal; when this fails, 0 can be allowed."""
    import pendulum

    sunday = pendulum.datetime(2026, 3, 1)
    assert sunday.isoweekday() == 7
    assert not CronSpec.parse("0 0 * * 0").validate(sunday)
    assert CronSpec.parse("0 0 * * 7").validate(sunday)
