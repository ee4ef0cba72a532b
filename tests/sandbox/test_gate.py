"""The proxy gate: who is let in, which address a session gets, and that the market counts by it."""

from __future__ import annotations

import base64
import http.client
import json
from typing import TYPE_CHECKING

import pytest

from sandbox.gate import Gate
from sandbox.gate_faults import UnknownFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandbox.server import Market


@pytest.fixture
def gate(running_market: Market) -> Iterator[Gate]:
    """A gate of four ports before a fresh market."""
    running_market.reset()
    with Gate(int(running_market.url.rpartition(":")[2]), ports=4) as running:
        yield running


def get(gate: Gate, url: str, login: str = "user-sandbox-country-kr-session-a:sandbox", n: int = 0) -> tuple[int, str]:
    """One plain request through a port."""
    connection = http.client.HTTPConnection("127.0.0.1", gate.ports[n], timeout=5)
    try:
        secret = base64.b64encode(login.encode()).decode()
        connection.request("GET", url, headers={"Proxy-Authorization": f"Basic {secret}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    finally:
        connection.close()


def ip(gate: Gate, session: str, n: int = 0, minutes: str = "10") -> str:
    """The address of a session."""
    login = f"user-sandbox-country-kr-session-{session}-sessionduration-{minutes}:sandbox"
    return str(json.loads(get(gate, "http://ip.decodo.com/json", login, n)[1])["proxy"]["ip"])


def test_its_ports_follow_each_other(gate: Gate) -> None:
    """As a settings file names them: the first, and how many."""
    assert list(range(gate.ports[0], gate.ports[0] + 4)) == list(gate.ports)


@pytest.mark.parametrize(
    ("login", "status"),
    [
        ("user-sandbox:sandbox", 200),
        ("user-sandbox-session-a1:sandbox", 200),
        ("user-sandbox-country-kr-session-a1-sessionduration-30:sandbox", 200),
        ("sandbox:sandbox", 407),
        ("user-sandbox-session-a:wrong", 407),
        ("user-other-session-a:sandbox", 407),
        ("user-sandbox-session-a b:sandbox", 407),
        ("user-sandbox-sessionduration-5:sandbox", 407),
    ],
)
def test_it_lets_in_who_knows_the_form(gate: Gate, login: str, status: int) -> None:
    """Name, password and the order of the parameters; anything else is 407."""
    assert status == get(gate, "http://www.coupang.com/", login)[0]


def test_without_a_login_nobody_is_let_in(gate: Gate) -> None:
    """407, with the challenge that says how."""
    connection = http.client.HTTPConnection("127.0.0.1", gate.ports[0], timeout=5)
    connection.request("GET", "http://www.coupang.com/")
    answer = connection.getresponse()
    assert (407, 'Basic realm="gate"') == (answer.status, answer.headers["Proxy-Authenticate"])
    connection.close()


def test_a_session_keeps_its_address(gate: Gate) -> None:
    """Same port and session: same address; another session or port: another; an expired one: another."""
    first = ip(gate, "a")
    assert first == ip(gate, "a")
    assert 4 == len({first, ip(gate, "b"), ip(gate, "a", n=1), ip(gate, "short", minutes="0")})
    assert ip(gate, "short", minutes="0") not in gate.addresses()[:-1]


def test_the_market_refuses_an_address_after_its_pages(gate: Gate, running_market: Market) -> None:
    """The fourth page of one address is refused; another address is welcome; pictures do not count."""
    running_market.set_scenario("coupang", "ip_budget", "3")
    url = "http://www.coupang.com/np/search?q=x"
    statuses = [get(gate, url)[0] for _ in range(4)]
    assert [200, 200, 200, 403] == statuses
    other = "user-sandbox-session-b:sandbox"
    assert [200, 200] == [get(gate, path, other)[0] for path in ("http://www.coupang.com/img/1.png", url)]
    assert {"coupang": 1} == running_market.pages_by_ip()[gate.addresses()[1]]


def test_an_unknown_fault_is_refused(gate: Gate) -> None:
    """A test that misspells a fault must not pass."""
    with pytest.raises(UnknownFault, match="one of dead"):
        gate.set_fault(gate.ports[0], "dread")
    with pytest.raises(UnknownFault, match="wants a number"):
        gate.set_fault(gate.ports[0], "slow", "very")


def test_a_fault_ends(gate: Gate) -> None:
    """Dead, then alive again."""
    gate.set_fault(gate.ports[0], "dead")
    with pytest.raises(ConnectionRefusedError):
        get(gate, "http://www.coupang.com/")
    gate.set_fault(gate.ports[0], "")
    assert 200 == get(gate, "http://www.coupang.com/")[0]
