"""Addresses that strangers name: every known way inside is shut, and the connection goes where the check looked."""

from __future__ import annotations

import hashlib
import hmac
import http.server
import socket
import ssl
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from alerts.callback import BadAddress, check, is_public, pick, post, sign
from errors import RateLimited, Stop, UpstreamDown, UpstreamTimeout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MALFORMED = [
    ("", "not_an_address"),
    ("ftp://example.com/", "not_an_address"),
    ("file:///etc/passwd", "not_an_address"),
    ("gopher://example.com/", "not_an_address"),
    ("javascript:alert(1)", "not_an_address"),
    ("//example.com/", "not_an_address"),
    ("https://", "not_an_address"),
    ("https:///path", "not_an_address"),
    ("https://exa mple.com/", "not_an_address"),
    ("https://example.com/\r\nX-Evil: 1", "not_an_address"),
    ("https://example.com\\@evil.example/", "login"),
    ("https://user:pass@example.com/", "login"),
    ("https://user@example.com/", "login"),
    ("https://example.com#@evil.example/", "login"),
    ("https://example.com\\evil.example/", "not_an_address"),
    ("https://exämple.com/", "not_an_address"),
    ("https://127。0。0。1/", "not_an_address"),  # full-width dots
    ("https://example.com:99999/", "not_an_address"),
    ("https://example.com:0/", "bad_port"),
    ("https://[::1/", "not_an_address"),
    ("http://example.com/", "not_https"),
    ("https://" + "a" * 2000, "not_an_address"),
]
INSIDE = [
    *("127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"),  # noqa: S104
    *("100.64.0.1", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1"),
    *("64:ff9b:1::1", "2002:7f00:1::1", "2002:0a00:1::1", "2001:0:7f00:1::1", "100::1", "nonsense"),
]
OUTSIDE = ["1.1.1.1", "8.8.8.8", "203.0.114.1", "2606:4700:4700::1111", "2a00:1450:4001::1"]
DISGUISED = ["2130706433", "0x7f000001", "0x7f.1", "017700000001", "127.1", "127.0.1", "localhost", "localhost."]


@pytest.mark.parametrize(("url", "kind"), MALFORMED, ids=[repr(url)[:40] for url, _ in MALFORMED])
def test_what_is_no_plain_https_address_is_refused(url: str, kind: str) -> None:
    """By name, before anything is resolved."""
    with pytest.raises(BadAddress) as refused:
        check(url)
    assert kind == refused.value.kind


@pytest.mark.parametrize("address", INSIDE)
def test_no_way_inside_is_public(address: str) -> None:
    """This machine, private networks, link-local, carrier NAT, multicast, reserved, mapped, 6to4, Teredo, NAT64."""
    assert not is_public(address)
    with pytest.raises(BadAddress, match="public"):
        pick(check("https://example.com/"), lambda _host, _port: [address])


@pytest.mark.parametrize("address", OUTSIDE)
def test_the_internet_is_public(address: str) -> None:
    """What is to be reached can be."""
    assert is_public(address)


@pytest.mark.parametrize("host", DISGUISED)
def test_a_disguised_loopback_address_is_found_out(host: str) -> None:
    """Whatever the system's resolver makes of it: numbers, hex, octal, short forms."""
    with pytest.raises((BadAddress, UpstreamDown)):
        pick(check(f"https://{host}/"))


@pytest.mark.parametrize("url", ["https://127.0.0.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/"])
def test_a_literal_inside_is_refused_at_once(url: str) -> None:
    """Whoever submits it is told, and need not wait for a delivery."""
    with pytest.raises(BadAddress) as refused:
        check(url)
    assert "not_public" == refused.value.kind


def test_one_inside_address_among_several_is_enough() -> None:
    """A name with a public and a private address is refused."""
    with pytest.raises(BadAddress):
        pick(check("https://example.com/"), lambda _host, _port: ["1.1.1.1", "127.0.0.1"])


class Receiver:
    """A server on loopback that answers as told and remembers what came."""

    def __init__(self, answer: Callable[[http.server.BaseHTTPRequestHandler], None]) -> None:
        seen: list[tuple[str, dict[str, str], bytes]] = []
        self.seen = seen

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                """Note what came, and answer."""
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                seen.append((self.path, dict(self.headers), body))
                answer(self)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port


def status(code: int, **headers: str) -> Callable[[http.server.BaseHTTPRequestHandler], None]:
    """An answer of this status."""

    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@contextmanager
def receiving(answer: Callable[[http.server.BaseHTTPRequestHandler], None]) -> Iterator[Receiver]:
    """A running receiver."""
    receiver = Receiver(answer)
    thread = threading.Thread(target=receiver.server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        thread.join()
        receiver.server.server_close()


def send(receiver: Receiver, *, timeout_s: float = 5) -> int:
    """Post to a receiver whose host an operator has named."""
    target = check(f"http://hooks.local:{receiver.port}/in?x=1", frozenset({"hooks.local"}))
    sent = post(target, b'{"a": 1}', {"X-A": "b"}, timeout_s=timeout_s, resolving=lambda _host, _port: ["127.0.0.1"])
    return sent.status


def test_it_calls_the_checked_address_by_its_name() -> None:
    """Resolved once; the Host header is the name, path and body are whole."""
    asked: list[str] = []

    def resolving(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    with receiving(status(204)) as receiver:
        target = check(f"http://hooks.local:{receiver.port}/in?x=1", frozenset({"hooks.local"}))
        assert 204 == post(target, b"{}", {}, timeout_s=5, resolving=resolving).status
    path, headers, body = receiver.seen[0]
    assert ("/in?x=1", f"hooks.local:{receiver.port}", b"{}") == (path, headers["Host"], body)
    assert ["hooks.local"] == asked


def test_a_name_that_changes_its_mind_gains_nothing() -> None:
    """Public when it is checked, ours a moment later (DNS rebinding): the connection goes to the checked address."""
    answers = iter([["192.0.2.55"], ["127.0.0.1"]])
    target = check("https://rebind.example/")
    with pytest.raises(BadAddress):
        post(target, b"{}", {}, timeout_s=2, resolving=lambda _host, _port: next(answers))
    assert ["127.0.0.1"] == next(answers)


def test_no_redirect_is_followed() -> None:
    """A 302 to the inside is an answer like any other that is not 2xx."""
    with receiving(status(302, Location="http://127.0.0.1:1/")) as receiver, pytest.raises(Stop, match="302"):
        send(receiver)
    assert 1 == len(receiver.seen)


@pytest.mark.parametrize(
    ("answer", "error"),
    [(400, Stop), (404, Stop), (410, Stop), (408, UpstreamDown), (425, UpstreamDown), (500, UpstreamDown)],
)
def test_only_2xx_is_success(answer: int, error: type[Exception]) -> None:
    """What may help later is tried again, the rest is final; the status is kept."""
    with receiving(status(answer)) as receiver, pytest.raises(error) as failed:
        send(receiver)
    assert f"http_{answer}" == failed.value.kind  # type: ignore[attr-defined]  # each of them has one


def test_429_says_how_long() -> None:
    """Retry-After in seconds is kept, anything else is not believed."""
    for wait, expected in (("3", 3.0), ("soon", None), ("-1", None)):
        with receiving(status(429, Retry_After=wait)) as receiver, pytest.raises(RateLimited) as limited:
            send(receiver)
        assert expected == limited.value.after_s


def drip(handler: http.server.BaseHTTPRequestHandler) -> None:
    """A byte now and then, for ever."""
    over = threading.Event()
    try:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n")
        for _ in range(200):
            handler.wfile.write(b"X-A: b\r\n"[:1])
            over.wait(0.1)
    except OSError:
        return


def test_a_receiver_that_drips_is_cut_off() -> None:
    """The time is for the whole of it, however busy the line looks."""
    started = time.monotonic()
    with receiving(drip) as receiver, pytest.raises((UpstreamTimeout, UpstreamDown)):
        send(receiver, timeout_s=1)
    assert time.monotonic() - started < 4


def test_a_huge_answer_is_not_read() -> None:
    """64 kB are enough; success it is all the same."""

    def flood(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            for _ in range(1000):
                handler.wfile.write(b"x" * 65_536)
        except OSError:
            return

    with receiving(flood) as receiver:
        assert 200 == send(receiver)


def test_nobody_there_is_down() -> None:
    """Refused, and a server that hangs up."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        target = check(f"http://hooks.local:{unused.getsockname()[1]}/", frozenset({"hooks.local"}))
        with pytest.raises(UpstreamDown):
            post(target, b"", {}, timeout_s=2, resolving=lambda _host, _port: ["127.0.0.1"])


def test_a_certificate_of_another_name_is_refused() -> None:
    """TLS is verified against the name, though the connection went to an address."""
    with receiving(status(200)) as receiver:
        target = check(f"https://hooks.local:{receiver.port}/", frozenset({"hooks.local"}))
        with pytest.raises((UpstreamDown, UpstreamTimeout)):
            post(target, b"", {}, timeout_s=2, resolving=lambda _host, _port: ["127.0.0.1"])
    assert [] == receiver.seen
    assert ssl.create_default_context().check_hostname


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check was of the receiver, not of a proxy."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with receiving(status(200)) as receiver:
        assert 200 == send(receiver)


def test_a_signature_proves_body_and_time() -> None:
    """HMAC-SHA256 of `t.body`, one mark a secret."""
    header = sign(b'{"a":1}', ["new", "old"], 1764561600)
    marks = [hmac.new(s, b'1764561600.{"a":1}', hashlib.sha256).hexdigest() for s in (b"new", b"old")]
    assert f"t=1764561600,v1={marks[0]},v1={marks[1]}" == header
