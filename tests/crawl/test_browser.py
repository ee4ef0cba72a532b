"""Real Chromium, real driver, real display; the pages are self-written and served here."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

import config
from crawl.browser import BrowserFetcher
from errors import BrowserMissing, DeadlineExceeded, UpstreamDown
from tests.conftest import ROOT
from tests.crawl.browser_server import READY, Server, family, get, words

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def fetcher() -> Iterator[BrowserFetcher]:
    """One pool of browsers for this file."""
    fetcher = BrowserFetcher(config.load(env={}).browser)
    yield fetcher
    fetcher.close()


def test_it_reads_a_page_and_knows_its_status(fetcher: BrowserFetcher, server: Server) -> None:
    """The document with all its cards, 200, and which request it was."""
    body = get(fetcher, server, "/cards")
    assert 72 == str(body.content).count('class="card"')
    assert 200 == body.status
    assert body.ip_request_no


def test_it_asks_the_front_page_once_and_leaves_out_what_holds_no_price(
    fetcher: BrowserFetcher, server: Server
) -> None:
    """Images and style sheets stay where they are; the warm-up is not repeated."""
    get(fetcher, server, "/cards")
    before = server.asked.count("/")
    get(fetcher, server, "/cards")
    assert before == server.asked.count("/") > 0
    assert not {"/image.png", "/style.css"} & set(server.asked)


def test_it_waits_for_cards_that_a_script_writes_piece_by_piece(fetcher: BrowserFetcher, server: Server) -> None:
    """Never 12 of 72."""
    assert 72 == str(get(fetcher, server, "/late").content).count('class="card"')


def test_it_takes_the_malls_own_word_for_nothing_found(fetcher: BrowserFetcher, server: Server) -> None:
    """Without waiting for cards that will not come."""
    get(fetcher, server, "/none")
    started = time.monotonic()
    assert "검색결과가 없습니다" in str(get(fetcher, server, "/none").content)
    assert time.monotonic() - started < 2.9


def test_a_refusal_comes_with_its_status(fetcher: BrowserFetcher, server: Server) -> None:
    """403 at once."""
    assert 403 == get(fetcher, server, "/refused").status


def test_it_looks_like_a_korean_visitor_without_a_driver(fetcher: BrowserFetcher, server: Server) -> None:
    """navigator.webdriver is false, the languages are Korean."""
    assert "false ko-KR,ko" in str(get(fetcher, server, "/about").content)


def test_an_address_that_does_not_answer_is_named(fetcher: BrowserFetcher) -> None:
    """A refused connection is `net`, with the browser's own code."""
    until = time.monotonic() + 10
    with pytest.raises(UpstreamDown) as raised:
        fetcher.get("http://127.0.0.1:1/", until, READY, mall="gmarket", home="", block_css=True)
    assert raised.value.kind.startswith("ERR_")


def test_a_page_that_never_answers_ends_at_its_deadline(fetcher: BrowserFetcher, server: Server) -> None:
    """By name, and not much later."""
    started = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        get(fetcher, server, "/hang", 2)
    assert time.monotonic() - started < 5


def test_another_thread_can_end_a_fetch(fetcher: BrowserFetcher, server: Server) -> None:
    """A cancelled search gives its browser back at once; the next fetch has a new one."""
    threading.Timer(1.5, fetcher.abort, (threading.get_ident(),)).start()
    started = time.monotonic()
    with pytest.raises(UpstreamDown):
        get(fetcher, server, "/hang", 20)
    assert time.monotonic() - started < 5
    assert 200 == get(fetcher, server, "/cards").status


@pytest.mark.parametrize("victim", ["renderer", "driver"])
def test_the_watchdog_ends_what_no_longer_answers(fetcher: BrowserFetcher, server: Server, victim: str) -> None:
    """A stopped renderer or driver costs the deadline and two seconds, and the next fetch has a new browser."""
    get(fetcher, server, "/cards")
    marks = {"renderer": "--type=renderer", "driver": "/chromedriver"}
    found = [p for p in family() if any(marks[victim] in word for word in words(p))]
    assert found
    for process in found:
        process.send_signal(signal.SIGSTOP)
    started = time.monotonic()
    with pytest.raises((DeadlineExceeded, UpstreamDown)):
        get(fetcher, server, "/cards", 1)
    assert time.monotonic() - started < 9
    assert 200 == get(fetcher, server, "/cards").status


