"""What the clock starts: reap, watch, prune. Each tick happens once, however many schedulers run.

Queue    ops
Errors   DatabaseDown: the next tick does it
"""

from __future__ import annotations

from dataclasses import replace

import dramatiq
import structlog
from periodiq import cron

from alerts import rules, webhook
from store import crawls, health, ops, spend
from tasks import evidence, flow, money, operate
from tasks.runtime import runtime

log = structlog.get_logger("lps.ops")
LEAK_HOURS = 6
BUDGET_DAYS = 3


@dramatiq.actor(queue_name="ops", periodic=cron(runtime.settings.periodic.reap))
def reap() -> None:
    """Bring back what dead workers held, and end the waiting of searches past their deadline."""
    reaped = runtime.broker.reap()
    with runtime.pool.transaction() as cur:
        closed = flow.overdue(cur)
    with runtime.pool.transaction() as cur:
        written_off = money.write_off(cur)
    if written_off:
        log.warning("payments written off: whoever reserved them never settled", payments=written_off)
    if reaped.queued or reaped.dead or closed:
        log.info("reaped", queued=reaped.queued, dead=reaped.dead, overdue_sources=closed)


@dramatiq.actor(queue_name="ops", periodic=cron(runtime.settings.periodic.watch))
def watch() -> None:
    """Measure, and say aloud what is above its limit."""
    with runtime.pool.transaction() as cur:
        ports, leaks = crawls.usable_ports_pct(cur), crawls.block_sessions(cur, LEAK_HOURS)
        measured = ops.snapshot(cur, stuck_s=runtime.settings.worker.stuck_s, lease_s=runtime.settings.queue.lease_s)
        now = replace(measured, usable_ports_pct=ports, block_sessions_6h=leaks)
    alerts = rules.above(now, rules.limits(runtime.settings.alert))
    for alert in alerts:
        log.warning(alert.text, rule=alert.rule, value=alert.value, limit=alert.limit)
    url = runtime.settings.alert.webhook.get_secret_value()
    if alerts and url:
        webhook.post(url, {"text": "\n".join(alert.text for alert in alerts)}, timeout_s=10)


@dramatiq.actor(queue_name="ops", periodic=cron(runtime.settings.periodic.prune))
def prune() -> None:
    """Delete messages, tries and workers that are past their days."""
    removed = operate.purge()
    with runtime.pool.transaction() as cur:
        health.forget(cur)
        spend.forget(cur, BUDGET_DAYS)
    evidence.prune()
    log.info("pruned", messages=removed.messages, attempts=removed.attempts, workers=removed.workers)
