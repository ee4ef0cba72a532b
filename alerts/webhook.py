"""POSTs JSON to an address that an operator has set (Slack-compatible for alerts)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from errors import RateLimited, Stop, UpstreamDown, UpstreamTimeout

if TYPE_CHECKING:
    from requests import Response


def post(url: str, body: dict[str, Any], *, timeout_s: float) -> None:
    """Send; only 2xx is success, and no redirect is followed.

    Raises:
        RateLimited: 429, with `after_s` when the receiver said how long.
        UpstreamTimeout: no answer in time.
        UpstreamDown: refused, reset, or 5xx.
        Stop: any other answer; sending it again cannot help.
    """
    import requests  # noqa: PLC0415 — the web process imports this module and must stay light

    try:
        answer = requests.post(url, json=body, timeout=timeout_s, allow_redirects=False)
    except requests.Timeout as error:
        raise UpstreamTimeout(f"no answer within {timeout_s:g} s") from error
    except requests.RequestException as error:
        raise UpstreamDown(type(error).__name__) from error
    _check(answer)


def _check(answer: Response) -> None:
    if 200 <= answer.status_code < 300:
        return
    if answer.status_code == 429:
        limited = RateLimited("the receiver answered 429")
        wait = answer.headers.get("Retry-After", "")
        # A date is as allowed as seconds; the queue's own back-off serves for it.
        limited.after_s = float(wait) if wait.isdecimal() else None
        raise limited
    if answer.status_code >= 500:
        raise UpstreamDown(f"the receiver answered {answer.status_code}")
    raise Stop(f"the receiver answered {answer.status_code}")
