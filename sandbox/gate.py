"""A proxy gate like Decodo's on loopback: a login, sticky sessions, an address of its own for every session.

Each port is a listener. The login's name carries the session, `user-NAME-country-kr-session-ID-sessionduration-MIN`; a
new session is a new address. An address is a real one (127.x.y.z, which Linux lets anyone bind to): the market sees who
comes by the socket itself, through a tunnel as well, and can refuse an address after so many pages.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import random
import re
import socket
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sandbox import gate_faults

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Coroutine
    from typing import Any, Self

USER, PASSWORD = "sandbox", "sandbox"
"""The login of a gate that is not told another."""
_NAME = re.compile(
    r"user-(?P<name>[A-Za-z0-9_.]+)(?:-country-[a-z]{2})?"
    r"(?:-session-(?P<session>[A-Za-z0-9_.]+)(?:-sessionduration-(?P<minutes>\d{1,4}))?)?"
)
_PIECE = 64 * 1024
_STRETCH = (20_000, 32_000)
"""Below the ports that outgoing connections are given: there a free stretch is soon found."""
_random = random.SystemRandom()
_REFUSED = b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="gate"\r\n'
_END = b"Content-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass
class Traffic:
    """What went over one port's own sockets, heads included."""

    requests: int = 0
    up: int = 0
    down: int = 0


