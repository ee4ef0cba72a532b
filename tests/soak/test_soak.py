"""The soak, short: `make soak` is the long one."""

from __future__ import annotations

import pytest

from tests.soak import run

pytestmark = [pytest.mark.browser, pytest.mark.chaos]


def test_nothing_is_left_after_accidents(capsys: pytest.CaptureFixture[str]) -> None:
    """Eight starts and stops, forty pages with a fault in every third: nothing left over, nothing read wrong."""
    done, broken = run.soak(8, 40, 0.33, seed=7)
    assert [] == broken, capsys.readouterr().out
    assert 0 == done.wrong
    assert done.outcomes["ok"] > 10
    assert done.outcomes.total() > done.outcomes["ok"]
