"""HTTP as it really goes wrong: drips, cuts, lies about length, endless bodies; each ends in its own error, in time."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from requests.adapters import HTTPAdapter

from crawl.http import HttpFetcher, retry_after_s
from errors import DeadlineExceeded, SourceFailure, UnknownPage, UpstreamDown, UpstreamTimeout

from .conftest import raw_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandbox.server import Market

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=EUC-KR\r\n"


def soon(seconds: float = 5.0) -> float:
    """A deadline."""
    return time.monotonic() + seconds


@pytest.fixture
def http() -> Iterator[HttpFetcher]:
    """A fetcher whose connections are closed afterwards."""
    fetcher = HttpFetcher()
    yield fetcher
    fetcher.close()


def test_it_hands_over_the_answer_as_it_came(http: HttpFetcher) -> None:
    """Bytes, final address, status and declared charset; nothing is decoded here."""
    with raw_server([HEAD + b"Content-Length: 3\r\n\r\n", "죽".encode("cp949") + b"!"]) as server:
        body = http.get(f"{server.url}/np/search?q=x", soon())
    assert ("죽".encode("cp949") + b"!", f"{server.url}/np/search?q=x", 200) == (body.content, body.url, body.status)
    assert "euc-kr" == body.charset


def test_it_counts_the_bytes_of_the_wire(http: HttpFetcher) -> None:
    """Compressed size, both ways, heads included: what a proxy would bill."""
    packed = gzip.compress(b"x" * 100_000)
    head = HEAD + f"Content-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n".encode()
    with raw_server([head, packed]) as server:
        body = http.get(f"{server.url}/", soon())
    assert 100_000 == len(body.content)
    assert len(head) + len(packed) + len(server.received[0]) == body.size_bytes


def test_it_reads_chunks(http: HttpFetcher) -> None:
    """A body without a length ends where the server says."""
    with raw_server([HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"3\r\nabc\r\n", b"2\r\nde\r\n0\r\n\r\n"]) as server:
        assert b"abcde" == http.get(server.url, soon()).content


def test_it_keeps_connections_alive(http: HttpFetcher, market: Market) -> None:
    """A second request of the same thread goes over the same connection."""
    url = f"{market.url}/coupang/np/search?q=x"
    http.get(url, soon())
    http.get(url, soon())
    adapter = http._session().get_adapter(url)
    assert isinstance(adapter, HTTPAdapter)
    pools = adapter.poolmanager.pools
    assert [1] == [pool.num_connections for pool in map(pools.get, pools.keys()) if pool]


def test_a_hanging_server_times_out(http: HttpFetcher) -> None:
    """No answer in time is a timeout of the other side, worth another try."""
    with raw_server([b""], gap_s=5) as server, pytest.raises(UpstreamTimeout) as caught:
        http.get(server.url, soon(20), timeout_s=0.3)
    assert "timeout" == caught.value.kind


def test_another_thread_can_cut_a_fetch_short(http: HttpFetcher) -> None:
    """A cancelled search does not wait for a mall; the next fetch of the same thread has a new connection."""
    with raw_server([b""], gap_s=5) as server:
        cut = threading.Timer(0.3, http.abort, (threading.get_ident(),))
        cut.start()
        started = time.monotonic()
        with pytest.raises(UpstreamDown):
            http.get(server.url, soon(20))
        assert time.monotonic() - started < 2
    with raw_server([HEAD + b"Content-Length: 1\r\n\r\n", b"!"]) as server:
        assert b"!" == http.get(server.url, soon()).content


def test_a_drip_cannot_pass_the_deadline(http: HttpFetcher) -> None:
    """A byte now and then resets a socket's timeout but not ours."""
    drip = [HEAD + b"Content-Length: 500\r\n\r\n", *[b"x"] * 500]
    started = time.monotonic()
    with raw_server(drip, gap_s=0.05) as server, pytest.raises(DeadlineExceeded):
        http.get(server.url, soon(0.6))
    assert time.monotonic() - started < 2


