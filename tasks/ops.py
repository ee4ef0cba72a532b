"""What the clock starts: reap, watch, prune. Each tick happens once, however many schedulers run.

Queue    ops
Errors   DatabaseDown: the next tick does it
Twice    reap, watch and prune change nothing the second time, which `idempotent` says (docs/adr/0005)
"""

from __future__ import annotations

import dramatiq
import structlog
from periodiq import cron

from store import accounts, alerts, crawls, health, idempotency, metrics, proxies, rate, sizes, spend
from tasks import alarm, bulk, evidence, flow, money, operate
from tasks import watch as watching
from tasks.runtime import runtime

log = structlog.get_logger("lps.ops")
BUDGET_DAYS = 3
RECHECKS = 200
"""Watched products one tick of the clock takes up."""


@dramatiq.actor(queue_name="ops", idempotent=True, periodic=cron(runtime.settings.periodic.reap))
def reap() -> None:
    """Bring back what dead workers held, and end the waiting of searches past their deadline."""
    reaped = runtime.broker.reap()
    with runtime.pool.transaction() as cur:
        closed = flow.care(cur)
    with runtime.pool.transaction() as cur:
        written_off = money.write_off(cur)
        freed = proxies.free_orphans(cur)
    if freed:
        log.warning("proxy ports taken back: their holders went silent", ports=freed)
    bulk.keep_going()
    if written_off:
        log.warning("payments written off: whoever reserved them never settled", payments=written_off)
    if reaped.queued or reaped.dead or closed:
        log.info("reaped", queued=reaped.queued, dead=reaped.dead, closed_sources=closed)


@dramatiq.actor(queue_name="ops", idempotent=True, periodic=cron(runtime.settings.periodic.watch))
def watch(sent_by: str = "clock") -> None:
    """Evaluate the alert rules, tell what is new, and add up what is counted."""
    done = alarm.evaluate(by_clock=sent_by == "clock")
    if done:
        with runtime.pool.transaction() as cur:
            metrics.fold(cur)
    if done and done.notice:
        log.info("a notice is on its way", notice=done.notice)


@dramatiq.actor(queue_name="ops", periodic=cron(runtime.settings.periodic.recheck))
def recheck() -> None:
    """Look watched products up that are due."""
    with runtime.pool.transaction() as cur:
        started = watching.recheck_due(cur, RECHECKS)
    if started:
        log.info("rechecks started", searches=started)


@dramatiq.actor(queue_name="ops", idempotent=True, periodic=cron(runtime.settings.periodic.prune))
def prune() -> None:
    """Delete messages, tries and workers that are past their days."""
    removed = operate.purge()
    with runtime.pool.transaction() as cur:
        alerts.prune(cur, days=runtime.settings.queue.dead_days)
        health.forget(cur)
        crawls.forget_days(cur)
        spend.forget(cur, BUDGET_DAYS)
        metrics.shrink(cur)
        for past in (accounts, rate, idempotency):
            past.prune(cur)
        keep = runtime.settings.retention
        sizes.forget(cur, crawl_days=keep.crawl_days, money_days=keep.money_days, audit_days=keep.audit_days)
    jobs = sizes.forget_jobs(runtime.pool, days=keep.jobs_days)
    evidence.prune()
    log.info("pruned", messages=removed.messages, attempts=removed.attempts, workers=removed.workers, jobs=jobs)
