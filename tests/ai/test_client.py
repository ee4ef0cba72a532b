"""The way to a model: one request, ended in time, every failure with its name and its bill."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import config
from ai.client import Client, Reply
from ai.prompt import build
from errors import AiBadKey, AiDown, AiInvalid, AiNoQuota, AiRateLimited, AiRefused, AiTimeout, AiTruncated, Unasked
from ruling import Usage
from sandbox.server import Market, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROMPT = build("물 2L | 6개", ["물 2L 6개", "물 2L 12개"], "s")


@pytest.fixture(scope="module")
def market() -> Iterator[Market]:
    """A sandbox with its model."""
    with serve() as running:
        yield running


@pytest.fixture
def client() -> Iterator[Callable[..., Client]]:
    """Makes a client of an address."""
    made: list[Client] = []

    def make(url: str, **more: str) -> Client:
        env = {"OPENAI_API_KEY": "sk-secret", "LPS_AI__BASE_URL": url, "LPS_AI__TIMEOUT_S": "2"}
        made.append(Client(config.load(env=env | more).ai))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize(
    ("failure", "error", "billed"),
    [
        ("http429", AiRateLimited, True), ("insufficient_quota", AiNoQuota, True), ("error500", AiDown, True),
        ("bad_key", AiBadKey, True), ("not_json", AiInvalid, False), ("refusal", AiRefused, True),
        ("truncated", AiTruncated, True), ("null", AiTruncated, True), ("timeout", AiTimeout, False),
        ("broken_off", AiDown, False),
    ],
)  # fmt: skip
def test_every_failure_has_its_name_and_its_bill(
    market: Market, client: Callable[..., Client], failure: str, error: type[Unasked], billed: bool
) -> None:
    """Asked once, without the library's retries; what was billed is known, or known to be unknown; no key is told."""
    market.reset()
    market.oracle.fail(failure)
    with pytest.raises(error) as raised:
        client(f"{market.url}/ai/v1").ask(PROMPT, 1)
    assert 1 == market.oracle.counts()["requests"]
    assert billed is (raised.value.usage is not None)
    assert "sk-secret" not in str(raised.value)


def test_a_server_that_is_not_there_costs_nothing(client: Callable[..., Client]) -> None:
    """Nobody listens: known at once, nothing billed."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(AiDown) as raised:
            client(f"http://127.0.0.1:{unused.getsockname()[1]}/v1").ask(PROMPT, 1)
    assert Usage() == raised.value.usage


def test_a_dripping_answer_ends_in_time(client: Callable[..., Client]) -> None:
    """A byte now and then keeps no reader beyond its time."""
    ended = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n")
            while not ended.wait(0.1):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        began = time.monotonic()
        with pytest.raises(AiTimeout):
            client(f"http://127.0.0.1:{listener.getsockname()[1]}/v1").ask(PROMPT, 1)
        took = time.monotonic() - began
        ended.set()
        thread.join()
    assert took < 5


def _serve(listener: socket.socket, head: bytes, again: bytes, pause_s: float, ended: threading.Event) -> None:
    """Answer one question with `head`, then with `again` over and over until the other side is gone."""
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        try:
            connection.sendall(head)
            while again and not ended.wait(pause_s):
                connection.sendall(again)
        except OSError:
            return


def _asked(client: Callable[..., Client], head: bytes, again: bytes = b"", pause_s: float = 0.1) -> Reply:
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, head, again, pause_s, ended))
        thread.start()
        try:
            return client(f"http://127.0.0.1:{listener.getsockname()[1]}/v1").ask(PROMPT, 1)
        finally:
            ended.set()
            thread.join()


@pytest.mark.parametrize(
    ("head", "again", "pause_s", "error"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n", 0.1, AiTimeout),
        (b"HTTP/1.1 500 No\r\nContent-Length: 99999999\r\n\r\n", b" ", 0.1, AiTimeout),
        (b"HTTP/1.1 500 No\r\nContent-Length: 99999999\r\n\r\n", b" " * 65536, 0.0, AiDown),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", b" " * 65536, 0.0, AiInvalid),
        (b"HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n", b"", 0.1, AiDown),
    ],
    ids=["headers that drip", "an error that drips", "an endless error", "an endless answer", "a redirect"],
)
def test_no_server_keeps_a_question_or_fills_the_memory(
    client: Callable[..., Client], head: bytes, again: bytes, pause_s: float, error: type[Unasked]
) -> None:
    """Headers and bodies of any status end with their time or size; nobody is sent elsewhere with the question."""
    began = time.monotonic()
    with pytest.raises(error):
        _asked(client, head, again, pause_s)
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("tokens", ["-5000000", "9" * 400, "null"])
def test_a_bill_that_cannot_be_is_no_bill(client: Callable[..., Client], tokens: str) -> None:
    """Negative, absurd or absent usage is unknown usage: the worst case stands for it."""
    usage = "null" if tokens == "null" else f'{{"prompt_tokens":{tokens},"completion_tokens":1}}'
    body = f'{{"choices":[{{"message":{{"content":"x"}},"finish_reason":"stop"}}],"usage":{usage}}}'.encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert _asked(client, head + body).usage is None


def test_an_endless_number_is_no_answer(client: Callable[..., Client]) -> None:
    """JSON readers make infinity of it."""
    body = b'{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":1e999,"completion_tokens":1}}'
    with pytest.raises(AiInvalid):
        _asked(client, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


@pytest.mark.parametrize(
    ("model", "wanted", "absent"),
    [
        ("gpt-4o-mini", {"max_tokens", "temperature"}, "max_completion_tokens"),
        ("gpt-5-mini", {"max_completion_tokens"}, "temperature"),
    ],
)
def test_a_model_that_thinks_gets_room_for_it(
    client: Callable[..., Client], model: str, wanted: set[str], absent: str
) -> None:
    """Reasoning models take no temperature and another name for the answer's limit."""
    sent: dict[str, Any] = client("http://127.0.0.1:1/v1", LPS_AI__MODEL=model)._arguments(PROMPT)
    assert wanted <= sent.keys()
    assert absent not in sent
    assert sent["response_format"]["json_schema"]["strict"] is True
