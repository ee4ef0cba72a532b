"""Ends a search: result, price history, negative cache and the callback's message, in one transaction, once.

After    match           Then   outbox (if someone waits for it)          Queue  persist
Takes    job_id
Gives    the stored result (ARCHITECTURE.md, "The stored result")
Errors   none of its own
"""

from __future__ import annotations

import dramatiq
import structlog

from model import Outcome
from store import decisions as decided
from store import jobs, offers, prices, spend
from tasks import ends, evidence, flow, result
from tasks.queue import current_message
from tasks.runtime import runtime

log = structlog.get_logger("lps.persist")


@dramatiq.actor(queue_name="persist")
def persist(job_id: str) -> None:
    """Store the answer of one job."""
    message = current_message()
    with runtime.pool.transaction() as cur:
        job = jobs.get(cur, job_id)
        sources = offers.sources(cur, job_id)
        decisions = offers.decisions(cur, job_id)
        rounds = decided.rounds(cur, job_id)
        spent = spend.of_job(cur, job_id)
    if job is None or job.final or job.round != message.round:
        return
    answer = result.build(job, sources, decisions, result.Bill(spent, rounds))
    with runtime.broker.effect(message) as cur:
        at = jobs.lock(cur, job_id)
        if at is None or at.round != job.round:
            # Cancelled, or taken up again in a later round: that one ends it.
            return
        evidence.settle(cur, job_id, decisions)
        if not result.any_answer(sources):
            # Nobody said that there is nothing: a dead search has no outcome, it has a reason.
            jobs.die(cur, job_id, result.why_nothing(sources), answer | {"outcome": None})
        elif jobs.finish(cur, job_id, answer):
            by_mall = result.lowest_by_mall(decisions)
            if answer["outcome"] == Outcome.FOUND:
                prices.record(cur, job_id, job.product.code, by_mall)
                prices.forget_absent(cur, job.dedupe_key)
            elif result.known_absent(sources):
                reason = "every mall answered that it has nothing"
                prices.remember_absent(cur, job.dedupe_key, runtime.settings.search.negative_s, reason)
        ends.ended(cur, job_id)
        if runtime.settings.outbox.url.get_secret_value():
            flow.send(cur, job_id, "outbox", job.round, job.priority)
    log.info("search ended", product=flow.title(job.product), outcome=answer["outcome"])
