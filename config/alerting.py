"""The blocks of the alert rules."""

from __future__ import annotations

from config.kinds import Amount, Block, Seconds, SecondsOrOff, SecretWebAddress


class LimitConfig(Block):
    """The limit of one alert rule, in the rule's own unit, and how patient it is."""

    limit: Amount
    for_s: SecondsOrOff
    keep_s: SecondsOrOff


class AlertConfig(Block):
    """Where alerts go and when they ring."""

    webhook: SecretWebAddress
    ping: SecretWebAddress
    repeat_h: Amount
    repeat_max_h: Amount
    unknown_s: Seconds
    dead: LimitConfig
    blocks: LimitConfig
    queue_lag: LimitConfig
    deadline: LimitConfig
    cost: LimitConfig
    proxy_ports_low: LimitConfig
    budget_leak: LimitConfig
    worker_down: LimitConfig
    no_consumer: LimitConfig
    drift: LimitConfig
    scheduler_late: LimitConfig
    delivery_failing: LimitConfig
    dead_letters: LimitConfig
    ledger_leak: LimitConfig
