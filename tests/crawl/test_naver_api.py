"""Naver's API behind several keys, against real answers on loopback."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from crawl.http import HttpFetcher
from crawl.keyring import Key, KeyRing
from crawl.naver_api import NaverApi
from errors import BadKey, Blocked, NoKey, RateLimited, UpstreamTimeout

from .conftest import raw_server

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = (Key("first", "s1"), Key("second", "s2"))


def answer(status: int, code: str = "", **more: str) -> list[bytes]:
    """One answer of the API."""
    body = json.dumps({"errorCode": code} if code else {"total": 0, "items": []}).encode()
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in more.items())
    return [f"HTTP/1.1 {status} X\r\n{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body]


@pytest.fixture
def http() -> Iterator[HttpFetcher]:
    """A fetcher whose connections are closed afterwards."""
    fetcher = HttpFetcher()
    yield fetcher
    fetcher.close()


def api(http: HttpFetcher, *keys: Key) -> tuple[NaverApi, KeyRing]:
    """The API with these keys."""
    ring = KeyRing(keys, time.time)
    return NaverApi(http, ring, timeout_s=1), ring


def asked(received: list[bytes]) -> list[str]:
    """The key ids that were sent, in order."""
    lines = [line for request in received for line in request.decode().split("\r\n")]
    return [line.split(": ")[1] for line in lines if line.startswith("X-Naver-Client-Id")]


def test_without_a_key_nobody_is_asked(http: HttpFetcher) -> None:
    """The source is disabled, and the text says what to set."""
    with pytest.raises(NoKey, match="NAVER_KEYS") as caught:
        api(http)[0].get("http://127.0.0.1:9/", time.monotonic() + 1)
    assert "disabled" == caught.value.outcome


def test_calls_use_the_keys_in_turn(http: HttpFetcher) -> None:
    """Round robin over calls."""
    with raw_server(answer(200)) as server:
        naver, _ = api(http, *KEYS)
        for _ in range(3):
            assert 200 == naver.get(server.url, time.monotonic() + 2).status
    assert ["first", "second", "first"] == asked(server.received)


@pytest.mark.parametrize("refusal", [(429, "012"), (401, "024"), (403, "024")])
def test_the_next_key_answers_for_one_that_cannot(http: HttpFetcher, refusal: tuple[int, str]) -> None:
    """A limited or refused key costs one call, not the search."""
    with raw_server(answer(*refusal), answer(200)) as server:
        assert 200 == api(http, *KEYS)[0].get(server.url, time.monotonic() + 2).status
    assert ["first", "second"] == asked(server.received)


def test_when_every_key_is_limited_it_says_for_how_long(http: HttpFetcher) -> None:
    """Each key is asked once at most; the wait is the shortest of them."""
    with raw_server(answer(429, "012", Retry_After="30"), answer(429, "012", Retry_After="7")) as server:
        naver, _ = api(http, *KEYS)
        with pytest.raises(RateLimited) as caught:
            naver.get(server.url, time.monotonic() + 2)
        assert 6 < (caught.value.after_s or 0) <= 7
        with pytest.raises(RateLimited):
            naver.get(server.url, time.monotonic() + 2)
    assert ["first", "second"] == asked(server.received)


def test_a_used_up_quota_sets_the_key_aside_for_the_day(http: HttpFetcher) -> None:
    """Code 010 is the day's quota: that key is not asked again today."""
    with raw_server(answer(429, "010"), answer(200)) as server:
        naver, ring = api(http, *KEYS)
        for _ in range(3):
            naver.get(server.url, time.monotonic() + 2)
        assert [KEYS[1]] == ring.usable()
    assert ["first", "second", "second", "second"] == asked(server.received)


def test_when_every_key_is_refused_trying_again_is_of_no_use(http: HttpFetcher) -> None:
    """The operator has to look: BadKey is not retried."""
    with raw_server(answer(401, "024")) as server:
        naver, _ = api(http, *KEYS)
        with pytest.raises(BadKey) as caught:
            naver.get(server.url, time.monotonic() + 2)
    assert ("blocked", "key") == (caught.value.outcome, caught.value.kind)


def test_a_bare_403_refuses_the_visitor_and_not_the_key(http: HttpFetcher) -> None:
    """What stands before the API knows no keys: no other key is tried, and none is set aside."""
    with raw_server(answer(403)) as server:
        naver, ring = api(http, *KEYS)
        with pytest.raises(Blocked) as caught:
            naver.get(server.url, time.monotonic() + 2)
        assert not ring.all_refused
    assert ("blocked", "http_403") == (caught.value.outcome, caught.value.kind)
    assert ["first"] == asked(server.received)


def test_other_failures_are_the_answer_itself(http: HttpFetcher) -> None:
    """A server error says nothing about the key."""
    with raw_server(answer(500, "SE99")) as server:
        assert 500 == api(http, *KEYS)[0].get(server.url, time.monotonic() + 2).status
    assert 1 == len(server.received)


def test_a_call_has_its_own_time(http: HttpFetcher) -> None:
    """One slow call ends after its own seconds, not after the whole deadline."""
    with raw_server([b""], gap_s=5) as server, pytest.raises(UpstreamTimeout):
        api(http, *KEYS)[0].get(server.url, time.monotonic() + 20)


def test_a_key_never_follows_a_redirect(http: HttpFetcher) -> None:
    """A secret goes to the address that was set, and nowhere else."""
    with raw_server(answer(200)) as other:
        with raw_server(answer(302, Location=other.url)) as server:
            assert 302 == api(http, *KEYS)[0].get(server.url, time.monotonic() + 2).status
        assert [] == other.received
