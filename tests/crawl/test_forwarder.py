"""The way to the proxy, over real sockets to the sandbox's gate: login, bytes, hosts, caps, faults, switches."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crawl.forwarder import Forwarder, Line, Rules, Upstream
from errors import ByteCap, ProxyAuth, ProxyDead
from sandbox import gate as gates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandbox.gate import Gate
    from sandbox.server import Market

MALL = "www.coupang.com"
RULES = Rules(hosts=("coupang.com", "decodo.com"), connect_s=2)
SEARCH = f"http://{MALL}/np/search?q=x"


@pytest.fixture
def gate(market: Market) -> Iterator[Gate]:
    """A proxy gate of three ports before the market."""
    with gates.Gate(int(market.url.rpartition(":")[2]), ports=3) as running:
        yield running


@pytest.fixture
def forwarder() -> Iterator[Forwarder]:
    """A forwarder that is closed afterwards."""
    running = Forwarder()
    yield running
    running.close()


def port_of(gate: Gate, n: int = 0, session: str = "one", password: str = gates.PASSWORD) -> Upstream:
    """One port with a login."""
    return Upstream(host="127.0.0.1", port=gate.ports[n], user=f"user-sandbox-session-{session}", password=password)


def get(line: Line, url: str = SEARCH) -> tuple[int, bytes]:
    """One plain request through a line."""
    connection = http.client.HTTPConnection(line.address, timeout=5)
    try:
        connection.request("GET", url)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@contextmanager
def tunnel(line: Line, host: str = MALL) -> Iterator[http.client.HTTPConnection]:
    """A tunnel to a host through a line. Raises OSError."""
    connection = http.client.HTTPConnection(line.address, timeout=5)
    connection.set_tunnel(host, 80)
    try:
        connection.connect()
        yield connection
    finally:
        connection.close()


def ask(connection: http.client.HTTPConnection) -> int:
    """One request over a tunnel."""
    connection.request("GET", "/np/search?q=x")
    return connection.getresponse().status


def open_files() -> int:
    """File descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def at_rest() -> tuple[int, int]:
    """(threads, file descriptors) once they have stood still for 0.3 s: the gate lives in this process too."""
    seen = [(0, 0)]
    end = time.monotonic() + 10
    while len({*seen[-15:]}) > 1 or len(seen) < 15:
        assert time.monotonic() < end
        threading.Event().wait(0.02)
        seen.append((threading.active_count(), open_files()))
    return seen[-1]


def ip_of(line: Line) -> str:
    """The address that the other side sees."""
    return str(json.loads(get(line, "http://ip.decodo.com/json")[1])["proxy"]["ip"])


def settled(line: Line) -> None:
    """Wait until every connection through a line has ended."""
    end = time.monotonic() + 5
    while line.carrying and time.monotonic() < end:
        threading.Event().wait(0.01)


@pytest.mark.parametrize("tunnelled", [False, True])
def test_it_adds_the_login_and_counts_to_the_byte(forwarder: Forwarder, gate: Gate, tunnelled: bool) -> None:
    """Both ways, heads and logins included: exactly what the gate's own sockets saw."""
    line = forwarder.open()
    meter = line.switch(port_of(gate), RULES)
    for _ in range(3):
        if tunnelled:
            with tunnel(line) as connection:
                assert 200 == ask(connection)
        else:
            assert 200 == get(line)[0]
    settled(line)
    seen = gate.traffic()[gate.ports[0]]
    assert (seen.up, seen.down) == (meter.up, meter.down)
    assert {MALL: meter.total} == meter.by_host
    assert meter.down > 10_000


def test_bodies_of_any_size_pass(forwarder: Forwarder, gate: Gate, market: Market) -> None:
    """Nothing is lost, cut or doubled on the way."""
    market.set_scenario("coupang", "huge", "5")
    line = forwarder.open()
    line.switch(port_of(gate), RULES)
    status, body = get(line)
    assert (200, b"</html>") == (status, body.rstrip()[-7:])
    assert len(body) > 5_000_000


def test_only_the_malls_own_hosts_are_let_through(forwarder: Forwarder, gate: Gate) -> None:
    """A stranger costs no byte, and is named."""
    line = forwarder.open()
    meter = line.switch(port_of(gate), RULES)
    assert 403 == get(line, "http://ads.example/pixel")[0]
    assert 403 == get(line, "http://notcoupang.com/")[0]
    with pytest.raises(OSError, match="403"), tunnel(line, "update.googleapis.com"):
        pass
    assert (0, {"ads.example": 1, "notcoupang.com": 1, "update.googleapis.com": 1}) == (meter.total, meter.refused)
    assert {} == gate.traffic()


def test_a_line_without_a_port_refuses(forwarder: Forwarder, gate: Gate) -> None:
    """Nothing leaves before a lease, nor after it."""
    line = forwarder.open()
    assert 403 == get(line)[0]
    line.switch(port_of(gate), RULES)
    line.switch(None)
    assert 403 == get(line)[0]
    assert {} == gate.traffic()


def test_the_bytes_of_a_lease_are_capped(forwarder: Forwarder, gate: Gate, market: Market) -> None:
    """A page that would cost more is broken off, and says why."""
    market.set_scenario("coupang", "huge", "5")
    line = forwarder.open()
    meter = line.switch(port_of(gate), RULES)
    meter.allow(100_000)
    with pytest.raises((OSError, http.client.IncompleteRead)):
        get(line)
    assert 503 == get(line)[0]
    assert 100_000 <= meter.total < 200_000
    assert isinstance(meter.trouble(MALL), ByteCap)
    market.reset()
    meter.allow(100_000)
    assert 200 == get(line)[0]


