"""Room at a mall: `max_at_once` and `min_gap_s` of its block, kept across all machines."""

from __future__ import annotations

import time
from random import SystemRandom

import structlog

from errors import Lost
from tasks.queue import Delivery, limits
from tasks.runtime import runtime

AGAIN_S = (0.5, 1.5)
"""After how long a message that found no room comes back, seconds, at random."""
_random = SystemRandom()
log = structlog.get_logger("lps.room")


def enter(mall: str, message: Delivery) -> None:
    """Be one of those that may read this mall now.

    Raises:
        Lost: there is no room; the message is queued again, and this try does not count.
    """
    most = runtime.settings.mall(mall).max_at_once
    if most:
        with runtime.pool.transaction() as cur:
            entered = limits.slot(cur, mall, message, most=most)
        if not entered:
            _later(mall, message, f"{most} read it already")


def await_turn(mall: str, message: Delivery, deadline: float) -> None:
    """Wait until the next request to this mall may begin, before `deadline` (`time.monotonic()` seconds).

    Raises:
        Lost: that would be too late, and the message is queued again without counting; or it was taken from us.
    """
    gap_s = runtime.settings.mall(mall).gap_s
    if not gap_s:
        return
    # The request itself needs time too: half of what is left.
    most_s = max(0.0, (deadline - time.monotonic()) / 2)
    with runtime.pool.autocommit() as cur:
        wait_s = limits.turn(cur, mall, gap_s=gap_s, most_s=most_s)
    if wait_s is None:
        _later(mall, message, f"no turn within {most_s:.1f} s")
    elif wait_s > 0:
        message.lost.wait(wait_s)
        message.check()


def _later(mall: str, message: Delivery, why: str) -> None:
    with runtime.pool.autocommit() as cur:
        limits.postpone(cur, message, _random.uniform(*AGAIN_S))
    log.info("no room", mall=mall, why=why)
    raise Lost(f"{mall}: {why}")
