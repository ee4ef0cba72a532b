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
from crawl.turn import Turn, Way
from errors import Disabled, NoKey, SourceFailure, UnknownPage
from model import SourceOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from config import Settings
    from crawl.http import HttpFetcher
    from crawl.mall import Body, Fetcher, Mall
    from crawl.naver_api import NaverApi
    from crawl.ports import Ports
    from crawl.session import Visits
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
    proxy_bytes: int = 0
    """Bytes through the proxy, both ways, refused tries included."""


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

    def __init__(
        self, settings: Settings, *, browser: Callable[[], Fetcher] | None = None, ports: Ports | None = None
    ) -> None:
        """Take what stands in for the real thing, or is shared with other processes.

        Args:
            settings: all of them.
            browser: makes the browser, on first use.
            ports: leases of proxy ports, breakers and counts; without it every mall is read directly and uncounted.
        """
        self._settings = settings
        self._ports = ports
        self._visits: Visits | None = None
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
        if screenshot:
            found = replace(found, ready=replace(found.ready, screenshot=True))
        if visits := self._visiting():
            return visits.make(mall, block, deadline, lambda turn: self._read(found, block, query, deadline, turn))
        return self._read(found, block, query, deadline, None)

    def preflight(self, deadline: float) -> tuple[int, str] | None:
        """(port, address) of a proxy port that carries; None without a proxy.

        Raises:
            ProxyAuth, ProxyDead: none of those tried does.
        """
        visits = self._visiting() if self._settings.proxy.on else None
        return visits.preflight(deadline) if visits else None

    def _read(self, found: Mall, block: Any, query: str, deadline: float, turn: Turn | None) -> Page:
        mall, started = found.name, time.monotonic()
        seen = self._look(found, block, query, deadline, turn)
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
            held: list[Any] = [one for one in (self._visits, self._browser, self._http) if one is not None]
        for one in held:
            one.abort(thread)

    def close(self) -> None:
        """Close browsers and connections; calling it twice is harmless."""
        with self._lock:
            held = [one for one in (self._browser, self._visits, self._http) if one is not None]
            self._browser = self._http = self._naver = self._visits = None
        for one in held:
            one.close()

    def _look(self, mall: Mall, block: Any, query: str, deadline: float, turn: Turn | None) -> tuple[Seen, ...]:
        """What the mall answers; the one that counts comes last."""
        first = _seen(mall, self._get(mall, block, query, deadline, turn))
        # An official API is asked directly; its mall's page must not be, where there is a proxy.
        may_open = block.through_proxy or not self._settings.proxy.on
        may_open = may_open and (getattr(block, "operator_accepts_terms", True) or block.stand_in)
        for_programs = may_open and mall.page_url is not mall.search_url and block.fetcher == "http"
        left_s = deadline - time.monotonic()
        if not for_programs or first.reading.outcome not in _UNREAD or left_s < SECOND_LOOK_S:
            return (first,)
        try:
            page = _seen(mall, self._in_browser(mall, block, query, deadline, turn))
        except SourceFailure as error:
            _log.warning("[%s] 상품 페이지도 읽지 못함: %s", mall.name, error)
            return (first,)
        return (first, page) if page.reading.outcome.answered else (page, first)

    def _get(self, mall: Mall, block: Any, query: str, deadline: float, turn: Turn | None) -> Body:
        api = getattr(block, "open_api", "")
        if not api and getattr(block, "fetcher", "http") == "browser":
            return self._in_browser(mall, block, query, deadline, turn)
        way = turn.take(browser=False) if turn else Way()
        if mall.name == "naver":
            return self._naver_api(block).get(_naver_url(block, query), deadline)
        if api:
            return self._st11_api(block, query, deadline)
        url = mall.search_url(block.base_url, query)
        body = self._http_fetcher().get(url, deadline, dict(mall.headers), proxy=way.via.proxy)
        return replace(body, ip_request_no=way.request_no)

    def _st11_api(self, block: Any, query: str, deadline: float) -> Body:
        from crawl.malls import st11  # noqa: PLC0415 - the one mall with an address that holds a key

        key = block.api_key.get_secret_value()
        body = self._http_fetcher().get(st11.api_url(block.open_api, query, key), deadline, follow=False)
        return replace(body, url=st11.api_url(block.open_api, query, "hidden"))

    def _in_browser(self, mall: Mall, block: Any, query: str, deadline: float, turn: Turn | None) -> Body:
        shop = getattr(block, "pages_url", block.base_url)
        url = mall.page_url(shop, query)
        with self._lock:
            self._browser = self._browser or self._open_browser()
            browser = self._browser
        way = turn.take(browser=True) if turn else Way()
        home = shop + mall.home_url if way.front else ""
        body = browser.get(url, deadline, mall.ready, mall=mall.name, home=home, block_css=block.block_css, via=way.via)
        request_no = turn.gave_back(way, opened=body.warmed_up) if turn else None
        return replace(body, ip_request_no=request_no) if request_no else body

    def _visiting(self) -> Visits | None:
        from crawl.session import Visits  # noqa: PLC0415 - what only workers need

        http = self._http_fetcher() if self._ports else None
        with self._lock:
            if self._ports and http:
                self._visits = self._visits or Visits(self._settings, self._ports, http.get)
            return self._visits

    def _http_fetcher(self) -> HttpFetcher:
        from crawl.http import HttpFetcher  # noqa: PLC0415 - loads requests, which web never needs

        with self._lock:
            self._http = self._http or HttpFetcher()
            return self._http

    def _naver_api(self, block: Any) -> NaverApi:
        from crawl.keyring import Key, KeyRing  # noqa: PLC0415 - as above
        from crawl.naver_api import NaverApi  # noqa: PLC0415 - as above

        http = self._http_fetcher()
        with self._lock:
            if self._naver is None:
                keys = [Key(key.id, key.secret.get_secret_value()) for key in block.keys]
                if block.stand_in and not keys:
                    keys = [Key("sandbox", "sandbox")]
                self._naver = NaverApi(http, KeyRing(keys, time.time), block.timeout_s)
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
