"""How a port of the proxy gate misbehaves on demand."""

from __future__ import annotations

import asyncio
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamWriter

NAMES = ("dead", "slow", "reset", "cut", "http_407", "http_502", "hang")
_REASONS = {"http_407": b"407 Proxy Authentication Required", "http_502": b"502 Bad Gateway"}


class UnknownFault(ValueError):
    """No such fault, or not its argument."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to misbehave.

    dead: nobody listens · slow: waits `number` seconds first · hang: never answers · reset: breaks off at once · cut:
    breaks off after `number` bytes of the answer · http_407, http_502: answers that.
    """

    name: str
    number: float = 0

    @property
    def refusal(self) -> bytes:
        """The first line of what it answers instead; empty = it lets the request through."""
        reason = _REASONS.get(self.name)
        return b"HTTP/1.1 " + reason + b"\r\n" if reason else b""

    async def before(self, writer: StreamWriter) -> None:
        """What happens before any answer."""
        if self.name == "slow":
            await asyncio.sleep(self.number)
        elif self.name == "hang":
            await asyncio.Event().wait()
        elif self.name == "reset":
            reset(writer)
            raise ConnectionResetError

    def cuts(self, carried: int) -> bool:
        """Whether an answer ends after so many bytes."""
        return self.name == "cut" and carried >= self.number


def read(name: str, arg: str = "") -> Fault | None:
    """The fault as written by a person; None for "" (no fault). Raises UnknownFault."""
    if not name:
        return None
    if name not in NAMES:
        raise UnknownFault(f"no such fault: {name!r} (one of {', '.join(NAMES)})")
    try:
        return Fault(name, float(arg or {"slow": 3, "cut": 2000}.get(name, 0)))
    except ValueError:
        raise UnknownFault(f"{name} wants a number, not {arg!r}") from None


def reset(writer: StreamWriter) -> None:
    """Break the connection off, so that the other side gets a reset instead of an end."""
    line = writer.get_extra_info("socket")
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
