"""One fetch of one mall: address → page → offers, or the typed reason why not.

    page = Crawler(settings).fetch("coupang", "햇반 210g 24개", deadline=time.monotonic() + 15)
    reading = parse_file("coupang", Path("saved.html").read_bytes())

Importing this package loads neither a browser nor an HTTP client.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from crawl import malls
from crawl.classify import classify
from crawl.failure import failure
from crawl.mall import Parsed
from crawl.text import decode
from errors import Disabled, NoKey, SourceFailure, UnknownPage
from model import SourceOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from config import Settings
    from crawl.http import HttpFetcher
    from crawl.mall import Body, Fetcher, Mall
    from crawl.naver_api import NaverApi
    from model import Offer

_log = logging.getLogger("crawl")
SECOND_LOOK_S = 3.0
"""Less time than this is not enough for a page in a browser."""
_UNREAD = (SourceOutcome.DRIFT, SourceOutcome.UNKNOWN_PAGE, SourceOutcome.NOT_RENDERED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """One answer of a mall as it came, and what it means."""

    body: Body
    reading: Reading


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What a mall answered: OK with offers, or EMPTY because the mall itself says so."""

    mall: str
    query: str
    outcome: SourceOutcome
    offers: tuple[Offer, ...] = ()
    cards: int = 0
    took_ms: int = 0
    size_bytes: int = 0
    url: str = ""
    status: int | None = None
    kind: str = ""
    """`truncated`: the page broke off, its mall may have more to offer."""
    seen: tuple[Seen, ...] = ()
    """What was received, the answer last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a page means and what is on it."""

    outcome: SourceOutcome
    kind: str
    parsed: Parsed


def parse_file(
    mall: str, body: bytes | str, *, url: str = "", status: int | None = None, charset: str | None = None
) -> Reading:
    """Read a page as a fetch would: any bytes give a reading.

    Raises:
        BadConfig: no mall has this name.
    """
    found = malls.mall(mall)
    text = body if isinstance(body, str) else decode(body, charset)
    try:
        # A browser's own error page has an address that no link can be joined to.
        parsed = found.parse(text, url if url.startswith("http") else "")
    except UnknownPage as error:
        return Reading(outcome=error.outcome, kind=error.kind, parsed=Parsed())
    outcome, kind = classify(mall, status, url, text, parsed)
    return Reading(outcome=outcome, kind=kind, parsed=parsed)


