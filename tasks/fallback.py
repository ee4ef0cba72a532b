"""Reads Gmarket, Auction and 11st: three actors alike, asked only when the first malls gave no safe winner.

After    match           Then   match (as the last source)          Queues gmarket, auction, st11
Takes    job_id
Gives    0…120 offers a rung, at most 2 rungs; never raises on zero
Costs    1 page a rung; 15 s at most each: a mall that misses it is skipped, not the search
Errors   Retry: UpstreamTimeout, UpstreamDown · Rotate: Blocked · Stop: Drift, UnknownPage, NotRendered,
         DeadlineExceeded
Source   the malls' search pages, as saved under tests/pages
"""

from __future__ import annotations

import dramatiq

from tasks import stage


@dramatiq.actor(queue_name="gmarket")
def gmarket(job_id: str) -> None:
    """Read Gmarket for one job."""
    stage.read_source("gmarket", job_id)


@dramatiq.actor(queue_name="auction")
def auction(job_id: str) -> None:
    """Read Auction for one job."""
    stage.read_source("auction", job_id)


@dramatiq.actor(queue_name="st11")
def st11(job_id: str) -> None:
    """Read 11st for one job."""
    stage.read_source("st11", job_id)
