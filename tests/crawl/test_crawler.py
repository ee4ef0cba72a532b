"""One fetch of one mall, over real HTTP to the sandbox market: every way it can end, by its type."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import errors
from crawl import Crawler
from crawl.mall import Body
from model import MALLS, SourceOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from config import Settings
    from crawl.mall import Ready
    from sandbox.server import Market

QUERY = "햇반"
PAGES = Path(__file__).parent.parent / "pages"


@pytest.fixture
def crawler(settings: Callable[..., Settings]) -> Iterator[Crawler]:
    """A crawler for the sandbox."""
    opened = Crawler(settings(), browser=lambda: Browser("<html></html>"))
    yield opened
    opened.close()


class Browser:
    """Stands in for the browser: hands over one page and remembers what it was asked."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.asked: list[str] = []
        self.closed = 0

    def get(self, url: str, deadline: float, ready: Ready, **_about: object) -> Body:
        """The page."""
        assert deadline > time.monotonic()
        assert ready.cards
        self.asked.append(url)
        return Body(content=self.page, url=url, size_bytes=7, ip_request_no=3)

    def abort(self, thread: int) -> None:
        """Nothing is under way."""

    def close(self) -> None:
        """Count it."""
        self.closed += 1


def soon(seconds: float = 5.0) -> float:
    """A deadline."""
    return time.monotonic() + seconds


@pytest.mark.parametrize("mall", MALLS)
def test_every_mall_answers_with_offers(crawler: Crawler, mall: str) -> None:
    """An ordinary search gives offers of that mall, all of them linked, and says what it cost."""
    page = crawler.fetch(mall, QUERY, soon())
    assert (SourceOutcome.OK, mall, QUERY, 200) == (page.outcome, page.mall, page.query, page.status)
    assert page.offers
    assert page.cards == len(page.offers)
    assert page.size_bytes > 500
    assert all(offer.mall == mall and offer.url.startswith("http://127.0.0.1") for offer in page.offers)


@pytest.mark.parametrize("mall", MALLS)
def test_nothing_found_is_an_answer(crawler: Crawler, mall: str) -> None:
    """The mall's own "nothing" comes back as EMPTY, not as an error."""
    page = crawler.fetch(mall, "없는상품 ZZZ-9999", soon())
    assert (SourceOutcome.EMPTY, ()) == (page.outcome, page.offers)


FAILURES = [
    ("coupang", "block403", "", errors.Blocked, "akamai"),
    ("gmarket", "block403", "", errors.Blocked, "cloudflare"),
    ("auction", "challenge", "", errors.Blocked, "cloudflare"),
    ("st11", "block403", "", errors.Blocked, "banned"),
    ("st11", "banned", "", errors.Blocked, "banned"),
    ("naver", "block403", "", errors.BadKey, "key"),
    ("naver", "http429", "", errors.RateLimited, "http_429"),
    ("coupang", "http429", "7", errors.RateLimited, "http_429"),
    ("gmarket", "error500", "", errors.UpstreamDown, "http_500"),
    ("naver", "error500", "", errors.UpstreamDown, "http_500"),
    ("auction", "reset", "", errors.UpstreamDown, "truncated"),
    ("coupang", "truncated", "wire", errors.UpstreamDown, "truncated"),
    ("st11", "truncated", "", errors.UpstreamDown, "truncated"),
    ("coupang", "not_rendered", "", errors.NotRendered, ""),
    ("st11", "not_rendered", "", errors.NotRendered, ""),
    ("coupang", "drift_prefix", "", errors.Drift, "no_cards"),
    ("gmarket", "drift_prefix", "", errors.Drift, "no_cards"),
    ("auction", "drift_prefix", "", errors.Drift, "no_cards"),
    ("st11", "drift_prefix", "", errors.Drift, "price"),
    ("naver", "drift_prefix", "", errors.Drift, "name"),
    ("gmarket", "huge", "20", errors.UnknownPage, "too_large"),
]


@pytest.mark.parametrize(("mall", "scenario", "arg", "error", "kind"), FAILURES)
def test_a_failure_says_what_to_do_about_it(
    crawler: Crawler, market: Market, mall: str, scenario: str, arg: str, error: type[errors.SourceFailure], kind: str
) -> None:
    """The type decides between retry, rotation and giving up; the kind is for people."""
    market.set_scenario(mall, scenario, arg)
    with pytest.raises(error) as caught:
        crawler.fetch(mall, QUERY, soon())
    assert kind == caught.value.kind
    assert not caught.value.outcome.answered


