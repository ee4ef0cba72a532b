"""The distributed tasks of LPS: `dramatiq tasks` loads this.

The broker comes first, then the stages in the order of the path: submit → naver ‖ coupang → match → gmarket ‖ auction
‖ st11 → match → persist → outbox; then what the clock starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import dramatiq
from periodiq import PeriodiqMiddleware

from tasks import alarm, boot, flow, logs
from tasks.runtime import runtime

if TYPE_CHECKING:
    from store.pool import Cursor


def beat(cur: Cursor) -> int:
    """With each heartbeat of a worker: the clock ticks once a minute, late for a search of 90 s, and it may stand."""
    closed = flow.care(cur)
    alarm.stand_in(cur)
    return closed


broker = runtime.broker
broker.on_dead = flow.dead
broker.on_beat = beat
# A tick that waited longer than this is dropped; another one is due already.
broker.add_middleware(boot.Boot())
broker.add_middleware(PeriodiqMiddleware(skip_delay=300))
dramatiq.set_broker(broker)

from tasks import submit, naver, coupang, match, fallback, persist, outbox, callback, notice  # noqa: E402, I001 - after the broker
from tasks import canary, bulk, ops  # noqa: E402 - as above

__all__ = [
    "boot",
    "broker",
    "bulk",
    "callback",
    "canary",
    "coupang",
    "fallback",
    "logs",
    "match",
    "naver",
    "notice",
    "ops",
    "outbox",
    "persist",
    "submit",
]
