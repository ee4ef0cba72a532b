"""Each rule rings at its limit, not below it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import config
from alerts import rules
from model import Ops

if TYPE_CHECKING:
    from tests.conftest import Database

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
    "proxy_ports_low": {"usable_ports_pct": 30.0},
    "budget_leak": {"block_sessions_6h": 1},
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
def test_a_rule_is_silent_just_short_of_it(rule: str) -> None:
    """One less, or a hair less, is no alert; of usable ports a hair more."""
    limits = rules.limits(config.load(env={}).alert)
    ((field, value),) = AT_LIMIT[rule].items()
    step = {int: -1, float: 0.01, Decimal: Decimal("-0.01")}[type(value)]
    assert [] == rules.above(measured(**{field: value + step}), limits)


def test_without_a_proxy_no_port_is_missed() -> None:
    """An installation that crawls direct is not woken for ports it does not have."""
    assert [] == rules.above(QUIET, rules.limits(config.load(env={}).alert))


def test_the_watch_reads_ports_and_sessions(db: Database) -> None:
    """The pool with the fewest usable ports decides; only blocks of the last hours count."""
    from store import crawls

    db.rows(
        "INSERT INTO proxy_port (host, port, cooldown_until) VALUES ('a', 1, '{}'), ('b', 1, %s), ('b', 2, '{}')",
        '{"coupang": "2999-01-01T00:00:00Z"}',
    )
    db.rows(
        "INSERT INTO crawl_session (mall, ip, ended_at, end_reason) VALUES"
        " ('coupang', 'x', now(), 'block'), ('coupang', 'x', now() - interval '7 hours', 'block'),"
        " ('coupang', 'x', now(), 'idle')"
    )
    with db.pool.transaction() as cur:
        assert (50.0, 1) == (crawls.usable_ports_pct(cur), crawls.block_sessions(cur, 6))
