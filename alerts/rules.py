"""The alert rules: each is one pure function from a measured value and its limit to an alert or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import Alert

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from config import AlertConfig
    from model import Ops


def dead(ops: Ops, limit: float) -> Alert | None:
    """Jobs gone DEAD in the last hour; limit in jobs. Runbook: dead."""
    return _at_least("dead", ops.dead_1h, limit, f"{ops.dead_1h} jobs went DEAD in the last hour")


def blocks(ops: Ops, limit: float) -> Alert | None:
    """Blocks by malls in the last hour; limit in blocks. Runbook: blocks."""
    return _at_least("blocks", ops.blocks_1h, limit, f"{ops.blocks_1h} requests were blocked in the last hour")


def queue_lag(ops: Ops, limit: float) -> Alert | None:
    """Age of the oldest message that could run; limit in seconds. Runbook: queue_lag."""
    value = ops.oldest_pending_sec
    return _at_least("queue_lag", value, limit, f"the oldest ready message has waited {value:.0f} s")


def deadline(ops: Ops, limit: float) -> Alert | None:
    """Searches that ran out of time in the last hour, saved by a retry or not; limit in events. Runbook: deadline."""
    return _at_least("deadline", ops.deadline_1h, limit, f"{ops.deadline_1h} deadlines passed in the last hour")


def cost(ops: Ops, limit: float) -> Alert | None:
    """Cost of the searches finished in the last hour; limit in USD. Runbook: cost."""
    value = float(ops.cost_1h_usd)
    return _at_least("cost", value, limit, f"searches of the last hour cost {value:.4f} USD")


def proxy_ports_low(ops: Ops, limit: float) -> Alert | None:
    """Usable proxy ports of the most exhausted pool; limit in percent, rings at or below. Runbook: proxy_ports_low."""
    value = ops.usable_ports_pct
    if value is None or value > limit:
        return None
    text = f"only {value:.0f} % of the proxy ports are usable (limit {limit:g} %)"
    return Alert(rule="proxy_ports_low", value=value, limit=limit, text=text)


def budget_leak(ops: Ops, limit: float) -> Alert | None:
    """Sessions blocked within their request budget in 6 hours; limit in sessions. Runbook: budget_leak."""
    text = f"{ops.block_sessions_6h} sessions were blocked within their request budget in 6 hours"
    return _at_least("budget_leak", ops.block_sessions_6h, limit, text)


RULES: dict[str, Callable[[Ops, float], Alert | None]] = {
    "dead": dead,
    "blocks": blocks,
    "queue_lag": queue_lag,
    "deadline": deadline,
    "cost": cost,
    "proxy_ports_low": proxy_ports_low,
    "budget_leak": budget_leak,
}


def above(ops: Ops, limits: Mapping[str, float]) -> list[Alert]:
    """The alerts of one measurement."""
    found = (rule(ops, limits[name]) for name, rule in RULES.items())
    return [alert for alert in found if alert]


def limits(config: AlertConfig) -> dict[str, float]:
    """Each rule's limit."""
    return {name: float(getattr(config, name).limit) for name in RULES}


def _at_least(rule: str, value: float, limit: float, text: str) -> Alert | None:
    return Alert(rule=rule, value=value, limit=limit, text=f"{text} (limit {limit:g})") if value >= limit else None
