"""What crawling needs of the other processes: leases of proxy ports, breakers, counts; wired in `tasks/ports.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection

PREFLIGHT = "-"
"""Stands for a mall where a port is only tried."""


class Lease(Protocol):
    """A port of the proxy with one address behind it, held by one process for one mall."""

    @property
    def lease_id(self) -> str:
        """UUID."""

    @property
    def host(self) -> str:
        """Where the port is."""

    @property
    def port(self) -> int:
        """Its number."""

    @property
    def generation(self) -> int:
        """How many addresses this port has had."""

    @property
    def session(self) -> str:
        """Id of the address in the proxy's login."""

    @property
    def visitor(self) -> int:
        """Number of the address over all ports."""

    @property
    def uses(self) -> int:
        """Requests it has made already."""

    @property
    def ip(self) -> str | None:
        """The address, if anybody asked for it."""

    @property
    def idle_s(self) -> float | None:
        """Seconds since it was last used; None = never."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LeaseEnd:
    """What became of a lease."""

    reason: str
    """`budget`, `idle`, `closed`, `block`, `proxy_auth`, `proxy_dead`, `lost`, or a source outcome."""
    requests: int = 0
    size_bytes: int = 0
    """Over the wire to the proxy, both ways."""
    culprit: str = ""
    """The mall for which the port rests now, "*" = for all of them; empty = it does not rest."""
    keeps: bool = True
    """Whether its address may be used further."""
    answered: bool = False
    """The mall answered: earlier rests are forgotten."""
    error: str = ""
    ip: str | None = None


class Ports(Protocol):
    """What is shared by all processes: leases, breakers, counts. Everything may raise DatabaseDown."""

    def lease(self, mall: str, *, need: int) -> Lease | None:
        """A port that is free for this mall, its address good for `need` requests; None when none is."""

    def open_ports(self, mall: str) -> int:
        """How many ports do not rest for this mall, leased or not."""

    def use(self, lease_id: str, n: int) -> int | None:
        """Count requests of an address: how many it has made; None = lost, or over its budget."""

    def renew(self, lease_ids: Collection[str]) -> set[str]:
        """Keep leases; those that are still held."""

    def release(self, lease_id: str, end: LeaseEnd) -> None:
        """Give a port back."""

    def admit(self, mall: str, visit: str) -> float | None:
        """Seconds until a mall that refused too often is asked again; 0 = this visit tries; None = no such mall."""

    def blocked(self, mall: str, visit: str, *, marker: str, ip: str, request_no: int) -> None:
        """A mall refused us."""

    def answered(self, mall: str, visit: str, *, ok: bool) -> None:
        """The visit that tried is over: the mall answered it, or said nothing."""

    def count_pages(self, mall: str, n: int, *, cap: int) -> bool:
        """Count pages of a mall's day; False when its cap is reached."""

    def reserve(self, mall: str, size: int) -> str | None:
        """Set the worst case of so many bytes aside; its id. Raises Paused when a budget does not leave it."""

    def settle(self, payment: str, size: int) -> None:
        """So many it were."""
