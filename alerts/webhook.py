"""POSTs JSON to an address that an operator has set (Slack-compatible for alerts), and asks the outside watchdog's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alerts.answer import refusal
from errors import UpstreamDown, UpstreamTimeout

if TYPE_CHECKING:
    from requests import Response

ANSWER_CHARS = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What the receiver said: HTTP status and the beginning of its text."""

    status: int
    text: str


def post(url: str, body: dict[str, Any], *, timeout_s: float) -> Answer:
    """Send; only 2xx is success, and no redirect is followed.

    Raises:
        RateLimited: 429; as with every answer that may be tried again, `after_s` is how long the receiver said.
        UpstreamTimeout: no answer in time.
        UpstreamDown: refused, reset, 408, 425 or 5xx; `kind` is `http_<status>` where there was an answer.
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
    failure = refusal(said.status, said.text, answer.headers.get("Retry-After", ""))
    if failure:
        raise failure
    return said
