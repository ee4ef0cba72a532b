"""Delivers a notice of the alert rules to the operator's webhook.

After    an evaluation of the alert rules          Then   nothing          Queue  outbox
Takes    the notice's id
Gives    one POST to [alert] webhook; every try in `alert_delivery`
Errors   Retry: RateLimited (Retry-After is kept), UpstreamTimeout, UpstreamDown, for [outbox] max_hours · any other
         answer than 2xx is final and shown
"""

from __future__ import annotations

import time

import dramatiq

from alerts import webhook
from alerts.answer import status_of
from errors import Retry, Stop
from store import alerts
from tasks.runtime import runtime

OVER = "resolved before it could be sent"


@dramatiq.actor(queue_name="outbox", max_attempts=100, min_backoff_s=5, max_backoff_s=600)
def notice(notice_id: str) -> None:
    """Send one notice, unless all it tells of is over."""
    with runtime.pool.transaction() as cur:
        waiting = alerts.unsent(cur, notice_id)
    if waiting is None:
        return
    if not waiting.holds:
        _note(notice_id, "dropped", None, OVER, 0)
        return
    url = runtime.settings.alert.webhook.get_secret_value()
    hours = runtime.settings.outbox.max_hours
    if not url or waiting.age_s > hours * 3600:
        why = f"the receiver did not take it within {hours} hours" if url else "[alert] webhook is empty now"
        _note(notice_id, "failed", None, why, 0)
        return
    started = time.monotonic()
    try:
        said = webhook.post(url, waiting.body["message"], timeout_s=runtime.settings.outbox.timeout_s)
    except (Retry, Stop) as error:
        again = isinstance(error, Retry)
        _note(notice_id, "retry" if again else "failed", status_of(error.kind), str(error), _ms(started))
        if again:
            raise
        return
    _note(notice_id, "sent", said.status, said.text, _ms(started))


def _note(notice_id: str, outcome: str, status: int | None, answer: str, took_ms: int) -> None:
    with runtime.pool.transaction() as cur:
        alerts.tried(cur, notice_id, outcome=outcome, status=status, answer=answer, took_ms=took_ms)


def _ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
