"""How often one caller may ask: fixed windows of a minute, counted in PostgreSQL, so that all web processes agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flask import g

import store.rate
from web.parts import here
from web.problem import Problem

if TYPE_CHECKING:
    from flask import Response


def count(key: str, limit: int | None = None) -> None:
    """Count one request of this caller.

    Args:
        key: whose window.
        limit: requests a minute; None = `[web] rate_per_min`.

    Raises:
        Problem: LPS_RATE_LIMITED.
    """
    with here().pool.autocommit() as cur:
        n, reset_s = store.rate.hit(cur, key)
    remember(n, reset_s, limit)


def remember(n: int, reset_s: float, limit: int | None = None) -> None:
    """Take note of a count that was made: the answer will say how many are left.

    Raises:
        Problem: LPS_RATE_LIMITED, with the seconds to wait.
    """
    limit = limit or here().settings.web.rate_per_min
    wait = max(1, math.ceil(reset_s))
    g.rate = {
        "RateLimit-Limit": str(limit),
        "RateLimit-Remaining": str(max(0, limit - n)),
        "RateLimit-Reset": str(wait),
    }
    if n > limit:
        raise Problem("LPS_RATE_LIMITED", headers={"Retry-After": str(wait)})


def show(response: Response) -> Response:
    """Say in the answer how many requests are left in this minute."""
    response.headers.update(g.get("rate", {}))
    return response