def test_a_busy_page_does_not_outlive_its_deadline(fetcher: BrowserFetcher, server: Server) -> None:
    """A script that never yields is killed with its browser."""
    started = time.monotonic()
    with pytest.raises((DeadlineExceeded, UpstreamDown)):
        get(fetcher, server, "/busy", 2)
    assert time.monotonic() - started < 9


def test_an_idle_browser_is_closed(server: Server) -> None:
    """Its memory comes back without anybody's doing."""
    fetcher = BrowserFetcher(
        config.load(env={"LPS_BROWSER__HEADLESS": "true", "LPS_BROWSER__IDLE_CLOSE_S": "1"}).browser
    )
    get(fetcher, server, "/none")
    end = time.monotonic() + 10
    while fetcher.standing:
        assert time.monotonic() < end
    fetcher.close()


def test_it_leaves_the_systems_driver_alone(fetcher: BrowserFetcher, server: Server) -> None:
    """Only a private copy is patched."""
    get(fetcher, server, "/none")
    driver = Path(shutil.which("chromedriver") or "")
    text = driver.read_bytes()
    assert b"undetected chromedriver" not in text


def test_a_killed_worker_takes_browser_and_display_along(server: Server) -> None:
    """SIGKILL leaves no Chromium, no driver, no Xvfb, no profile."""
    code = (
        "import sys, time, config; from crawl.browser import BrowserFetcher; from crawl.mall import Ready\n"
        "fetcher = BrowserFetcher(config.load(env={}).browser)\n"
        f"fetcher.get({server.url + '/none'!r}, time.monotonic() + 20, Ready(cards='li.card', settled='#none'),"
        " mall='coupang', home='', block_css=True)\n"
        "print('up', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout
        assert "up" == worker.stdout.readline().strip()
        family = psutil.Process(worker.pid).children(recursive=True)
        assert len(family) > 3
        os.kill(worker.pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(family, timeout=6)
    assert [] == alive


@pytest.mark.parametrize("key", ["chromium", "driver"])
def test_a_missing_program_is_named(key: str, server: Server) -> None:
    """One line that says which setting."""
    env = {f"LPS_BROWSER__{key.upper()}": "/nowhere/browser", "LPS_BROWSER__HEADLESS": "true"}
    fetcher = BrowserFetcher(config.load(env=env).browser)
    with pytest.raises(BrowserMissing, match=key):
        get(fetcher, server, "/none")
    fetcher.close()


def test_a_kept_profile_belongs_to_one_browser_at_a_time(server: Server, tmp_path: Path) -> None:
    """Two processes with the same folder take two profiles; a freed one is taken again."""
    env = {"LPS_BROWSER__HEADLESS": "true", "LPS_PROFILE_DIR": str(tmp_path)}
    first, second = (BrowserFetcher(config.load(env=env).browser) for _ in range(2))
    get(first, server, "/none")
    get(second, server, "/none")
    first.close()
    get(second, server, "/none")
    second.close()
    assert {"profile-0", "profile-1"} == {path.name for path in tmp_path.iterdir() if path.is_dir()}


def kill(*victims: psutil.Process) -> None:
    """All of them, if they are still there."""
    for process in victims:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


@pytest.mark.parametrize(("victim", "kind"), [("--type=renderer", "tab_crash"), ("--remote-debugging-port", "browser")])
def test_a_crash_is_named_and_costs_one_fetch(fetcher: BrowserFetcher, server: Server, victim: str, kind: str) -> None:
    """The page ends at once, not at its deadline; whoever tries again has a new browser."""
    get(fetcher, server, "/cards")
    found = [one for one in family() if any(victim in word for word in words(one)) and "chromium" in one.name()]
    assert found
    strike = threading.Timer(0.7, kill, found)
    strike.start()
    started = time.monotonic()
    with pytest.raises(UpstreamDown) as raised:
        get(fetcher, server, "/endless", 20)
    strike.join()
    assert raised.value.kind.startswith(kind)
    assert time.monotonic() - started < 6
    assert 200 == get(fetcher, server, "/cards").status
