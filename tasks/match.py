"""Decides which offers are the requested product.

After    the last source of a round          Then   the fallback malls, or persist          Queue  match
Takes    job_id
Gives    a verdict with its reason for every offer, and which mode decided
Costs    ~0.2 ms an offer; with a model at most one call a round ([ai] max_calls), usually below 0.0003 USD
Errors   none of its own: without a model's answer the rules decide, and the result says why
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import dramatiq
import structlog

from store import decisions, jobs, offers
from tasks import flow
from tasks.counsel import Counsel
from tasks.judging import judged
from tasks.queue import current_message
from tasks.runtime import runtime

if TYPE_CHECKING:
    from collections.abc import Callable

    from tasks.queue import Delivery

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
    began = time.monotonic()
    found = [offer for source in sources if source.report for offer in source.report.offers]
    answer = judged(job, found, Counsel(job, _wait(message)))
    same = sum(decision.verdict == "same" for decision in answer.decisions)
    log.info(f"[ai] 판정 {len(answer.decisions)}건 중 매칭 {same}건")
    if answer.why.startswith(("ai_", "over_budget")):
        log.warning("no word of the model on some open offers", why=answer.why, mode=answer.mode)
    took_ms = round((time.monotonic() - began) * 1000)
    with runtime.broker.effect(message) as cur:
        decisions.record_round(cur, job_id, job.round, answer, took_ms)
        flow.matched(cur, job, answer)


def _wait(message: Delivery) -> Callable[[float], None]:
    def wait(seconds: float) -> None:
        message.lost.wait(seconds)
        message.check()

    return wait
