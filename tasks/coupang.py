"""Reads Coupang's search page in a browser.

After    submit          Then   match (as the last source)          Queue  coupang
Takes    job_id
Gives    0…72 offers a rung, at most 2 rungs; never raises on zero
Costs    1 page a rung
Errors   Retry: UpstreamTimeout, UpstreamDown · Rotate: Blocked · Stop: Drift, UnknownPage, NotRendered,
         DeadlineExceeded
Source   the mall's search page, as saved under tests/pages/coupang
"""

from __future__ import annotations

import dramatiq

from tasks import stage


@dramatiq.actor(queue_name="coupang")
def coupang(job_id: str) -> None:
    """Read Coupang for one job."""
    stage.read_source("coupang", job_id)
