"""The blocks of what looks after LPS: alert rules, and how long what is stored."""

from __future__ import annotations

from config.kinds import Amount, Block, Count, Seconds, SecondsOrOff, SecretWebAddress


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


class RetentionConfig(Block):
    """How many days what is kept; messages of the queue are `[queue]`'s, kept pages `[evidence]`'s."""

    jobs_days: Count
    crawl_days: Count
    money_days: Count
    audit_days: Count