class Gate:
    """A running gate.

    Args:
        market_port: where the sandbox market listens; every host leads there.
        ports: how many ports, one after the other.
        first: the first of them; 0 = any free stretch.
        login: (name, password) that is let in.
    """

    def __init__(
        self, market_port: int, *, ports: int = 10, first: int = 0, login: tuple[str, str] = (USER, PASSWORD)
    ) -> None:
        self._market_port = market_port
        self._login = login
        self._sessions: dict[tuple[int, str], tuple[str, float]] = {}
        self._addresses = 0
        self._traffic: dict[int, Traffic] = defaultdict(Traffic)
        self._faults: dict[int, gate_faults.Fault] = {}
        self._servers: dict[int, asyncio.Server] = {}
        self._carrying: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="gate", daemon=True)
        self._thread.start()
        self.ports: tuple[int, ...] = ()
        try:
            self._do(self._begin(ports, first))
        except OSError:
            self.close()
            raise

    def set_fault(self, port: int, name: str, arg: str = "") -> None:
        """From now on this port misbehaves like that; "" = no more. Raises gate_faults.UnknownFault."""
        self._do(self._set_fault(port, gate_faults.read(name, arg)))

    def traffic(self) -> dict[int, Traffic]:
        """What went over each port that was used."""
        return dict(self._traffic)

    def total_bytes(self) -> int:
        """Both ways, over all ports."""
        return sum(one.up + one.down for one in self.traffic().values())

    def addresses(self) -> list[str]:
        """Every address that was given out, in that order."""
        return [ip for ip, _ in sorted(self._sessions.values(), key=lambda one: tuple(map(int, one[0].split("."))))]

    def close(self) -> None:
        """End it; calling it twice is harmless."""
        if self._loop.is_closed():
            return
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _begin(self, ports: int, first: int) -> None:
        for left in reversed(range(1 if first else 50)):
            start = first or _random.randrange(*_STRETCH)
            try:
                for port in range(start, start + ports):
                    await self._listen(port)
            except OSError:
                await self._stop_listening()
                if not left:
                    raise
            else:
                self.ports = tuple(range(start, start + ports))
                return

    async def _listen(self, port: int) -> None:
        self._servers[port] = await asyncio.start_server(self._serve, "127.0.0.1", port)

    async def _stop_listening(self) -> None:
        for server in self._servers.values():
            server.close()
        self._servers.clear()

    async def _end(self) -> None:
        await self._stop_listening()
        carrying = list(self._carrying)
        for task in carrying:
            task.cancel()
        await asyncio.gather(*carrying, return_exceptions=True)

    async def _set_fault(self, port: int, fault: gate_faults.Fault | None) -> None:
        if fault:
            self._faults[port] = fault
        else:
            self._faults.pop(port, None)
        if fault and fault.name == "dead" and port in self._servers:
            self._servers.pop(port).close()
        elif not (fault and fault.name == "dead") and port not in self._servers:
            await self._listen(port)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None:
            return
        self._carrying.add(task)
        port = int(writer.get_extra_info("sockname")[1])
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
                await self._answer(port, reader, writer)
        finally:
            self._carrying.discard(task)
            writer.close()

    async def _answer(self, port: int, reader: StreamReader, writer: StreamWriter) -> None:
        traffic, fault = self._traffic[port], self._faults.get(port)
        # Without large buffers between, what counts as sent has nearly arrived.
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _PIECE)
        writer.transport.set_write_buffer_limits(0)
        head = await reader.readuntil(b"\r\n\r\n")
        traffic.requests += 1
        traffic.up += len(head)
        ip = self._address(port, head)
        if fault:
            await fault.before(writer)
        refusal = _REFUSED if ip is None else fault.refusal if fault else b""
        if ip is None or refusal:
            _say(writer, refusal + _END, traffic)
            await writer.drain()
            return
        beyond_reader, beyond = await asyncio.open_connection("127.0.0.1", self._market_port, local_addr=(ip, 0))
        try:
            first = _onward(head)
            if first is None:
                _say(writer, b"HTTP/1.1 200 Connection established\r\n\r\n", traffic)
            else:
                beyond.write(first)
            up = asyncio.ensure_future(_pump(reader, beyond, traffic, upward=True))
            await _pump(beyond_reader, writer, traffic, upward=False, fault=fault)
            up.cancel()
            await asyncio.gather(up, return_exceptions=True)
        finally:
            beyond.close()

    def _address(self, port: int, head: bytes) -> str | None:
        """The address of the session that the login names; None when it is not let in."""
        found = re.search(rb"\r\nproxy-authorization: basic ([^\r\n]+)\r\n", head, re.IGNORECASE)
        try:
            name, _, password = (
                base64.b64decode(found[1], validate=True).decode().partition(":") if found else ("",) * 3
            )
        except (binascii.Error, UnicodeDecodeError):
            return None
        parts = _NAME.fullmatch(name)
        if parts is None or (parts["name"], password) != self._login:
            return None
        key = (port, parts["session"] or "")
        ip, until = self._sessions.get(key, ("", 0.0))
        if until <= time.monotonic():
            self._addresses += 1
            n = self._addresses
            ip = f"127.{100 + (n >> 16)}.{n >> 8 & 255}.{n & 255}"
            self._sessions[key] = (ip, time.monotonic() + 60 * int(parts["minutes"] or 10))
        return ip


def _onward(head: bytes) -> bytes | None:
    """The request as its server wants it; None for a tunnel."""
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    if method == "CONNECT":
        return None
    path = re.sub(r"^http://[^/?#]*", "", target) or "/"
    kept = [line for line in lines if not line.lower().startswith(("proxy-", "connection:"))]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *kept, "Connection: close", "", ""]).encode("latin-1")


def _say(writer: StreamWriter, data: bytes, traffic: Traffic) -> None:
    writer.write(data)
    traffic.down += len(data)


async def _pump(
    reader: StreamReader,
    writer: StreamWriter,
    traffic: Traffic,
    *,
    upward: bool,
    fault: gate_faults.Fault | None = None,
) -> None:
    carried = 0
    with suppress(OSError):
        while piece := await reader.read(_PIECE):
            if fault and fault.cuts(carried + len(piece)):
                writer.write(piece[: int(fault.number) - carried])
                await writer.drain()
                # Later than the bytes before it: a reset takes what has not been read yet with it.
                await asyncio.sleep(0.1)
                gate_faults.reset(writer)
                return
            if upward:
                traffic.up += len(piece)
            else:
                traffic.down += len(piece)
                carried += len(piece)
            writer.write(piece)
            await writer.drain()
    with suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()