def test_a_deadline_in_the_past_asks_nobody(http: HttpFetcher) -> None:
    """Time that is over is not spent on a connection."""
    with raw_server([b""]) as server, pytest.raises(DeadlineExceeded):
        http.get(server.url, time.monotonic() - 1)
    assert [] == server.received


@pytest.mark.parametrize(
    ("pieces", "kind"),
    [
        ([b""], "connection"),
        ([HEAD + b"Content-Length: 500\r\n\r\n", b"abc"], "truncated"),
        ([HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"3\r\nabc\r\n5\r\nab"], "truncated"),
        ([HEAD + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n", b"plain"], "encoding"),
        ([b"SSH-2.0-OpenSSH\r\n\r\n"], "connection"),
    ],
)
def test_a_broken_answer_is_the_other_sides_failure(http: HttpFetcher, pieces: list[bytes], kind: str) -> None:
    """Half an answer is never handed on as a whole one."""
    with raw_server(pieces) as server, pytest.raises(UpstreamDown) as caught:
        http.get(server.url, soon())
    assert kind == caught.value.kind


def test_an_endless_answer_is_cut_off(http: HttpFetcher) -> None:
    """No body grows past the cap, however well it packs."""
    packed = gzip.compress(b"\0" * (40 << 20))
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    with raw_server([head, packed]) as server, pytest.raises(UnknownPage) as caught:
        http.get(server.url, soon(20))
    assert "too_large" == caught.value.kind


def test_a_refused_connection_is_told(http: HttpFetcher) -> None:
    """Nobody listens: worth another try later."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(UpstreamDown) as caught:
        http.get(f"http://127.0.0.1:{port}/?key=secret", soon())
    assert "connection" == caught.value.kind
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://", "nonsense", "http://127.0.0.1:99999/", "ftp://127.0.0.1/"])
def test_a_bad_address_is_a_source_failure(http: HttpFetcher, url: str) -> None:
    """Whatever the settings say, a fetch fails as a source, not as a crash."""
    with pytest.raises(SourceFailure):
        http.get(url, soon())


def test_proxies_of_the_environment_are_ignored(http: HttpFetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy is used because LPS was told to, never because a shell variable says so."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    with raw_server([HEAD + b"Content-Length: 2\r\n\r\nok"]) as server:
        assert b"ok" == http.get(server.url, soon()).content


def test_redirects_are_followed_only_when_asked(http: HttpFetcher) -> None:
    """A request that carries a secret never carries it elsewhere."""
    there = [HEAD + b"Content-Length: 2\r\n\r\nok"]
    with raw_server(there) as other:
        away = [
            f"HTTP/1.1 302 Found\r\nLocation: {other.url}/x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".encode()
        ]
        with raw_server(away) as server:
            assert 302 == http.get(server.url, soon(), {"X-Secret": "s"}, follow=False).status
            assert [] == other.received
            assert f"{other.url}/x" == http.get(server.url, soon()).url


def test_a_closed_fetcher_can_be_used_again(http: HttpFetcher) -> None:
    """Closing gives connections back; it is no end."""
    with raw_server([HEAD + b"Content-Length: 2\r\n\r\nok"]) as server:
        http.get(server.url, soon())
        http.close()
        assert b"ok" == http.get(server.url, soon()).content


def test_threads_do_not_share_connections(http: HttpFetcher, market: Market) -> None:
    """A session is not safe to share: each thread has its own."""
    sessions = []
    threads = [threading.Thread(target=lambda: sessions.append(http._session())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 4 == len({id(session) for session in sessions})


@pytest.mark.parametrize(("text", "expected"), [("7", 7.0), ("", None), ("soon", None), ("-3", None)])
def test_retry_after_is_read_in_seconds(text: str, expected: float | None) -> None:
    """A number of seconds, or nothing."""
    assert expected == retry_after_s(text)


def test_retry_after_is_read_as_a_date() -> None:
    """A date of the past asks for no wait."""
    assert 0.0 == retry_after_s("Wed, 21 Oct 2015 07:28:00 GMT")
