"""What a page means: exactly one outcome, from the page alone. Pure.

The order decides. Cards that read well are an answer whatever the status says. A mark of a refusal counts before the
status, the status before the page's own words. Only the mall's own "nothing found" on its own search page is EMPTY;
whatever is left is never taken for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from model import SourceOutcome

if TYPE_CHECKING:
    from crawl.mall import Parsed

LOOKED_AT = 60_000
"""Characters at the start of a page in which a refusal shows itself; refusals are short pages."""
_REFUSED = (401, 403, 407, 418, 429, 430, 451, 999)
_GONE = (404, 410)


@dataclass(frozen=True, slots=True)
class Mark:
    """One sign of a refusal in a page's source."""

    kind: str
    sign: re.Pattern[str]


def _marks(*rows: tuple[str, str]) -> tuple[Mark, ...]:
    return tuple(Mark(kind, re.compile(sign, re.IGNORECASE)) for kind, sign in rows)


# Cloudflare also puts /cdn-cgi/challenge-platform/scripts/jsd/ into pages it lets through: that is no mark.
MARKS = _marks(
    ("akamai", r"errors\.edgesuite\.net|sec-if-cpt-container"),
    ("akamai", r"(?s)<title>\s*Access Denied\s*</title>.*Reference(?:\s|&#32;)*(?:#|&#35;)"),
    ("cloudflare", r"<title>\s*(?:Just a moment|잠시만 기다리십시오|잠시만 기다려|Attention Required!)"),
    ("cloudflare", r"/orchestrate/chl_page|_cf_chl_opt|cf-error-details|봇 확인 절차"),
    ("cloudflare", r"id=[\"']challenge-(?:form|error-text|running)"),
)
"""Signs in the source."""
WORDS = _marks(
    ("naver", r"쇼핑\s*서비스\s*접속이\s*일시적으로\s*제한"),
    (
        "banned",
        r"접속이\s*일시적으로\s*제한|차단된\s*접근|비정상적인\s*접근|접근이\s*(?:차단|제한)되었습니다|사용\s*권한이\s*없습니다",
    ),
    ("banned", r"보안\s*확인(?:이|을)?\s*(?:필요|진행|후)|자동\s*입력\s*방지|로봇이\s*아닙니다|보안\s*문자를\s*입력"),
    ("banned", r"<(?:iframe|form)[^<>]{1,600}captcha|<title>\s*Access Denied"),
)
"""Signs in what is said, scripts apart: a script's words are what a page could say."""
_PROXY = re.compile(r"ERR_(?:PROXY|TUNNEL|SOCKS)_\w+", re.IGNORECASE)
_BROWSER_ERROR = re.compile(r"\b(?:ERR|DNS_PROBE|SSL)_[A-Z0-9_]{3,}\b")
_MISSING = re.compile(r"페이지를\s*찾을\s*수\s*없|존재하지\s*않는\s*페이지|page\s*not\s*found", re.IGNORECASE)
_BLANK = re.compile(r"\s*(?:<html[^>]*>\s*(?:<head>\s*</head>\s*)?<body[^>]*>\s*</body>\s*</html>\s*)?")
_SCRIPT = re.compile(r"<script\b.*?(?:</script>|\Z)", re.DOTALL | re.IGNORECASE)


def classify(mall: str, status: int | None, url: str, body: str, parsed: Parsed) -> tuple[SourceOutcome, str]:
    """The outcome and its finer name.

    Args:
        mall: the mall that was asked: a refusal may be one mall's own.
        status: HTTP status, None where the fetcher cannot know it.
        url: where the page came from in the end.
        body: the page's text.
        parsed: what the mall's parser read from it.
    """
    told = _not_a_page(status, url, body)
    if told is None and parsed.banned:
        told = SourceOutcome.BLOCKED, _refused_as(parsed.banned, status)
    if told is None and parsed.healthy:
        told = SourceOutcome.OK, "truncated" if parsed.truncated else ""
    if told is None and not parsed.cards and (kind := refusal(body)):
        told = SourceOutcome.BLOCKED, kind if kind != "naver" or mall == "naver" else "banned"
    return told or _by_status(status) or (_unreadable(parsed) if parsed.cards else _without_cards(body, parsed))


def refusal(body: str) -> str:
    """The kind of refusal that the page shows, or ""."""
    head = body[:LOOKED_AT]
    for marks, seen in ((MARKS, head), (WORDS, _SCRIPT.sub(" ", head))):
        for mark in marks:
            if mark.sign.search(seen):
                return mark.kind
    return ""


def _refused_as(kind: str, status: int | None) -> str:
    """A status that was seen says more than one that was guessed from an error code."""
    return f"http_{status}" if status in _REFUSED and kind.startswith("http_") else kind


def _not_a_page(status: int | None, url: str, body: str) -> tuple[SourceOutcome, str] | None:
    """What the browser or the proxy showed instead of any answer."""
    if status == 407:
        return SourceOutcome.PROXY_AUTH, "http_407"
    own = (
        url.startswith(("chrome-error:", "about:neterror", "edge-error:"))
        or 'id="main-frame-error"' in body[:LOOKED_AT]
    )
    if not own:
        return None
    if proxy := _PROXY.search(body):
        return SourceOutcome.PROXY_DEAD, proxy[0].lower()
    named = _BROWSER_ERROR.search(body)
    return SourceOutcome.NET, named[0].lower() if named else "browser_error"


def _by_status(status: int | None) -> tuple[SourceOutcome, str] | None:
    if status is None or status < 400:
        return None
    if status in _REFUSED:
        return SourceOutcome.BLOCKED, f"http_{status}"
    if status in _GONE or status < 500:
        return SourceOutcome.UNKNOWN_PAGE, f"http_{status}"
    return SourceOutcome.NET, f"http_{status}"


def _unreadable(parsed: Parsed) -> tuple[SourceOutcome, str]:
    """Cards are there, too few of them read."""
    if set(parsed.dropped) == {"sold_out"} and not parsed.offers:
        return SourceOutcome.OK, "sold_out"
    missing = {word: count for word, count in parsed.dropped.items() if word != "sold_out"}
    return SourceOutcome.DRIFT, max(missing, key=lambda word: missing[word], default="")


def _without_cards(body: str, parsed: Parsed) -> tuple[SourceOutcome, str]:
    if parsed.no_result and parsed.search_page and not parsed.truncated:
        return SourceOutcome.EMPTY, ""
    if _BLANK.fullmatch(body):
        return SourceOutcome.UNKNOWN_PAGE, "empty_body"
    if _MISSING.search(_SCRIPT.sub(" ", body[:LOOKED_AT])):
        return SourceOutcome.UNKNOWN_PAGE, "not_found"
    if parsed.truncated:
        return SourceOutcome.NET, "truncated"
    if parsed.loading:
        return SourceOutcome.NOT_RENDERED, ""
    return (SourceOutcome.DRIFT, "no_cards") if parsed.search_page else (SourceOutcome.UNKNOWN_PAGE, "")
