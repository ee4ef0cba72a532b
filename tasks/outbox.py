"""Tells the operator's other system that a search has ended.

After    persist          Then   nothing          Queue  outbox
Takes    job_id
Gives    one POST of the result to [outbox] url; the job id lets the receiver drop a repeat
Errors   Retry: RateLimited, UpstreamTimeout, UpstreamDown · Stop: any other answer than 2xx
"""

from __future__ import annotations

import dramatiq

from alerts import webhook
from store import jobs
from tasks.runtime import runtime


@dramatiq.actor(queue_name="outbox")
def outbox(job_id: str) -> None:
    """Send one result."""
    with runtime.pool.autocommit() as cur:
        job = jobs.get(cur, job_id)
    url = runtime.settings.outbox.url.get_secret_value()
    if job is None or not url:
        return
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
