"""Whatever a mall sends, reading it ends in one typed outcome, soon, and never in a wrong "nothing found"."""

from __future__ import annotations

import time
import tracemalloc
from hashlib import shake_256
from pathlib import Path

import psutil
import pytest

import crawl
from model import MALLS

PAGES = Path(__file__).parent.parent / "pages"
RESULTS = sorted(page for page in PAGES.glob("*/result*") if not page.name.endswith(".expected.json"))
JUNK = {
    "empty": b"",
    "blank": b" \n\t ",
    "nul": b"\0" * 5000,
    "noise": shake_256(b"noise").digest(50_000),
    "open tags": b"<div>" * 20_000,
    "open brackets": b"[" * 100_000,
    "deep json": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "null": b"null",
    "number": b"17",
    "list": b"[1, null, [], {}]",
    "wrong types": b'{"items": {"title": 1}, "total": [], "data": "x", "isBanned": null}',
    "wrong items": b'{"items": [1, null, {"title": [], "lprice": {}}]}',
    "wrong groups": b'{"data": [1, {"groupName": "list", "items": 3}]}',
    "surrogates": b'{"items": [{"title": "\\ud800", "lprice": "1", "link": "http://x"}], "total": 1}',
    "deep": b"<html>" + b"<div>" * 500_000,
    "deep and closed": b"<div>" * 500_000 + b"</div>" * 500_000,
    "deep behind stray ends": b"<span></i>" * 500_000,
    "many": b"<i>" * 1_500_000,
    "open records": b"<rss></item>" + b"<item>" * 300_000,
    "many cards": b'{"data":[' + b'{"groupName":"list","items":[{"title":"x"}]},' * 50_000 + b"null]}",
    "many items": b"<li class='search-product section--itemcard c-card-item box__item-container'>x" * 50_000,
    "open forms": "보안 ".encode() + b"<form " * 20_000,
    "open data": b'<script id="__NEXT_DATA__">' * 50_000,
    "open comments": b"<html>" + b"<!--" * 300_000,
    "pdf": b"%PDF-1.4 \xe2\xe3\xcf\xd3",
    "gzip": b"\x1f\x8b\x08\x00" + b"x" * 100,
}


@pytest.mark.parametrize("mall", MALLS)
@pytest.mark.parametrize("name", JUNK)
def test_junk_is_never_an_answer(mall: str, name: str) -> None:
    """Bytes that are no page of the mall are neither offers nor "nothing found"."""
    started = time.perf_counter()
    reading = crawl.parse_file(mall, JUNK[name])
    assert time.perf_counter() - started < 5
    assert not reading.parsed.offers
    assert not reading.outcome.answered


@pytest.mark.parametrize("mall", ["coupang", "gmarket", "auction", "st11"])
def test_a_page_too_deep_to_read_is_named(mall: str) -> None:
    """Half a million tags inside each other would keep an HTML parser busy for minutes; 500 are read."""
    reading = crawl.parse_file(mall, JUNK["deep"])
    assert ("unknown_page", "too_deep") == (reading.outcome, reading.kind)
    assert "too_deep" != crawl.parse_file(mall, b"<html>" + b"<div>" * 500 + b"</div>" * 500).kind


@pytest.mark.parametrize("page", RESULTS, ids=lambda page: f"{page.parent.name}-{page.name}")
def test_a_page_cut_anywhere_keeps_only_whole_offers(page: Path) -> None:
    """A cut page loses cards; the ones it keeps are the whole page's, with their prices, and none is invented."""
    body, mall = page.read_bytes(), page.parent.name
    whole = {(offer.mall_item_id, offer.price_krw) for offer in crawl.parse_file(mall, body).parsed.offers}
    for cut in range(0, len(body), 53):
        reading = crawl.parse_file(mall, body[:cut])
        assert reading.outcome != "empty"
        assert {(offer.mall_item_id, offer.price_krw) for offer in reading.parsed.offers} <= whole


@pytest.mark.parametrize("page", sorted(PAGES.glob("*/no_result*.html")), ids=lambda page: page.parent.name)
def test_a_page_that_breaks_off_is_not_believed_that_nothing_was_found(page: Path) -> None:
    """Half of an answer is none; the whole page is."""
    body, mall = page.read_bytes(), page.parent.name
    assert "empty" == crawl.parse_file(mall, body).outcome
    for cut in range(0, len(body) - 20, 7):
        assert "empty" != crawl.parse_file(mall, body[:cut]).outcome


@pytest.mark.parametrize("page", RESULTS, ids=lambda page: f"{page.parent.name}-{page.name}")
def test_flipped_bytes_never_break_the_reader(page: Path) -> None:
    """Damage ends in an outcome, not in an exception."""
    for round_no in range(40):
        body, noise = bytearray(page.read_bytes()), shake_256(f"{page.name} {round_no}".encode()).digest(90)
        for high, low, value in zip(noise[::3], noise[1::3], noise[2::3], strict=True):
            body[(high << 8 | low) % len(body)] = value
        assert crawl.parse_file(page.parent.name, bytes(body)).outcome


@pytest.mark.parametrize("mall", ["coupang", "gmarket", "auction", "st11"])
def test_one_mall_is_not_read_as_another(mall: str) -> None:
    """A page that belongs to another mall is none of this one's answers."""
    for other in ("coupang", "auction", "st11"):
        for page in (PAGES / other).glob("no_result*.html"):
            if other != mall:
                assert not crawl.parse_file(mall, page.read_bytes()).outcome.answered


@pytest.mark.parametrize("mall", ["coupang", "gmarket", "auction", "st11"])
def test_ten_megabytes_are_read_in_time(mall: str) -> None:
    """A page of ten megabytes costs seconds at most."""
    body = b"<html><body>" + b'<div class="a"><p>x 1,000\xec\x9b\x90</p></div>' * 280_000 + b"</body></html>"
    started = time.perf_counter()
    assert not crawl.parse_file(mall, body).outcome.answered
    assert time.perf_counter() - started < 8


def test_reading_again_and_again_keeps_no_memory() -> None:
    """A thousand pages later the parser holds what it held after a hundred."""
    pages = [(page.parent.name, page.read_bytes()) for page in RESULTS]
    held = []
    tracemalloc.start()
    for _ in range(2):
        for _ in range(30):
            for mall, body in pages:
                crawl.parse_file(mall, body)
        held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert held[1] - held[0] < 200_000


def test_the_process_stays_as_large_as_it_was() -> None:
    """Two hundred long pages later, the parser's own memory (not Python's alone) has not grown."""
    process = psutil.Process()
    body = (PAGES / "coupang" / "result_react.html").read_bytes()
    large = body.replace(b"</body>", b'<div class="a"><p>x 1,000</p></div>' * 4_000 + b"</body>")
    held = []
    for _ in range(2):
        for _ in range(100):
            assert "ok" == crawl.parse_file("coupang", large).outcome
        held.append(process.memory_info().rss)
    assert held[1] - held[0] < 20_000_000
