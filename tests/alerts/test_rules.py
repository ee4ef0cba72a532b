"""Each rule rings at its limit, not short of it, and lets go well below it."""

from __future__ import annotations

from typing import Any

import pytest

import config
from alerts import rules
from model import Reading

ALERT = config.load(env={}).alert
AT_LIMIT: dict[str, tuple[float, float, dict[str, Any]]] = {
    "dead": (20, 19, {}),
    "blocks": (80, 79, {"detail": {"coupang": 70, "auction": 10}}),
    "queue_lag": (300.01, 300, {"detail": {"queue": "coupang"}}),
    "deadline": (5, 4, {}),
    "cost": (1.0, 0.99, {}),
    "proxy_ports_low": (30, 30.01, {"labels": "gate"}),
    "budget_leak": (1, 0, {"detail": {"coupang": 1}}),
    "worker_down": (1, 0, {"labels": "host", "detail": {"live": 2}}),
    "no_consumer": (60, 59.9, {"labels": "st11"}),
    "drift": (50, 49, {"labels": "gmarket"}),
    "scheduler_late": (180, 179, {}),
    "delivery_failing": (1, 0, {"detail": {"status": 404}}),
    "dead_letters": (20, 19, {}),
    "ledger_leak": (1, 0, {"detail": {"open": 1, "usd": 0.5}}),
}
"""Rule → the value at which it rings, one just short of it, and what else is read; the limits are the defaults."""


def sample(rule: str, value: float) -> rules.Sample:
    """What the rule makes of a value at its default limit."""
    fields: dict[str, Any] = {"labels": "", "n": 10, "detail": {}} | AT_LIMIT[rule][2]
    made = rules.RULES[rule](Reading(value=value, **fields), rules.limit_of(ALERT, rule))
    assert made is not None
    return made


@pytest.mark.parametrize("rule", AT_LIMIT)
def test_a_rule_rings_at_the_default_limit(rule: str) -> None:
    """And says its value in words."""
    made = sample(rule, AT_LIMIT[rule][0])
    assert (True, False) == (made.above, made.clear)
    assert made.text


@pytest.mark.parametrize("rule", AT_LIMIT)
def test_a_rule_is_silent_just_short_of_it(rule: str) -> None:
    """One less, or a hair less, is no alert; of usable ports a hair more."""
    assert not sample(rule, AT_LIMIT[rule][1]).above


@pytest.mark.parametrize("rule", [rule for rule in AT_LIMIT if AT_LIMIT[rule][0] > 1])
def test_a_rule_that_rang_lets_go_only_well_away_from_its_limit(rule: str) -> None:
    """A value that trembles at the limit neither rings nor ends."""
    short = sample(rule, AT_LIMIT[rule][1])
    assert (False, False) == (short.above, short.clear)
    assert sample(rule, 100 if rule == "proxy_ports_low" else 0).clear


def test_a_rule_names_what_is_behind_its_number() -> None:
    """Malls with their share, the queue, the receiver's answer."""
    assert "(coupang 70, auction 10)" in sample("blocks", 80).text
    assert "in queue coupang" in sample("queue_lag", 301).text
    assert "HTTP 404" in sample("delivery_failing", 1).text


def test_a_few_pages_say_nothing_of_drift_but_the_canary_does() -> None:
    """A share of four reads is no measurement; a mall the canary holds back rings at once."""
    few = Reading(labels="auction", value=100, n=4, detail={})
    held = Reading(labels="auction", value=100, n=0, detail={"canary": "no prices", "paused": True})
    assert rules.drift(few, 50) is None
    found = rules.drift(held, 50)
    assert found is not None
    assert "auction change, the mall is held back: no prices" in found.text


def test_a_day_is_compared_with_its_own_cap() -> None:
    """The forecast to midnight rings at the day's cap, and has nothing to say without one."""
    day = Reading(labels="day", value=12.5, n=10, detail={"spent": 4.0})
    assert rules.cost(day, 0) is None
    found = rules.cost(day, 10)
    assert found is not None
    assert found.above
    assert "12.5000 USD by midnight" in found.text
