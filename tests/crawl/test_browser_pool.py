"""Browsers lent, kept, replaced: real Chromium; pages and proxies are self-written and on loopback."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from crawl.browser_places import Places
from crawl.mall import Via
from errors import DeadlineExceeded, UpstreamDown
from tests.crawl.browser_server import Proxy, Server, chromiums, family, fetching, get, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def proxies() -> Iterator[tuple[Proxy, Proxy]]:
    """Two ways out."""
    with serving(Proxy()) as one, serving(Proxy()) as other:
        yield one, other


def test_everything_goes_through_the_proxy_and_nothing_of_its_own_accord(
    server: Server, proxies: tuple[Proxy, Proxy], tmp_path: Path
) -> None:
    """Loopback too; an idle Chromium asks for nothing: each byte through a proxy is paid for."""
    proxy, before = proxies[0], len(server.asked)
    with fetching(tmp_path) as fetcher:
        body = get(fetcher, server, "/cards", via=Via(proxy=proxy.address, profile="a"))
        assert 200 == body.status
        threading.Event().wait(3)
    assert len(server.asked) > before
    assert all(address.startswith(server.url) for address in proxy.asked)
    assert server.url + "/cards" in proxy.asked


def test_a_browser_belongs_to_its_proxy(server: Server, proxies: tuple[Proxy, Proxy], tmp_path: Path) -> None:
    """The same way finds its browser again; another way gets another, and never that one's cookies."""
    ways = [Via(proxy=proxy.address, profile=f"port-{number}") for number, proxy in enumerate(proxies)]
    with fetching(tmp_path, per_machine=2) as fetcher:
        said = [get(fetcher, server, "/who", via=way, home="") for way in (*ways, ways[0])]
        assert all("nobody new" in str(body.content) for body in said)
        first = chromiums()
        get(fetcher, server, "/mark", via=ways[0], home="")
        assert "visitor=1 1" in str(get(fetcher, server, "/who", via=ways[0], home="").content)
        assert "nobody new" in str(get(fetcher, server, "/who", via=ways[1], home="").content)
        assert first == chromiums()
        assert 2 == len(first)


def test_another_address_is_another_visitor(server: Server, proxies: tuple[Proxy, Proxy], tmp_path: Path) -> None:
    """A new generation forgets cookies and storage and comes through the front door again, in the same browser."""
    ways = [Via(proxy=proxies[0].address, profile="a", generation=number) for number in (1, 1, 2)]
    with fetching(tmp_path) as fetcher:
        first, second, third = (get(fetcher, server, "/cards", via=way) for way in ways)
        assert [True, False, True] == [body.warmed_up for body in (first, second, third)]
        assert [1, 2, 1] == [body.ip_request_no for body in (first, second, third)]
        get(fetcher, server, "/mark", via=ways[2], home="")
        assert "visitor=1 1" in str(get(fetcher, server, "/who", via=ways[2], home="").content)
        changed = Via(proxy=proxies[0].address, profile="a", generation=3)
        assert "nobody new" in str(get(fetcher, server, "/who", via=changed, home="").content)
        get(fetcher, server, "/mark", via=changed, home="")
        afresh = Via(proxy=proxies[0].address, profile="a", generation=3, fresh=True)
        assert "nobody new" in str(get(fetcher, server, "/who", via=afresh, home="").content)
        assert 1 == len(chromiums())


def test_a_kept_profile_remembers_its_visitor_until_the_address_changes(server: Server, tmp_path: Path) -> None:
    """Over restarts; a profile that was another address's starts empty."""
    kept = {"profile_dir": tmp_path / "profiles"}
    for way, seen in (
        (Via(profile="p", generation=4), "nobody new"),
        (Via(profile="p", generation=4), "visitor=1 1"),
        (Via(profile="q", generation=4), "nobody new"),
        (Via(profile="p", generation=5), "nobody new"),
    ):
        with fetching(tmp_path, **kept) as fetcher:
            assert seen in str(get(fetcher, server, "/who", via=way, home="").content)
            get(fetcher, server, "/mark", via=way, home="")


def test_an_idle_browser_makes_room_for_another_way(
    server: Server, proxies: tuple[Proxy, Proxy], tmp_path: Path
) -> None:
    """With one place on the machine, the second way takes it from the first at once."""
    with fetching(tmp_path, per_machine=1) as fetcher:
        get(fetcher, server, "/none", via=Via(proxy=proxies[0].address, profile="a"))
        started = time.monotonic()
        get(fetcher, server, "/none", via=Via(proxy=proxies[1].address, profile="b"))
        assert time.monotonic() - started < 3
        assert 1 == len(chromiums())


def test_another_process_gets_the_place_of_an_idle_browser(server: Server, tmp_path: Path) -> None:
    """Two pools share one place: the second waits until the first gives its idle browser up."""
    with fetching(tmp_path, per_machine=1) as first, fetching(tmp_path, per_machine=1) as second:
        get(first, server, "/none")
        get(second, server, "/none")
        assert 0 == first.standing
        assert 1 == second.standing


def test_no_more_browsers_run_than_the_machine_bears(server: Server, tmp_path: Path) -> None:
    """Who finds every place taken ends by name at its deadline, without a browser."""
    places = Places(1, tmp_path)
    taken = [places.take(extra=True) for _ in range(places.most)]
    with fetching(places) as fetcher, pytest.raises(DeadlineExceeded, match="no browser was free"):
        get(fetcher, server, "/none", 1)
    for place in taken:
        assert place
        place.free()


def test_a_browser_is_replaced_after_its_pages(server: Server, tmp_path: Path) -> None:
    """Chromium only grows."""
    with fetching(tmp_path, max_pages=2) as fetcher:
        get(fetcher, server, "/none", home="")
        before = chromiums()
        get(fetcher, server, "/none", home="")
        get(fetcher, server, "/none", home="")
        assert not before & chromiums()


def test_a_browser_that_grew_too_large_is_replaced(server: Server, tmp_path: Path) -> None:
    """Above the cap it ends with the next page it gives."""
    with fetching(tmp_path, max_memory_mb=1) as fetcher:
        get(fetcher, server, "/none", home="")
        before, until = chromiums(), time.monotonic() + 20
        while before & chromiums():
            assert time.monotonic() < until
            get(fetcher, server, "/none", home="")


def test_a_fetch_can_be_given_up_while_its_browser_starts(server: Server, tmp_path: Path) -> None:
    """A start is as killable as a page."""
    slow = tmp_path / "chromium"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    with fetching(tmp_path, chromium=slow) as fetcher:
        threading.Timer(0.5, fetcher.abort, (threading.get_ident(),)).start()
        started = time.monotonic()
        with pytest.raises(UpstreamDown) as raised:
            get(fetcher, server, "/none", 30)
        assert "aborted" == raised.value.kind
        assert time.monotonic() - started < 5


def test_a_start_without_an_end_is_ended(server: Server, tmp_path: Path) -> None:
    """A Chromium that never answers is killed after its time, named, and may be tried again."""
    slow = tmp_path / "chromium"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    with fetching(tmp_path, chromium=slow, start_timeout_s=1) as fetcher:
        before = {process.pid for process in family()}
        with pytest.raises(UpstreamDown) as raised:
            get(fetcher, server, "/none", 30)
        assert "browser_start" == raised.value.kind
        assert {process.pid for process in family()} <= before
