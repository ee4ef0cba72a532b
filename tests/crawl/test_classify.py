"""The outcome table: each row is one page and what it means."""

from __future__ import annotations

import pytest

from crawl.classify import classify
from crawl.mall import Parsed
from model import Offer, SourceOutcome

OFFER = Offer(mall="coupang", rank=1, name="죽", price_krw=1, url="https://x.example/")
HEALTHY = Parsed(offers=(OFFER,), cards=1, search_page=True)
NOTHING = Parsed(search_page=True, no_result=True)
SHELL = Parsed(search_page=True)
ELSE = Parsed()
CLOUDFLARE = "<html><head><title>Just a moment...</title></head></html>"
PASSED = '<html><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script></html>'
SCRIPTED = "<html><script>var no = '비정상적인 접근'; </script><p>죽</p></html>"


@pytest.mark.parametrize(
    ("status", "url", "body", "parsed", "outcome", "kind"),
    [
        (200, "", "<html>", HEALTHY, "ok", ""),
        (None, "", "<html>", HEALTHY, "ok", ""),
        (403, "", "<html>", HEALTHY, "ok", ""),
        (200, "", "<html>", Parsed(offers=(OFFER,), cards=2), "ok", ""),
        (200, "", "<html>", Parsed(offers=(OFFER,), cards=1, truncated=True), "ok", "truncated"),
        (200, "", "<html>", Parsed(cards=2, dropped={"sold_out": 2}), "ok", "sold_out"),
        (200, "", "<html>", NOTHING, "empty", ""),
        (200, "", "<html>", Parsed(search_page=True, no_result=True, truncated=True), "net", "truncated"),
        (None, "", PASSED, NOTHING, "empty", ""),
        (None, "", SCRIPTED, NOTHING, "empty", ""),
        (200, "", "<html>", Parsed(no_result=True), "unknown_page", ""),
        (403, "", "<html>", NOTHING, "blocked", "http_403"),
        (404, "", "<html>", NOTHING, "unknown_page", "http_404"),
        (503, "", "<html>", NOTHING, "net", "http_503"),
        (200, "", CLOUDFLARE, NOTHING, "blocked", "cloudflare"),
        (200, "", CLOUDFLARE, ELSE, "blocked", "cloudflare"),
        (403, "", CLOUDFLARE, ELSE, "blocked", "cloudflare"),
        (200, "", "<p>https://errors.edgesuite.net/18.1</p>", ELSE, "blocked", "akamai"),
        (200, "", "<p>차단된 접근입니다</p>", ELSE, "blocked", "banned"),
        (200, "", "<p>쇼핑 서비스 접속이 일시적으로 제한되었습니다</p>", ELSE, "blocked", "banned"),
        (200, "", "{}", Parsed(banned="banned"), "blocked", "banned"),
        (403, "", "{}", Parsed(banned="http_401"), "blocked", "http_403"),
        (None, "", "{}", Parsed(banned="http_429"), "blocked", "http_429"),
        (401, "", "<p>no</p>", ELSE, "blocked", "http_401"),
        (418, "", "<p>no</p>", ELSE, "blocked", "http_418"),
        (429, "", "<p>no</p>", SHELL, "blocked", "http_429"),
        (407, "", "", ELSE, "proxy_auth", "http_407"),
        (404, "", "<p>없음</p>", ELSE, "unknown_page", "http_404"),
        (400, "", "<p>bad</p>", ELSE, "unknown_page", "http_400"),
        (502, "", "<p>bad</p>", SHELL, "net", "http_502"),
        (None, "", "<p>페이지를 찾을 수 없습니다</p>", SHELL, "unknown_page", "not_found"),
        (200, "", "<p>죽</p>", Parsed(search_page=True, loading=True), "not_rendered", ""),
        (200, "", "<p>죽</p>", SHELL, "drift", "no_cards"),
        (200, "", "<p>죽</p>", Parsed(offers=(OFFER,), cards=3, dropped={"price": 2}), "drift", "price"),
        (200, "", "<p>죽</p>", Parsed(cards=3, dropped={"name": 2, "price": 1}), "drift", "name"),
        (200, "", "<p>죽", Parsed(truncated=True), "net", "truncated"),
        (200, "", "", ELSE, "unknown_page", "empty_body"),
        (None, "", "<html><head></head><body></body></html>", ELSE, "unknown_page", "empty_body"),
        (200, "", "<p>Welcome</p>", ELSE, "unknown_page", ""),
        (None, "chrome-error://chromewebdata/", "<p></p>", ELSE, "net", "browser_error"),
        (
            None,
            "chrome-error://chromewebdata/",
            "<p>ERR_HTTP2_PROTOCOL_ERROR</p>",
            ELSE,
            "net",
            "err_http2_protocol_error",
        ),
        (None, "chrome-error://x", "ERR_PROXY_CONNECTION_FAILED", ELSE, "proxy_dead", "err_proxy_connection_failed"),
        (None, "https://x", '<div id="main-frame-error">DNS_PROBE_FINISHED', ELSE, "net", "dns_probe_finished"),
    ],
)
def test_the_outcome_table(status: int | None, url: str, body: str, parsed: Parsed, outcome: str, kind: str) -> None:
    """One page, one outcome; only the mall's own words on its own page are empty."""
    assert (SourceOutcome(outcome), kind) == classify("coupang", status, url, body, parsed)


def test_navers_own_limit_page_is_navers() -> None:
    """The shopping service's own words are a refusal of their own name at Naver only."""
    body = "<p>쇼핑 서비스 접속이 일시적으로 제한되었습니다</p>"
    assert (SourceOutcome.BLOCKED, "naver") == classify("naver", None, "", body, ELSE)


@pytest.mark.parametrize("status", [None, 200, 301, 400, 401, 403, 404, 418, 429, 500, 503])
@pytest.mark.parametrize("parsed", [ELSE, SHELL, HEALTHY, Parsed(truncated=True), Parsed(loading=True)])
def test_nothing_but_the_malls_own_words_is_empty(status: int | None, parsed: Parsed) -> None:
    """No status and no absence of cards makes a result empty."""
    for body in ("", "<html></html>", "검색결과가 없습니다", CLOUDFLARE):
        assert classify("gmarket", status, "", body, parsed)[0] is not SourceOutcome.EMPTY
