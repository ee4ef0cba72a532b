"""The distributed tasks of LPS: `dramatiq tasks` loads this.

The broker comes first, then the stages in the order of the path: submit → naver ‖ coupang → match → gmarket ‖ auction
‖ st11 → match → persist → outbox; then what the clock starts.
"""

from __future__ import annotations

import dramatiq
from periodiq import PeriodiqMiddleware

from tasks import boot, flow, logs
from tasks.runtime import runtime

broker = runtime.broker
broker.on_dead = flow.dead
# The clock ticks once a minute, which is late for a search that may take 90 s.
broker.on_beat = flow.overdue
# A tick that waited longer than this is dropped; another one is due already.
broker.add_middleware(boot.Boot())
broker.add_middleware(PeriodiqMiddleware(skip_delay=300))
dramatiq.set_broker(broker)

from tasks import submit, naver, coupang, match, fallback, persist, outbox, callback, canary, ops  # noqa: E402, I001 - after the broker

__all__ = [
    "boot",
    "broker",
    "callback",
    "canary",
    "coupang",
    "fallback",
    "logs",
    "match",
    "naver",
    "ops",
    "outbox",
    "persist",
    "submit",
]
