"""What a receiver's HTTP status means, whoever was written to: delivered, to be tried again, or final."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors import RateLimited, Stop, UpstreamDown

if TYPE_CHECKING:
    from errors import SourceFailure

AGAIN = (408, 425, 429)
"""Answers below 500 after which trying again may help."""


def refusal(status: int, said: str, wait: str) -> SourceFailure | None:
    """The failure that a status is; None when it is delivered (2xx alone).

    Args:
        status: HTTP.
        said: the beginning of the answer's text, for the record.
        wait: its Retry-After; a date is as allowed as seconds, and left to the queue's own back-off.
    """
    if 200 <= status < 300:
        return None
    text, kind = f"the receiver answered {status}" + (f": {said}" if said else ""), f"http_{status}"
    if status < 500 and status not in AGAIN:
        return Stop(text, kind=kind)
    again = (RateLimited if status == 429 else UpstreamDown)(text, kind=kind)
    again.after_s = float(wait[:6]) if wait.isascii() and wait.isdecimal() else None
    return again


def status_of(kind: str) -> int | None:
    """The HTTP status that a failure's `kind` names; None when nothing answered."""
    number = kind.removeprefix("http_")
    return int(number) if number.isdecimal() else None
