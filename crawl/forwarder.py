"""The way to the proxy: a listener on 127.0.0.1 for each lease, which a browser or HTTP client takes for its proxy.

It adds the login (which therefore stands in no command line and no browser), counts every byte both ways, lets only the
mall's own hosts through, and remembers why the proxy refused, because Chromium shows nothing but an empty page then.
`switch` puts another port, and so another IP, under a live browser: every old connection is closed first, or the
browser would go on through it.

One asyncio loop in one daemon thread serves all lines of a process: a browser opens dozens of connections, and a thread
for each direction of each would cost more than the work itself; with a single loop the counts also need no locks.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from crawl import forwarder_wire as wire
from crawl.forwarder_meter import Capped, Meter, Rules, Upstream
from errors import ProxyDead

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["Forwarder", "Line", "Meter", "Rules", "Upstream"]

_NOTHING = Rules(hosts=(), connect_s=1)
_ANSWER_S = 5.0
"""How long the loop may take to do what another thread asks of it."""


class Forwarder:
    """The lines of one process; made on first use, safe to use from several threads."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="forwarder", daemon=True)
        self._thread.start()
        self._lines: list[Line] = []

    def open(self) -> Line:
        """A new line, which refuses everything until it is switched to a port."""
        line = Line(self)
        self._lines.append(line)
        return line

    def close(self) -> None:
        """Close every line and end the thread; calling it twice is harmless."""
        if self._loop.is_closed():
            return
        for line in self._lines:
            line.close()
        self.do(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Have the loop do something, and wait until it is done."""
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_ANSWER_S)


class Line:
    """One listener; the connections through it belong to one lease at a time."""

    def __init__(self, forwarder: Forwarder) -> None:
        self._forwarder = forwarder
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._listener.setblocking(False)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        """What a client is given as its proxy."""
        self.meter = Meter(rules=_NOTHING)
        """Of the lease in force."""
        self._upstream: Upstream | None = None
        self._carrying: set[asyncio.Task[None]] = set()
        self._accepting: asyncio.Task[None] | None = None
        self._closed = False
        forwarder.do(self._begin())

    def switch(self, upstream: Upstream | None, rules: Rules = _NOTHING) -> Meter:
        """From now on go through this port; returns the meter of the lease that begins.

        Args:
            upstream: the port; None = refuse everything.
            rules: what the lease may be used for.
        """
        meter = Meter(rules=rules)
        self._forwarder.do(self._switch(upstream, meter))
        return meter

    def drop(self, meter: Meter) -> None:
        """Refuse everything from now on, if this meter's lease is still the one in force."""
        self._forwarder.do(self._drop(meter))

    def close(self) -> None:
        """End every connection and the listener; calling it twice is harmless."""
        if not self._closed:
            self._closed = True
            self._forwarder.do(self._end())

    @property
    def carrying(self) -> int:
        """Connections that are open."""
        return len(self._carrying)

    async def _begin(self) -> None:
        self._accepting = asyncio.get_running_loop().create_task(self._accept())

    async def _switch(self, upstream: Upstream | None, meter: Meter) -> None:
        self._upstream, self.meter = upstream, meter
        await self._hang_up()

    async def _drop(self, meter: Meter) -> None:
        if meter is self.meter:
            await self._switch(None, Meter(rules=_NOTHING))

    async def _end(self) -> None:
        self._upstream = None
        if self._accepting:
            self._accepting.cancel()
            await asyncio.gather(self._accepting, return_exceptions=True)
        self._listener.close()
        await self._hang_up()

    async def _hang_up(self) -> None:
        carrying = list(self._carrying)
        for task in carrying:
            task.cancel()
        await asyncio.gather(*carrying, return_exceptions=True)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(self._listener)
            except OSError:
                # Out of file descriptors, or a client that left before it was accepted.
                await asyncio.sleep(0.05)
                continue
            client.setblocking(False)
            task = loop.create_task(self._serve(client))
            self._carrying.add(task)
            task.add_done_callback(self._carrying.discard)

    async def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            head, rest = await wire.read_head(client)
            try:
                asked = wire.request(head)
            except wire.BadHead:
                await _tell(client, 400, "Bad Request")
                return
            upstream, meter = self._upstream, self.meter
            if not meter.rules.allows(asked.host):
                meter.refuse(asked.host)
                await _tell(client, 403, "Forbidden")
            elif upstream is None or meter.spent:
                await _tell(client, 503, "Service Unavailable")
            else:
                await _Carrier(upstream, meter, asked).carry(client, rest)


class _Carrier:
    """One request, or one tunnel."""

    def __init__(self, upstream: Upstream, meter: Meter, asked: wire.Request) -> None:
        self.upstream = upstream
        self.meter = meter
        self.asked = asked

    def sent(self, size: int) -> None:
        self.meter.sent(self.asked.host, size)

    def received(self, size: int) -> None:
        self.meter.received(self.asked.host, size)

    async def carry(self, client: socket.socket, rest: bytes) -> None:
        connect_s = self.meter.rules.connect_s
        try:
            beyond = await asyncio.wait_for(wire.dial(self.upstream.host, self.upstream.port), connect_s)
        except OSError as error:
            self.meter.note("", ProxyDead, _kind(error))
            await _tell(client, 502, "Bad Gateway")
            return
        with beyond:
            answer = await self._ask(client, beyond, rest, connect_s)
            if answer is not None:
                await self._exchange(client, beyond, answer)

    async def _ask(self, client: socket.socket, beyond: socket.socket, rest: bytes, connect_s: float) -> bytes | None:
        """Put the request to the proxy; what the client is to read first, or None when it was told that it failed."""
        asked = self.asked
        await wire.send(beyond, asked.onward(self.upstream.authorization), self.sent)
        if asked.body_bytes:
            await wire.send(beyond, rest[: asked.body_bytes], self.sent)
            await wire.pump(client, beyond, sent=self.sent, most=max(0, asked.body_bytes - len(rest)))
        try:
            # A page may take as long as its stage allows; a tunnel is either there at once or not at all.
            wait_s = connect_s if asked.tunnel else None
            head, behind = await asyncio.wait_for(wire.read_head(beyond, self.received), wait_s)
            status = wire.status_of(head)
        except Capped:
            raise
        except OSError as error:
            self.meter.note("", ProxyDead, _kind(error))
            await _tell(client, 502, "Bad Gateway")
            return None
        if self.meter.answered(asked.host, status, tunnel=asked.tunnel):
            await _tell(client, 502, "Bad Gateway")
            return None
        if not asked.tunnel:
            return head + behind
        await wire.send(beyond, rest, self.sent)
        return b"HTTP/1.1 200 Connection established\r\n\r\n" + behind

    async def _exchange(self, client: socket.socket, beyond: socket.socket, first: bytes) -> None:
        """Carry both ways until the proxy's side ends; what the client sends after a plain request is not for it."""
        up = asyncio.ensure_future(wire.pump(client, beyond, sent=self.sent)) if self.asked.tunnel else None
        try:
            await wire.send(client, first)
            await wire.pump(beyond, client, received=self.received, cut=self._cut)
        finally:
            if up:
                up.cancel()
                await asyncio.gather(up, return_exceptions=True)

    def _cut(self, error: OSError) -> None:
        self.meter.note(self.asked.host, ProxyDead, _kind(error))


def _kind(error: OSError) -> str:
    """A word for what happened; never the text, which may hold an address."""
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, socket.gaierror):
        return "unresolved"
    return {ConnectionRefusedError: "refused", ConnectionResetError: "reset", wire.BadHead: "not_http"}.get(
        type(error), "unreachable"
    )


async def _tell(client: socket.socket, status: int, reason: str) -> None:
    """Never 407: a browser would ask its user for a login."""
    await wire.send(client, f"HTTP/1.1 {status} {reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
