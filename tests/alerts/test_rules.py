"""Each rule rings at its limit, not below it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

import config
from alerts import rules
from model import Ops

QUIET = Ops(
    counts={},
    oldest_pending_sec=0,
    dead_1h=0,
    stuck_running=0,
    blocks_1h=0,
    deadline_1h=0,
    cost_1h_usd=Decimal(0),
)
AT_LIMIT: dict[str, dict[str, Any]] = {
    "dead": {"dead_1h": 20},
    "blocks": {"blocks_1h": 80},
    "queue_lag": {"oldest_pending_sec": 300},
    "deadline": {"deadline_1h": 5},
    "cost": {"cost_1h_usd": Decimal("1.0")},
}


def measured(**values: object) -> Ops:
    """A quiet measurement but for these."""
    fields = {name: getattr(QUIET, name) for name in QUIET.__dataclass_fields__}
    return Ops(**(fields | values))


@pytest.mark.parametrize("rule", AT_LIMIT)
def test_a_rule_rings_at_the_default_limit(rule: str) -> None:
    """The seeds' numbers are the defaults."""
    limits = rules.limits(config.load(env={}).alert)
    alerts = rules.above(measured(**AT_LIMIT[rule]), limits)
    assert [rule] == [alert.rule for alert in alerts]


@pytest.mark.parametrize("rule", AT_LIMIT)
def test_a_rule_is_silent_just_below_it(rule: str) -> None:
    """One less, or a hair less, is no alert."""
    limits = rules.limits(config.load(env={}).alert)
    ((field, value),) = AT_LIMIT[rule].items()
    assert [] == rules.above(measured(**{field: value - (1 if isinstance(value, int) else Decimal("0.01"))}), limits)