class Crawler:
    """Reads malls; one per process, safe to use from several threads."""

    def __init__(self, settings: Settings, *, browser: Callable[[], Fetcher] | None = None) -> None:
        """Take `browser` to stand in for the real one; it is called on first use."""
        self._settings = settings
        self._open_browser = browser or self._real_browser
        self._lock = threading.Lock()
        self._http: HttpFetcher | None = None
        self._naver: NaverApi | None = None
        self._browser: Fetcher | None = None

    def fetch(self, mall: str, query: str, deadline: float, *, screenshot: bool = False) -> Page:
        """One search at one mall, ended before `deadline` (`time.monotonic()` seconds).

        With `screenshot` a page in a browser brings its picture along (`seen[-1].body.screenshot`).
        Data for programs that no longer read are followed by a look at the page that people see, if there is time.

        Raises:
            SourceFailure: its `.outcome` and `.kind` say what became of the source, `.seen` what was received.
        """
        block: Any = self._settings.mall(mall)
        if why := block.why_disabled:
            raise NoKey(why, kind="no_key") if why.startswith("no key") else Disabled(why)
        found = malls.mall(mall)
        started = time.monotonic()
        if screenshot:
            found = replace(found, ready=replace(found.ready, screenshot=True))
        seen = self._look(found, block, query, deadline)
        last = seen[-1]
        body, reading = last.body, last.reading
        if not reading.outcome.answered:
            _log_failure(mall, query, body, reading)
            error = failure(mall, body, reading.outcome, reading.kind, reading.parsed)
            error.seen = seen
            raise error
        page = Page(
            mall=mall,
            query=query,
            outcome=reading.outcome,
            offers=reading.parsed.offers,
            cards=reading.parsed.cards,
            took_ms=round((time.monotonic() - started) * 1000),
            size_bytes=sum(one.body.size_bytes or len(one.body.content) for one in seen),
            url=body.url,
            status=body.status,
            kind=reading.kind,
            seen=seen,
        )
        _log_page(page, body, reading)
        return page

    def abort(self, thread: int) -> None:
        """End what the thread of this ident fetches: it gets UpstreamDown. Nothing if it fetches nothing."""
        with self._lock:
            held: list[Any] = [one for one in (self._browser, self._http) if one is not None]
        for one in held:
            one.abort(thread)

    def close(self) -> None:
        """Close browsers and connections; calling it twice is harmless."""
        with self._lock:
            held = [one for one in (self._browser, self._http) if one is not None]
            self._browser = self._http = self._naver = None
        for one in held:
            one.close()

    def _look(self, mall: Mall, block: Any, query: str, deadline: float) -> tuple[Seen, ...]:
        """What the mall answers; the one that counts comes last."""
        first = _seen(mall, self._get(mall, block, query, deadline))
        may_open = getattr(block, "operator_accepts_terms", True) or block.stand_in
        for_programs = may_open and mall.page_url is not mall.search_url and block.fetcher == "http"
        left_s = deadline - time.monotonic()
        if not for_programs or first.reading.outcome not in _UNREAD or left_s < SECOND_LOOK_S:
            return (first,)
        try:
            page = _seen(mall, self._in_browser(mall, block, query, deadline))
        except SourceFailure as error:
            _log.warning("[%s] 상품 페이지도 읽지 못함: %s", mall.name, error)
            return (first,)
        return (first, page) if page.reading.outcome.answered else (page, first)

    def _get(self, mall: Mall, block: Any, query: str, deadline: float) -> Body:
        if mall.name == "naver":
            return self._naver_api(block).get(_naver_url(block, query), deadline)
        if getattr(block, "open_api", ""):
            return self._st11_api(block, query, deadline)
        if block.fetcher == "http":
            return self._http_fetcher().get(mall.search_url(block.base_url, query), deadline, dict(mall.headers))
        return self._in_browser(mall, block, query, deadline)

    def _st11_api(self, block: Any, query: str, deadline: float) -> Body:
        from crawl.malls import st11  # noqa: PLC0415 - the one mall with an address that holds a key

        key = block.api_key.get_secret_value()
        body = self._http_fetcher().get(st11.api_url(block.open_api, query, key), deadline, follow=False)
        return replace(body, url=st11.api_url(block.open_api, query, "hidden"))

    def _in_browser(self, mall: Mall, block: Any, query: str, deadline: float) -> Body:
        shop = getattr(block, "pages_url", block.base_url)
        url = mall.page_url(shop, query)
        with self._lock:
            self._browser = self._browser or self._open_browser()
            browser = self._browser
        home = shop + mall.home_url
        return browser.get(url, deadline, mall.ready, mall=mall.name, home=home, block_css=block.block_css)

    def _http_fetcher(self) -> HttpFetcher:
        from crawl.http import HttpFetcher  # noqa: PLC0415 - loads requests, which web never needs

        with self._lock:
            self._http = self._http or HttpFetcher()
            return self._http

    def _naver_api(self, block: Any) -> NaverApi:
        from crawl.http import HttpFetcher  # noqa: PLC0415 - as above
        from crawl.keyring import Key, KeyRing  # noqa: PLC0415 - as above
        from crawl.naver_api import NaverApi  # noqa: PLC0415 - as above

        with self._lock:
            self._http = self._http or HttpFetcher()
            if self._naver is None:
                keys = [Key(key.id, key.secret.get_secret_value()) for key in block.keys]
                if block.stand_in and not keys:
                    keys = [Key("sandbox", "sandbox")]
                self._naver = NaverApi(self._http, KeyRing(keys, time.time), block.timeout_s)
            return self._naver

    def _real_browser(self) -> Fetcher:
        from crawl.browser import BrowserFetcher  # noqa: PLC0415 - loads selenium, which web never needs

        return BrowserFetcher(self._settings.browser)


def _seen(mall: Mall, body: Body) -> Seen:
    return Seen(
        body=body,
        reading=parse_file(mall.name, body.content, url=body.url, status=body.status, charset=body.charset),
    )


def _naver_url(block: Any, query: str) -> str:
    from crawl.malls import naver  # noqa: PLC0415 - the one mall whose address takes settings

    return naver.search_url(block.base_url, query, display=block.display, sort=block.sort, exclude=block.exclude)


def _log_page(page: Page, body: Body, reading: Reading) -> None:
    by_browser = f" (ip_req#{body.ip_request_no})" if body.ip_request_no else ""
    short = " · 페이지가 중간에 끊김" if reading.kind == "truncated" else ""
    _log.info("[%s] query='%s' → %d건%s%s", page.mall, page.query, len(page.offers), by_browser, short)


def _log_failure(mall: str, query: str, body: Body, reading: Reading) -> None:
    if reading.outcome is SourceOutcome.BLOCKED:
        text = "[%s][BOT-DETECTED] query='%s' ip_req#%d marker='%s'"
        _log.warning(text, mall, query, body.ip_request_no or 1, reading.kind)
    else:
        _log.warning("[%s] query='%s' → %s %s", mall, query, reading.outcome.value, reading.kind)
