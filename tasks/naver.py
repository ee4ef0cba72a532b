"""Reads the Naver Shopping API.

After    submit          Then   match (as the last source)          Queue  naver
Takes    job_id
Gives    0…100 offers a rung, at most 3 rungs; never raises on zero
Costs    1 call a rung, ~10 kB, 0 USD
Errors   Retry: RateLimited (after every key), UpstreamTimeout, UpstreamDown · Stop: BadKey, NoKey
Source   Naver Search API, shop.json
"""

from __future__ import annotations

import dramatiq

from tasks import stage


@dramatiq.actor(queue_name="naver")
def naver(job_id: str) -> None:
    """Read Naver for one job."""
    stage.read_source("naver", job_id)