FAULTS: list[tuple[str, str, type[Exception], str]] = [
    ("http_407", "", ProxyAuth, "http_407"),
    ("http_502", "", ProxyDead, "http_502"),
    ("dead", "", ProxyDead, "refused"),
    ("reset", "", ProxyDead, "reset"),
    ("cut", "2000", ProxyDead, "reset"),
]


@pytest.mark.parametrize("tunnelled", [False, True])
@pytest.mark.parametrize(("fault", "arg", "error", "kind"), FAULTS)
def test_every_failure_of_the_proxy_has_its_name(
    forwarder: Forwarder, gate: Gate, fault: str, arg: str, error: type[Exception], kind: str, tunnelled: bool
) -> None:
    """What the client cannot see is remembered: refused login, dead port, breaking off."""
    gate.set_fault(gate.ports[0], fault, arg)
    line = forwarder.open()
    meter = line.switch(port_of(gate), RULES)
    try:
        if tunnelled:
            with tunnel(line) as connection:
                connection.request("GET", "/np/search?q=x")
                connection.getresponse().read()
        else:
            assert (200 if fault == "cut" else 502) == get(line)[0]
    except (OSError, http.client.HTTPException):
        pass
    settled(line)
    found: Any = meter.trouble(MALL)
    assert (error, kind) == (type(found), found.kind)


@pytest.mark.parametrize("fault", ["hang", "slow"])
def test_a_port_that_opens_no_tunnel_in_time_is_dead(forwarder: Forwarder, gate: Gate, fault: str) -> None:
    """A tunnel is there at once or not at all; the stage's time is not spent on it."""
    gate.set_fault(gate.ports[0], fault)
    line = forwarder.open()
    meter = line.switch(port_of(gate), Rules(hosts=("coupang.com",), connect_s=0.3))
    started = time.monotonic()
    with pytest.raises(OSError, match="502"), tunnel(line):
        pass
    assert time.monotonic() - started < 2
    assert "timeout" == getattr(meter.trouble(MALL), "kind", None)


@pytest.mark.parametrize("user", ["user-stranger-session-a", "user-sandbox-session-bad id", "sandbox"])
def test_a_login_that_is_not_let_in_is_proxy_auth(forwarder: Forwarder, gate: Gate, user: str) -> None:
    """Wrong name, wrong characters, wrong form: 407, whatever the reason."""
    line = forwarder.open()
    login = Upstream(host="127.0.0.1", port=gate.ports[0], user=user, password="sandbox")
    meter = line.switch(login, RULES)
    assert 502 == get(line)[0]
    assert isinstance(meter.trouble(MALL), ProxyAuth)


def test_anothers_trouble_is_not_the_malls(forwarder: Forwarder, gate: Gate) -> None:
    """A script's host that cannot be reached does not spoil a page."""
    line = forwarder.open()
    meter = line.switch(port_of(gate), RULES)
    meter.note("img.coupang.com", ProxyDead, "http_502")
    assert meter.trouble(MALL) is None
    meter.note("", ProxyDead, "refused")
    meter.note("", ProxyAuth, "http_407")
    assert isinstance(meter.trouble(MALL), ProxyAuth)


def test_another_port_under_a_live_client_is_another_address(forwarder: Forwarder, gate: Gate) -> None:
    """A tunnel of the old address ends at once; not a byte goes there afterwards; each lease has its own count."""
    line = forwarder.open()
    first = line.switch(port_of(gate, 0), RULES)
    was = ip_of(line)
    with tunnel(line) as old:
        second = line.switch(port_of(gate, 1), RULES)
        with pytest.raises((OSError, http.client.HTTPException)):
            ask(old)
    carried = first.total
    assert was != ip_of(line)
    assert (carried, True) == (first.total, second.total > 0)
    third = line.switch(port_of(gate, 1, session="two"), RULES)
    assert ip_of(line) not in gate.addresses()[:2]
    assert (3, True) == (len(gate.addresses()), third.total > 0)


def test_nonsense_is_refused(forwarder: Forwarder, gate: Gate) -> None:
    """Whatever a local program sends, the line lives on."""
    line = forwarder.open()
    line.switch(port_of(gate), RULES)
    host, _, port = line.address.partition(":")
    for text in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET http:// HTTP/1.1\r\n\r\n", b"x" * 70_000):
        with socket.create_connection((host, int(port)), timeout=5) as visitor:
            visitor.sendall(text)
            visitor.shutdown(socket.SHUT_WR)
            assert visitor.recv(100)[:12] in (b"HTTP/1.1 400", b"")
    assert 200 == get(line)[0]


def test_no_text_of_it_shows_the_login(gate: Gate) -> None:
    """Neither name nor password, whoever prints it."""
    text = repr(port_of(gate, password="hunter2"))
    assert "hunter2" not in text
    assert "sandbox" not in text


def test_closing_leaves_no_socket_and_no_thread(gate: Gate) -> None:
    """Open tunnels included, many times over."""

    def once() -> None:
        running = Forwarder()
        line = running.open()
        line.switch(port_of(gate), RULES)
        with ExitStack() as opened:
            for _ in range(5):
                opened.enter_context(tunnel(line))
            running.close()
            running.close()

    once()
    before = at_rest()
    for _ in range(10):
        once()
    assert before == at_rest()