def test_data_that_changed_are_followed_by_a_look_at_the_page(
    settings: Callable[..., Settings], market: Market
) -> None:
    """11st's JSON no longer reads, the page that people see does: its offers count, both answers are kept."""
    market.set_scenario("st11", "drift_prefix", "")
    browser = Browser((PAGES / "st11" / "result_page.html").read_text(encoding="utf-8"))
    crawler = Crawler(settings(), browser=lambda: browser)
    page = crawler.fetch("st11", QUERY, soon())
    crawler.close()
    assert (SourceOutcome.OK, ["drift", "ok"]) == (page.outcome, [one.reading.outcome for one in page.seen])
    assert page.offers
    assert page.size_bytes == 7 + page.seen[0].body.size_bytes


def test_without_time_for_a_browser_the_first_answer_counts(settings: Callable[..., Settings], market: Market) -> None:
    """A second look never costs the deadline, and its failure never hides what came first."""
    market.set_scenario("st11", "drift_prefix", "")
    browser = Browser("<html></html>")
    crawler = Crawler(settings(), browser=lambda: browser)
    for left_s, looks in ((1.0, 0), (5.0, 1)):
        with pytest.raises(errors.Drift) as caught:
            crawler.fetch("st11", QUERY, soon(left_s))
        assert ("price", looks) == (caught.value.kind, len(browser.asked))
    crawler.close()


def test_with_a_key_11st_is_asked_officially(settings: Callable[..., Settings], market: Market) -> None:
    """Its open API answers in EUC-KR XML; the key stands in no address that is kept, and no other page is opened."""
    browser = Browser("<html></html>")
    crawler = Crawler(settings(LPS_ST11__API_KEY="k-1 2", LPS_ST11__DEADLINE_S="4"), browser=lambda: browser)
    page = crawler.fetch("st11", QUERY, soon())
    assert {"햇반" in offer.name for offer in page.offers} == {True}
    assert all(offer.mall_item_id and offer.seller and "/products/" in offer.url for offer in page.offers)
    assert {offer.shipping_krw is None for offer in page.offers} <= {True, False}
    assert ("keyword=" in page.url, "k-1" in page.url) == (True, False)
    assert SourceOutcome.EMPTY is crawler.fetch("st11", "없는상품 ZZZ-9999", soon()).outcome
    crawler.close()
    refused = Crawler(settings(LPS_ST11__API_KEY="bad"), browser=lambda: browser)
    with pytest.raises(errors.BadKey):
        refused.fetch("st11", QUERY, soon())
    refused.close()
    assert [] == browser.asked


def test_a_key_is_permission_for_its_own_interface_alone(settings: Callable[..., Settings]) -> None:
    """Without the operator's word the mall's pages stay closed, whatever the key."""
    real = settings(LPS_ST11__BASE_URL="https://apis.11st.co.kr", LPS_ST11__API_KEY="k").mall("st11")
    assert "" == real.why_disabled
    closed = settings(LPS_ST11__BASE_URL="https://apis.11st.co.kr").mall("st11")
    assert "operator_accepts_terms" in closed.why_disabled


def test_a_page_that_broke_off_says_so(crawler: Crawler, market: Market) -> None:
    """Its offers are good, but the mall may have more."""
    market.set_scenario("coupang", "truncated", "")
    page = crawler.fetch("coupang", QUERY, soon())
    assert (SourceOutcome.OK, "truncated") == (page.outcome, page.kind)
    assert page.offers


def test_the_malls_own_wait_is_kept(crawler: Crawler, market: Market) -> None:
    """Retry-After reaches whoever schedules the next try."""
    market.set_scenario("coupang", "http429", "7")
    with pytest.raises(errors.RateLimited) as caught:
        crawler.fetch("coupang", QUERY, soon())
    assert 7.0 == caught.value.after_s


def test_a_hanging_mall_ends_at_the_deadline(crawler: Crawler, market: Market) -> None:
    """The stage's own time is kept to the moment."""
    market.set_scenario("gmarket", "hang", "")
    started = time.monotonic()
    with pytest.raises(errors.DeadlineExceeded):
        crawler.fetch("gmarket", QUERY, soon(0.5))
    assert time.monotonic() - started < 1.5


@pytest.mark.parametrize(("mall", "scenario"), [("coupang", "markup_old"), ("auction", "markup_old")])
@pytest.mark.parametrize("also", [("drift_hash", ""), ("euckr", ""), ("no_price", "")])
def test_old_markup_new_hashes_and_odd_charsets_still_read(
    crawler: Crawler, market: Market, mall: str, scenario: str, also: tuple[str, str]
) -> None:
    """What changes without meaning anything changes nothing."""
    for name, arg in ((scenario, ""), also):
        market.set_scenario(mall, name, arg)
        assert crawler.fetch(mall, QUERY, soon()).offers


