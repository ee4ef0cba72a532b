"""The alert rules: each is one pure function from what was measured and its limit to a sample, or None without data.

A sample that is neither above nor clear lies between the limit and the line below which a firing alert may end: the gap
keeps a value that trembles at its limit from ringing again and again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from config import AlertConfig
    from model import Reading

CLEAR_AT = 0.8
"""A firing alert may end below this share of its limit."""
DRIFT_READS = 5
"""Reads of a mall in an hour below which a share of them says nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One rule's value now."""

    value: float
    limit: float
    above: bool
    """It rings."""
    clear: bool
    """It is far enough from the limit for a firing alert to end."""
    text: str
    low_is_bad: bool = False


def dead(reading: Reading, limit: float) -> Sample | None:
    """Searches given up within an hour; limit in searches. Runbook: dead."""
    return _at_least(reading.value, limit, f"{reading.value:.0f} searches went DEAD in the last hour")


def blocks(reading: Reading, limit: float) -> Sample | None:
    """Refusals by malls within an hour, those that are paused left out; limit in refusals. Runbook: blocks."""
    malls = ", ".join(f"{mall} {n}" for mall, n in sorted(reading.detail.items(), key=lambda pair: -pair[1]))
    of = f" ({malls})" if malls else ""
    return _at_least(reading.value, limit, f"{reading.value:.0f} requests were blocked in the last hour{of}")


def queue_lag(reading: Reading, limit: float) -> Sample | None:
    """Age of the oldest message that may run; limit in seconds, rings above it. Runbook: queue_lag."""
    queue = reading.detail.get("queue")
    text = f"the oldest ready message has waited {reading.value:.0f} s" + (f" in queue {queue}" if queue else "")
    sample = _at_least(reading.value, limit, text)
    return sample if reading.value != limit else Sample(value=limit, limit=limit, above=False, clear=False, text=text)


def deadline(reading: Reading, limit: float) -> Sample | None:
    """Deadlines that passed within an hour, saved by a retry or not; limit in events. Runbook: deadline."""
    return _at_least(reading.value, limit, f"{reading.value:.0f} deadlines passed in the last hour")


def cost(reading: Reading, limit: float) -> Sample | None:
    """USD of the searches finished within an hour, or of the whole day at this rate. Runbook: cost.

    The label `day` has the day's cap as its limit; without a cap there is nothing to compare with.
    """
    if reading.labels != "day":
        text = f"searches of the last hour cost {reading.value:.4f} USD"
        return _at_least(reading.value, limit, text)
    if limit <= 0:
        return None
    spent = float(reading.detail.get("spent", 0))
    text = f"{spent:.4f} USD are spent today, {reading.value:.4f} USD by midnight at this rate"
    return _at_least(reading.value, limit, text)


def proxy_ports_low(reading: Reading, limit: float) -> Sample | None:
    """Usable proxy ports of a pool; limit in percent, rings at or below. Runbook: proxy_ports_low."""
    text = f"only {reading.value:.0f} % of the {reading.n} proxy ports are usable (limit {limit:g} %)"
    above, clear = reading.value <= limit, reading.value > limit / CLEAR_AT
    return Sample(value=reading.value, limit=limit, above=above, clear=clear, text=text, low_is_bad=True)


def budget_leak(reading: Reading, limit: float) -> Sample | None:
    """Sessions blocked within their request budget in six hours; limit in sessions. Runbook: budget_leak."""
    malls = ", ".join(f"{mall} {n}" for mall, n in sorted(reading.detail.items()))
    of = f" ({malls})" if malls else ""
    text = f"{reading.value:.0f} sessions were blocked within their request budget in 6 hours{of}"
    return _at_least(reading.value, limit, text)


def worker_down(reading: Reading, limit: float) -> Sample | None:
    """Worker processes of a host that went silent and were not replaced; limit in processes. Runbook: worker_down."""
    live = reading.detail.get("live", 0)
    text = f"{reading.value:.0f} workers of {reading.labels} are silent and were not replaced, {live} are alive"
    return _at_least(reading.value, limit, text)


def no_consumer(reading: Reading, limit: float) -> Sample | None:
    """How long work of a queue waits that nobody listens for; limit in seconds. Runbook: no_consumer."""
    text = f"nobody listens to queue {reading.labels}, whose work has waited {reading.value:.0f} s"
    return _at_least(reading.value, limit, text)


def drift(reading: Reading, limit: float) -> Sample | None:
    """Pages of a mall that no longer read as they should, within an hour; limit in percent. Runbook: drift."""
    canary = reading.detail.get("canary")
    if canary:
        held = ", the mall is held back" if reading.detail.get("paused") else ""
        return _at_least(reading.value, limit, f"the canary saw {reading.labels} change{held}: {canary}")
    if reading.n < DRIFT_READS:
        return None
    text = f"{reading.value:.0f} % of {reading.n} pages of {reading.labels} no longer read as they should"
    return _at_least(reading.value, limit, text)


def scheduler_late(reading: Reading, limit: float) -> Sample | None:
    """Seconds since the clock's last tick was evaluated; limit in seconds. Runbook: scheduler_late."""
    text = f"the clock has not ticked for {reading.value:.0f} s"
    return _at_least(reading.value, limit, text)


def delivery_failing(reading: Reading, limit: float) -> Sample | None:
    """Notices given up within an hour or late by ten minutes; limit in notices. Runbook: delivery_failing."""
    status, answer = reading.detail.get("status"), reading.detail.get("answer")
    last = f": HTTP {status}" if status else f": {answer}" if answer else ""
    return _at_least(reading.value, limit, f"{reading.value:.0f} notices could not be delivered{last}")


def dead_letters(reading: Reading, limit: float) -> Sample | None:
    """Messages that died within an hour and wait for a decision; limit in messages. Runbook: dead_letters."""
    return _at_least(reading.value, limit, f"{reading.value:.0f} messages died in the last hour")


def ledger_leak(reading: Reading, limit: float) -> Sample | None:
    """Spending that no search accounts for, or that nobody settled; limit in rows. Runbook: ledger_leak."""
    usd, opened = float(reading.detail.get("usd", 0)), reading.detail.get("open", 0)
    text = f"{reading.value:.0f} payments have no search or were never settled ({opened} open, {usd:.4f} USD)"
    return _at_least(reading.value, limit, text)


RULES: dict[str, Callable[[Reading, float], Sample | None]] = {
    "dead": dead,
    "blocks": blocks,
    "queue_lag": queue_lag,
    "deadline": deadline,
    "cost": cost,
    "proxy_ports_low": proxy_ports_low,
    "budget_leak": budget_leak,
    "worker_down": worker_down,
    "no_consumer": no_consumer,
    "drift": drift,
    "scheduler_late": scheduler_late,
    "delivery_failing": delivery_failing,
    "dead_letters": dead_letters,
    "ledger_leak": ledger_leak,
}
INHIBITED_BY: Mapping[str, tuple[str, ...]] = {
    "blocks": ("proxy_ports_low",),
    "queue_lag": ("no_consumer", "worker_down"),
    "dead_letters": ("dead",),
}
"""While one of these fires, the rule's own notices wait: the cause has been told."""


def limit_of(config: AlertConfig, rule: str) -> float:
    """The rule's limit, in its own unit."""
    return float(getattr(config, rule).limit)


def _at_least(value: float, limit: float, text: str) -> Sample:
    clear = value < limit * CLEAR_AT or (value < limit <= 1)
    return Sample(value=value, limit=limit, above=value >= limit, clear=clear, text=f"{text} (limit {limit:g})")
