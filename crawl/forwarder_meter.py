"""What one lease of a proxy port may do and has done: its way out, its rules, its bytes, its troubles. No I/O."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field

from errors import ByteCap, ProxyAuth, ProxyDead, SourceFailure

GATEWAY = (502, 503, 504)
"""What a proxy answers when it cannot carry a request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Upstream:
    """One port of the proxy, with its login; neither login nor password shows in a text of it."""

    host: str
    port: int
    user: str = field(repr=False)
    password: str = field(repr=False)

    @property
    def authorization(self) -> str:
        """The value of Proxy-Authorization."""
        return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """What a lease may be used for."""

    hosts: tuple[str, ...]
    """Names that may be asked for, their subdomains included."""
    connect_s: float
    """How long the proxy may take to be there, and to open a tunnel."""

    def allows(self, host: str) -> bool:
        """Whether this host may be asked for."""
        host = host.lower().rstrip(".")
        return any(host == name or host.endswith(f".{name}") for name in self.hosts)


class Capped(OSError):
    """The lease's bytes are used up; ends the connection that used the last of them."""


@dataclass(kw_only=True, slots=True)
class Meter:
    """What went over the wire to the proxy for one lease, heads and logins included: what is billed."""

    rules: Rules
    most: int = 0
    """Bytes both ways after which nothing passes any more; 0 = no limit."""
    up: int = 0
    down: int = 0
    by_host: dict[str, int] = field(default_factory=dict)
    """Both ways; a host that was refused here has no bytes."""
    refused: dict[str, int] = field(default_factory=dict)
    """Hosts that are not allowed → how often they were asked for."""
    troubles: list[tuple[str, type[SourceFailure], str]] = field(default_factory=list)
    """(host it was for, or "" when the proxy itself is in trouble; error; kind), oldest first."""

    @property
    def total(self) -> int:
        """Bytes both ways."""
        return self.up + self.down

    @property
    def spent(self) -> bool:
        """Whether no more may be sent."""
        return bool(self.most) and self.total >= self.most

    def allow(self, size: int) -> None:
        """From now on so many bytes more; 0 = no limit."""
        self.most = self.total + size if size else 0

    def sent(self, host: str, size: int) -> None:
        """Bytes that left."""
        self.up += size
        self._count(host, size)

    def received(self, host: str, size: int) -> None:
        """Bytes that came."""
        self.down += size
        self._count(host, size)

    def _count(self, host: str, size: int) -> None:
        self.by_host[host] = self.by_host.get(host, 0) + size
        if self.spent:
            self.note("", ByteCap, "byte_cap")
            raise Capped

    def note(self, host: str, error: type[SourceFailure], kind: str) -> None:
        """Remember what went wrong; the client is only told that it did."""
        if len(self.troubles) < 100:
            self.troubles.append((host, error, kind))

    def refuse(self, host: str) -> None:
        """Remember a host that is not allowed."""
        if len(self.refused) < 1000:
            self.refused[host] = self.refused.get(host, 0) + 1

    def answered(self, host: str, status: int, *, tunnel: bool) -> bool:
        """Whether the proxy's answer is none of the mall's: it refuses the login, or does not carry."""
        if status == 407:
            self.note("", ProxyAuth, "http_407")
        elif status in GATEWAY or (tunnel and status != 200):
            self.note(host, ProxyDead, f"http_{status}")
        else:
            return False
        return True

    def trouble(self, host: str) -> SourceFailure | None:
        """Why a page of this host could not be had, if the proxy is the reason; its own refusals come first."""
        mine = [(error, kind) for at, error, kind in list(self.troubles) if at in ("", host)]
        for error, kind in sorted(mine, key=lambda one: one[0] is ProxyDead):
            return error(kind=kind)
        return None
