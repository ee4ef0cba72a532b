"""How values read on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from web import filters

if TYPE_CHECKING:
    from flask import Flask


@pytest.mark.parametrize(
    ("ms", "shown"), [(None, "–"), (0, "0.0"), (4, "<0.1"), (99, "<0.1"), (100, "0.1"), (1234, "1.2"), (90_000, "90.0")]
)
def test_seconds_are_short(ms: float | None, shown: str) -> None:
    """One decimal; what is too short for it says so; unknown is not zero."""
    assert shown == filters.seconds(ms)


@pytest.mark.parametrize(("share", "shown"), [(0.934, "93 %"), (0.999, "99 %"), (1.0, "100 %"), (0.0, "0 %")])
def test_confidence_is_never_rounded_up(share: float, shown: str) -> None:
    """Almost certain is not certain."""
    assert shown == filters.percent(share)


def test_times_are_korean(app: Flask) -> None:
    """A stored moment is shown as wall time in Korea, with its year where that is another one."""
    assert (
        "2020-01-01 00:30" == filters.clock("2019-12-31T15:30:00+00:00") == filters.stamp("2019-12-31T15:30:00+00:00")
    )
    assert "–" == filters.clock(None)


def test_money_is_grouped(app: Flask) -> None:
    """Korean writes 원 behind, English ₩ before; unknown is not zero."""
    for language, shown in (("ko", "1,234,500원"), ("en", "₩1,234,500")):
        with app.test_request_context(f"/login?lang={language}"):
            app.preprocess_request()
            assert shown == filters.won(1234500)
            assert "–" == filters.won(None)