def test_a_mall_that_is_switched_off_is_not_visited(settings: Callable[..., Settings], market: Market) -> None:
    """`enabled = false` asks nobody."""
    crawler = Crawler(settings(LPS_COUPANG__ENABLED="false"))
    with pytest.raises(errors.Disabled) as caught:
        crawler.fetch("coupang", QUERY, soon())
    assert SourceOutcome.DISABLED is caught.value.outcome
    assert "coupang" not in market.counts() or not market.counts()["coupang"]["requests"]


def test_real_malls_need_a_key_or_the_operators_word(settings: Callable[..., Settings]) -> None:
    """Nothing real is opened by default."""
    real = settings(LPS_NAVER__BASE_URL="https://openapi.naver.com", LPS_COUPANG__BASE_URL="https://www.coupang.com")
    crawler = Crawler(real)
    with pytest.raises(errors.NoKey):
        crawler.fetch("naver", QUERY, soon())
    with pytest.raises(errors.Disabled, match="operator_accepts_terms"):
        crawler.fetch("coupang", QUERY, soon())


def test_a_browser_is_opened_once_and_closed(settings: Callable[..., Settings]) -> None:
    """Pages that need a browser come through the one given; closing twice is harmless."""
    page = (PAGES / "coupang" / "result_react.html").read_text(encoding="utf-8")
    browser = Browser(page)
    opened: list[Browser] = []

    def open_browser() -> Browser:
        opened.append(browser)
        return browser

    crawler = Crawler(settings(LPS_COUPANG__FETCHER="browser"), browser=open_browser)
    found = [crawler.fetch("coupang", QUERY, soon()) for _ in range(2)]
    crawler.close()
    crawler.close()
    assert (1, 1) == (len(opened), browser.closed)
    assert (7, 6, None) == (found[0].size_bytes, len(found[0].offers), found[0].status)


def test_a_browser_goes_to_the_shop_and_not_to_its_data(settings: Callable[..., Settings], market: Market) -> None:
    """11st has one address for programs and one for people."""
    browser = Browser((PAGES / "st11" / "result_page.html").read_text(encoding="utf-8"))
    crawler = Crawler(settings(LPS_ST11__FETCHER="browser"), browser=lambda: browser)
    assert crawler.fetch("st11", QUERY, soon()).offers
    assert browser.asked[0].startswith(f"{market.base_urls()['st11']}/pc/total-search?kwd=")


def test_it_logs_the_lines_operators_know(settings: Callable[..., Settings], caplog: pytest.LogCaptureFixture) -> None:
    """The guide's lines: results per query, the IP's request number, and the mark of a refusal."""
    caplog.set_level(logging.INFO)
    result = (PAGES / "coupang" / "result_react.html").read_text(encoding="utf-8")
    refusal = (PAGES / "coupang" / "blocked_akamai.html").read_text(encoding="utf-8")
    browser = Browser(result)
    crawler = Crawler(settings(LPS_COUPANG__FETCHER="browser"), browser=lambda: browser)
    crawler.fetch("naver", "없는상품 ZZZ-9999", soon())
    crawler.fetch("coupang", "죽", soon())
    browser.page = refusal
    with pytest.raises(errors.Blocked):
        crawler.fetch("coupang", "죽", soon())
    crawler.close()
    lines = [record.getMessage() for record in caplog.records if record.name == "crawl"]
    assert "[naver] query='없는상품 ZZZ-9999' → 0건" in lines
    assert "[coupang] query='죽' → 6건 (ip_req#3)" in lines
    assert "[coupang][BOT-DETECTED] query='죽' ip_req#3 marker='akamai'" in lines


def test_an_unknown_mall_is_a_setting_gone_wrong(crawler: Crawler) -> None:
    """A name that is no mall never becomes a failed source."""
    with pytest.raises(errors.BadConfig):
        crawler.fetch("coupng", QUERY, soon())


def test_importing_crawl_loads_neither_browser_nor_http_client() -> None:
    """The web process imports the stages, and they import this package."""
    code = "import crawl, sys; print([m for m in ('requests', 'selenium', 'selectolax') if m in sys.modules])"
    assert "[]" == subprocess.check_output([sys.executable, "-c", code], text=True, cwd=PAGES.parent.parent).strip()
