"""Sockets and heads of the forwarder: non-blocking, each byte reported as the kernel took or gave it."""

from __future__ import annotations

import asyncio
import re
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PIECE = 64 * 1024
MAX_HEAD = 64 * 1024
_WINDOW = 128 * 1024
_TARGET = re.compile(r"(?:http://)?(\[[0-9a-fA-F:.]+\]|[^/:?#\[\]@]+)(?::(\d{1,5}))?(?:[/?#].*)?", re.DOTALL)
_HOP = ("connection", "proxy-connection", "proxy-authorization", "keep-alive")


class BadHead(OSError):
    """Not a request or an answer of HTTP/1.1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """The head of what a client asks its proxy for."""

    method: str
    target: str
    host: str
    fields: tuple[str, ...]
    """Header lines as they came."""
    body_bytes: int

    @property
    def tunnel(self) -> bool:
        """Whether it wants a tunnel."""
        return self.method == "CONNECT"

    def onward(self, authorization: str) -> bytes:
        """The head as it goes to the next proxy, with its login; one request a connection."""
        if self.tunnel:
            lines = [f"Host: {self.target}"]
        else:
            lines = [line for line in self.fields if line.partition(":")[0].strip().lower() not in _HOP]
            lines.append("Connection: close")
        first = f"{self.method} {self.target} HTTP/1.1"
        return "\r\n".join([first, *lines, f"Proxy-Authorization: {authorization}", "", ""]).encode("latin-1")


def request(head: bytes) -> Request:
    """What a client asks for. Raises BadHead."""
    first, *fields = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    parts = first.split(" ")
    place = _TARGET.fullmatch(parts[1]) if len(parts) == 3 and parts[2].startswith("HTTP/1.") else None
    if place is None or (parts[0] != "CONNECT" and not parts[1].startswith("http://")):
        raise BadHead
    sizes = [line.partition(":")[2].strip() for line in fields if line.lower().startswith("content-length:")]
    if any(not size.isdecimal() for size in sizes) or len(sizes) > 1:
        raise BadHead
    return Request(
        method=parts[0],
        target=parts[1],
        host=place[1].strip("[]").lower(),
        fields=tuple(fields),
        body_bytes=int(sizes[0]) if sizes else 0,
    )


def status_of(head: bytes) -> int:
    """The status of an answer. Raises BadHead."""
    found = re.match(rb"HTTP/1\.[01] (\d{3})\b", head)
    if not found:
        raise BadHead
    return int(found[1])


async def read_head(source: socket.socket, count: Callable[[int], None] | None = None) -> tuple[bytes, bytes]:
    """A head with its empty line, and what came behind it. Raises ConnectionResetError at an early end, BadHead."""
    loop = asyncio.get_running_loop()
    have = b""
    while b"\r\n\r\n" not in have:
        piece = await loop.sock_recv(source, PIECE)
        if not piece:
            raise ConnectionResetError("ended within its head")
        if count:
            count(len(piece))
        have += piece
        if len(have) > MAX_HEAD:
            raise BadHead
    head, mark, rest = have.partition(b"\r\n\r\n")
    return head + mark, rest


async def send(sink: socket.socket, data: bytes, count: Callable[[int], None] | None = None) -> None:
    """All of it; `count` hears of each part that the kernel took, even when the rest fails."""
    view = memoryview(data)
    while view:
        try:
            size = sink.send(view)
        except BlockingIOError:
            await _writable(sink)
            continue
        if count:
            count(size)
        view = view[size:]


async def _writable(sink: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()

    def tell() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_writer(sink, tell)
    try:
        await ready
    finally:
        loop.remove_writer(sink)


async def dial(host: str, port: int) -> socket.socket:
    """A connection. Raises OSError."""
    loop = asyncio.get_running_loop()
    flags = socket.AI_NUMERICHOST if re.fullmatch(r"[\d.]+|.*:.*", host) else 0
    if flags:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    else:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    family, kind, protocol, _, address = found[0]
    line = socket.socket(family, kind, protocol)
    line.setblocking(False)
    try:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # What has been sent to us is billed, read or not: a lease's cap must not be passed by megabytes.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _WINDOW)
        await loop.sock_connect(line, address)
    except BaseException:
        line.close()
        raise
    return line


async def pump(
    source: socket.socket,
    sink: socket.socket,
    *,
    sent: Callable[[int], None] | None = None,
    received: Callable[[int], None] | None = None,
    cut: Callable[[OSError], None] | None = None,
    most: int | None = None,
) -> None:
    """Carry bytes until the source ends, or `most` of them; then say so to the sink, unless `most` was given.

    Args:
        source: read here.
        sink: written there.
        sent: hears of each part that the sink took.
        received: hears of each part that the source gave.
        cut: hears of the source's breaking off, which is then raised.
        most: bytes to carry.
    """
    loop = asyncio.get_running_loop()
    left = most
    while left is None or left:
        try:
            piece = await loop.sock_recv(source, PIECE if left is None else min(PIECE, left))
        except OSError as error:
            if cut:
                cut(error)
            raise
        if not piece:
            break
        if received:
            received(len(piece))
        await send(sink, piece, sent)
        left = left and left - len(piece)
    if most is None:
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
