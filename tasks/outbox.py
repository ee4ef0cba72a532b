"""Tells the operator's other system that a search has ended.

After    persist          Then   nothing          Queue  outbox
Takes    job_id
Gives    one POST of the result to [outbox] url; the job id lets the receiver drop a repeat
Errors   Retry: RateLimited, UpstreamTimeout, UpstreamDown, for [outbox] max_hours · Stop: any other answer than 2xx
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import dramatiq

from alerts import webhook
from errors import Stop
from store import jobs
from tasks.runtime import runtime


@dramatiq.actor(queue_name="outbox", max_attempts=100, min_backoff_s=5, max_backoff_s=600)
def outbox(job_id: str) -> None:
    """Send one result."""
    with runtime.pool.autocommit() as cur:
        job = jobs.get(cur, job_id)
    url = runtime.settings.outbox.url.get_secret_value()
    if job is None or not url:
        return
    hours = runtime.settings.outbox.max_hours
    if job.finished_at and datetime.now(UTC) - job.finished_at > timedelta(hours=hours):
        raise Stop(f"the receiver did not take it within {hours} hours")
    body = {
        "job_id": job.job_id,
        "status": int(job.status),
        "product_code": job.product.code,
        "product_name": job.product.name,
        "specification": job.product.specification,
        "result": job.result,
        "error": job.error,
    }
    webhook.post(url, body, timeout_s=runtime.settings.outbox.timeout_s)
