"""Tells who asked for it that a search has ended, with a signed message that is tried for hours.

After    persist, a dead search, a cancellation          Then   nothing          Queue  outbox
Takes    outbox_id
Gives    one POST with LPS-Signature; the event id lets the receiver drop a repeat; every try in `outbox_try`
Errors   Retry: RateLimited, UpstreamTimeout, UpstreamDown, for [outbox] max_hours · Stop: any other answer than 2xx
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import dramatiq
import orjson

from alerts import callback as sender
from alerts import webhook
from alerts.answer import status_of
from errors import Retry, Stop
from store import callbacks
from tasks.letters import NotConfigured, signing_secrets
from tasks.runtime import runtime

if TYPE_CHECKING:
    from store.callbacks import Waiting


@dramatiq.actor(queue_name="outbox", max_attempts=100, min_backoff_s=5, max_backoff_s=600)
def callback(outbox_id: str) -> None:
    """Deliver one message."""
    with runtime.pool.autocommit() as cur:
        letter = callbacks.take(cur, outbox_id)
    if letter is None:
        return
    if letter.late:
        _note(letter, None, f"not taken within {runtime.settings.outbox.max_hours} hours", 0, "failed")
        return
    started = time.monotonic()
    try:
        status = deliver(letter)
    except Retry as error:
        _note(letter, status_of(error.kind), str(error), _ms(started), "")
        raise
    except (Stop, NotConfigured) as error:
        _note(letter, status_of(getattr(error, "kind", "")), str(error), _ms(started), "failed")
        return
    _note(letter, status, "", _ms(started), "sent")


def deliver(letter: Waiting) -> int:
    """Send one message now; gives the status of the answer.

    Raises:
        Retry, Stop, NotConfigured: as `alerts.callback.post` and `signing_secrets`.
    """
    block = runtime.settings.outbox
    if not letter.url:
        return _tell_operators(letter)
    target = sender.check(letter.url, block.internal)
    slack = target.host == "hooks.slack.com"
    body = orjson.dumps({"text": letter.body["text"]} if slack and "text" in letter.body else letter.body)
    headers: dict[str, Any] = {
        "Content-Type": "application/json",
        "User-Agent": "LPS-Callback/1",
        "LPS-Event": letter.event,
        "LPS-Event-Id": letter.outbox_id,
    }
    if letter.signer:
        headers["LPS-Signature"] = sender.sign(body, signing_secrets(letter.signer), int(time.time()))
    return sender.post(target, body, headers, timeout_s=block.timeout_s).status


def _tell_operators(letter: Waiting) -> int:
    """A price for which nobody else was named goes to the operators' webhook."""
    url = runtime.settings.alert.webhook.get_secret_value()
    if not url:
        raise Stop("no address was given, and [alert] webhook is empty")
    said = webhook.post(url, {"text": letter.body["text"]}, timeout_s=runtime.settings.outbox.timeout_s)
    return said.status


def _note(letter: Waiting, status: int | None, error: str, took_ms: int, ended: Any) -> None:
    with runtime.pool.transaction() as cur:
        callbacks.tried(cur, letter.outbox_id, status=status, error=error, took_ms=took_ms, ended=ended)


def _ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
