"""POSTs JSON to an address that an operator has set (Slack-compatible for alerts), and asks the outside watchdog's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from errors import RateLimited, SourceFailure, Stop, UpstreamDown, UpstreamTimeout

if TYPE_CHECKING:
    from requests import Response

ANSWER_CHARS = 200
AGAIN = (408, 425, 429)
"""Answers below 500 after which trying again may help."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the receiver said: HTTP status and the beginning of its text."""

    status: int
    text: str


def post(url: str, body: dict[str, Any], *, timeout_s: float) -> Answer:
    """Send; only 2xx is success, and no redirect is followed.

    Raises:
        RateLimited: 429, 408 or 425, with `after_s` when the receiver said how long; `kind` is `http_<status>`.
        UpstreamTimeout: no answer in time.
        UpstreamDown: refused, reset, or 5xx.
        Stop: any other answer; sending it again cannot help.
    """
    import requests  # noqa: PLC0415 — the web process imports this module and must stay light

    try:
        with requests.post(url, json=body, timeout=timeout_s, allow_redirects=False, stream=True) as answer:
            return _checked(answer)
    except requests.Timeout as error:
        raise UpstreamTimeout(f"no answer within {timeout_s:g} s") from error
    except requests.RequestException as error:
        raise UpstreamDown(type(error).__name__) from error


def ping(url: str, *, timeout_s: float) -> int:
    """Tell the outside watchdog that all is evaluated; gives its HTTP status, 0 when nothing answered."""
    import requests  # noqa: PLC0415 — as above

    try:
        with requests.get(url, timeout=timeout_s, allow_redirects=False, stream=True) as answer:
            return int(answer.status_code)
    except requests.RequestException:
        # Its absence is what the watchdog is there to notice.
        return 0


def _checked(answer: Response) -> Answer:
    # A receiver that streams for ever is not listened to: the beginning of its text is enough.
    raw = next(answer.iter_content(4 * ANSWER_CHARS), b"")
    said = Answer(answer.status_code, " ".join(raw.decode("utf-8", "replace").split())[:ANSWER_CHARS])
    if 200 <= said.status < 300:
        return said
    text = f"the receiver answered {said.status}" + (f": {said.text}" if said.text else "")
    raise _failure(said.status, text, answer.headers.get("Retry-After", ""))


def _failure(status: int, text: str, wait: str) -> SourceFailure:
    kind = f"http_{status}"
    if status in AGAIN:
        limited = RateLimited(text, kind=kind)
        # A date is as allowed as seconds; the queue's own back-off serves for it.
        limited.after_s = float(wait) if wait.isdecimal() else None
        return limited
    return UpstreamDown(text, kind=kind) if status >= 500 else Stop(text, kind=kind)
