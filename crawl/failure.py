"""From what a page means to the error that says what is to be done about it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors import (
    BadKey,
    Blocked,
    Drift,
    NotRendered,
    ProxyAuth,
    ProxyDead,
    RateLimited,
    SourceFailure,
    UnknownPage,
    UpstreamDown,
)
from model import SourceOutcome

if TYPE_CHECKING:
    from crawl.mall import Body, Parsed

_PLAIN: dict[SourceOutcome, type[SourceFailure]] = {
    SourceOutcome.NOT_RENDERED: NotRendered,
    SourceOutcome.UNKNOWN_PAGE: UnknownPage,
    SourceOutcome.PROXY_AUTH: ProxyAuth,
    SourceOutcome.PROXY_DEAD: ProxyDead,
    SourceOutcome.NET: UpstreamDown,
}


def failure(mall: str, body: Body, outcome: SourceOutcome, kind: str, parsed: Parsed) -> SourceFailure:
    """The error for an outcome that is no answer; `after_s` set when the mall asked us to wait."""
    if outcome is SourceOutcome.BLOCKED:
        return _refused(mall, body, kind)
    if outcome is SourceOutcome.DRIFT:
        missing = ", ".join(f"{word} {count}" for word, count in sorted(parsed.dropped.items()))
        read = f"{len(parsed.offers)} of {parsed.cards} cards can be read" + (f" ({missing})" if missing else "")
        text = f"{mall}: {read if parsed.cards else 'its result page shows no card that is known'}"
        return Drift(text, kind=kind)
    error = _PLAIN[outcome](kind=kind)
    if isinstance(error, UpstreamDown):
        error.after_s = body.retry_after_s
    return error


def _refused(mall: str, body: Body, kind: str) -> SourceFailure:
    if kind == "http_429":
        limited = RateLimited(f"{mall} asks for fewer requests", kind=kind)
        limited.after_s = body.retry_after_s
        return limited
    if kind == "key":
        return BadKey(f"{mall} refuses our key", kind=kind)
    blocked = Blocked(f"{mall} refuses this visitor ({kind})", kind=kind)
    blocked.ip_request_no = body.ip_request_no or 1
    return blocked
