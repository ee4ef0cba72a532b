"""When a page is read, and when an answer is no page: real Chromium, self-written pages on loopback."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from errors import NotRendered, UpstreamDown
from tests.crawl.browser_server import READY, Server, fetching, get

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawl.browser import BrowserFetcher

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def fetcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserFetcher]:
    """One pool of browsers for this file."""
    with fetching(tmp_path_factory.mktemp("places")) as fetcher:
        yield fetcher


@pytest.fixture
def another(tmp_path: Path) -> Iterator[BrowserFetcher]:
    """Browsers that have seen nothing yet."""
    with fetching(tmp_path) as fetcher:
        yield fetcher


def test_a_short_list_with_scripts_beside_it_is_not_taken_for_the_whole(
    fetcher: BrowserFetcher, server: Server
) -> None:
    """Seven cards that become 72 after 450 ms: the lowest price may be among the rest."""
    assert 72 == str(get(fetcher, server, "/short").content).count('class="card"')


@pytest.mark.parametrize("path", ["/204", "/file"])
@pytest.mark.parametrize("home", ["/", ""])
def test_an_answer_without_a_document_is_not_the_page_before_it(
    another: BrowserFetcher, server: Server, path: str, home: str
) -> None:
    """Neither the last search, nor the front page, nor the empty start page is read in its place."""
    with pytest.raises(NotRendered) as raised:
        get(another, server, path, home=home)
    assert "no_document" == raised.value.kind
    assert 200 == get(another, server, "/cards", home=home).status
    with pytest.raises(NotRendered):
        get(another, server, path, home=home)


def test_a_download_is_not_kept(fetcher: BrowserFetcher, server: Server) -> None:
    """Whatever a page sends along stays out of this machine's folders."""
    with pytest.raises(NotRendered):
        get(fetcher, server, "/file")
    places = (Path.home() / "Downloads", Path.cwd(), Path.home())
    assert [] == [file for place in places if place.is_dir() for file in place.glob("file*")]


def test_a_challenge_at_the_front_door_is_waited_for(
    another: BrowserFetcher, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """It clears by itself, once; the operator reads so; the search comes after it."""
    before = len(server.asked)
    with caplog.at_level(logging.INFO, "lps.browser"):
        first, second = (get(another, server, "/cards", home="/door") for _ in range(2))
    asked = [path for path in server.asked[before:] if path != "/favicon.ico"]
    assert ["/door", "/door", "/cards", "/cards"] == asked
    assert (True, False) == (first.warmed_up, second.warmed_up)
    assert "[warmup:coupang] 챌린지 통과·쿠키 확보" in caplog.text


def test_a_challenge_that_does_not_clear_is_the_answer(another: BrowserFetcher, server: Server) -> None:
    """The page is handed over at the deadline for what it is, and the search is not asked for."""
    before, started = len(server.asked), time.monotonic()
    body = get(another, server, "/cards", 6, home="/endless")
    assert "봇 확인 절차" in str(body.content)
    assert 1 == body.ip_request_no
    assert "/cards" not in server.asked[before:]
    assert time.monotonic() - started < 8


def test_a_refusal_at_the_front_door_is_the_answer(another: BrowserFetcher, server: Server) -> None:
    """Who is refused there does not go on asking."""
    before = len(server.asked)
    assert 403 == get(another, server, "/cards", home="/refused").status
    assert "/cards" not in server.asked[before:]


def test_a_front_door_that_hangs_does_not_cost_the_search(another: BrowserFetcher, server: Server) -> None:
    """The search still has most of its time."""
    assert 200 == get(another, server, "/cards", 10, home="/hang").status


def test_a_message_box_does_not_stop_a_page(fetcher: BrowserFetcher, server: Server) -> None:
    """It is sent away; nobody is there to click."""
    assert 72 == str(get(fetcher, server, "/alert").content).count('class="card"')


def test_an_unreachable_address_leaves_the_browser_warm(fetcher: BrowserFetcher, server: Server) -> None:
    """A mall that is down costs no new browser, and its error page is never the next answer."""
    get(fetcher, server, "/cards")
    warm = get(fetcher, server, "/cards").ip_request_no or 0
    with pytest.raises(UpstreamDown, match="ERR_"):
        fetcher.get("http://127.0.0.1:1/", time.monotonic() + 9, READY, mall="auction", home="", block_css=True)
    assert warm + 1 == get(fetcher, server, "/cards").ip_request_no


def test_what_holds_no_price_is_left_out_of_another_sites_frame_too(fetcher: BrowserFetcher, server: Server) -> None:
    """A frame of another site used to be a process of its own, which no blocking reached: most of the bytes."""
    before = len(server.asked)
    get(fetcher, server, "/framed")
    until = time.monotonic() + 5
    while "/ad.js" not in server.asked[before:] and time.monotonic() < until:
        get(fetcher, server, "/framed")
    assert "/ad.js" in server.asked[before:], "the frame was loaded"
    assert "/ad.png" not in server.asked[before:]
