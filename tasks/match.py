"""Decides which offers are the requested product.

After    the last source of a round          Then   the fallback malls, or persist          Queue  match
Takes    job_id
Gives    a verdict with its reason for every offer
Costs    0 USD (rules); ~0.2 ms an offer
Errors   none of its own: what the malls answered is in the database
"""

from __future__ import annotations

import dramatiq
import structlog

from ai.match import decide
from store import jobs, offers
from tasks import flow
from tasks.queue import current_message
from tasks.runtime import runtime

log = structlog.get_logger("lps.match")


@dramatiq.actor(queue_name="match")
def match(job_id: str) -> None:
    """Judge everything that the malls answered so far, and say where the search goes next."""
    message = current_message()
    with runtime.pool.transaction() as cur:
        job = jobs.get(cur, job_id)
        sources = offers.sources(cur, job_id)
    if job is None or job.final or job.round != message.round:
        return
    found = [offer for source in sources if source.report for offer in source.report.offers]
    answer = decide(
        job.product,
        found,
        shipping=runtime.assumed_shipping,
        allow_used=bool(job.options.get("allow_used")),
        allow_overseas=bool(job.options.get("allow_overseas")),
    )
    same = sum(decision.verdict == "same" for decision in answer.decisions)
    log.info(f"[ai] 판정 {len(answer.decisions)}건 중 매칭 {same}건")
    with runtime.broker.effect(message) as cur:
        flow.matched(cur, job, answer)
