"""Rows of `proxy_port` and `crawl_session`: which process holds which port, how far its address is used up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """The configured ports."""

    host: str
    first: int
    last: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """On what terms ports are leased."""

    worker: str
    """Who holds them, for people."""
    budget: int
    """Requests an address may make."""
    lease_s: float
    """Until a lease is another's, unless renewed."""
    session_s: float
    """How long the proxy keeps an address."""
    rest_s: float
    """The first rest of a port, which doubles."""
    most_s: float
    """The longest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease:
    """A port of the proxy with one address behind it, held by one process for one mall."""

    lease_id: str
    host: str
    port: int
    generation: int
    """How many addresses this port has had."""
    session: str
    """Id of the address in the proxy's login."""
    visitor: int
    """Number of the address over all ports."""
    uses: int
    """Requests it has made already."""
    ip: str | None
    """The address, if anybody asked for it."""
    idle_s: float | None
    """Seconds since it was last used; None = never."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """What became of a lease."""

    reason: str
    requests: int
    size_bytes: int
    culprit: str
    """The mall for which the port rests now, "*" = for all of them; empty = it does not rest."""
    keeps: bool
    """Whether its address may be used further."""
    answered: bool
    """The mall answered: earlier rests are forgotten."""
    error: str
    ip: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PortRow:
    """One port as operators see it."""

    host: str
    port: int
    generation: int
    lease_mall: str | None
    lease_worker: str | None
    lease_until: datetime | None
    uses: int
    errors: int
    last_error: str | None
    last_ip: str | None
    last_used: datetime | None
    leased: bool
    cooldowns: dict[str, int]
    """Mall ('*': every one) → seconds it still rests."""

    @property
    def state(self) -> str:
        """`leased`, `resting` (for every mall), `cooling` (for some) or `free`."""
        return (
            "leased" if self.leased else "resting" if "*" in self.cooldowns else "cooling" if self.cooldowns else "free"
        )


def ensure(cur: Cursor, ports: Range, *, only: bool = False) -> None:
    """Have a row for every configured port.

    Args:
        cur: a cursor.
        ports: what is configured.
        only: also delete the others that nobody uses.
    """
    values = {"host": ports.host, "first": ports.first, "last": ports.last}
    cur.execute(SQL["make"], values)
    if only:
        cur.execute(SQL["retire"], values)


def lease(
    cur: Cursor, ports: Range, lease_id: str, mall: str, terms: Terms, *, need: int, recorded: bool = True
) -> Lease | None:
    """Take a port that is free for this mall; None when none is.

    Args:
        cur: a cursor; one statement.
        ports: the configured ones.
        lease_id: UUID of the new lease.
        mall: who it is for.
        terms: see there.
        need: requests it is wanted for at least.
        recorded: write a row of `crawl_session`.
    """
    values = {
        "host": ports.host,
        "first": ports.first,
        "last": ports.last,
        "lease": lease_id,
        "mall": mall,
        "worker": terms.worker,
        "need": need,
        "budget": terms.budget,
        "lease_s": terms.lease_s,
        "session_s": terms.session_s,
        "recorded": recorded,
    }
    cur.execute(SQL["lease"], values)
    row = cur.fetchone()
    names = ("host", "port", "generation", "session", "visitor", "uses", "ip", "idle_s")
    return None if row is None else Lease(lease_id=lease_id, **dict(zip(names, row, strict=True)))


def open_ports(cur: Cursor, ports: Range, mall: str) -> int:
    """How many ports do not rest for this mall, leased or not."""
    cur.execute(SQL["open"], {"host": ports.host, "first": ports.first, "last": ports.last, "mall": mall})
    return int(cur.fetchone()[0])


def use(cur: Cursor, lease_id: str, n: int, *, budget: int) -> int | None:
    """Count `n` requests of a lease's address: how many it has made then; None = not its holder any more, or spent."""
    cur.execute(SQL["use"], {"lease": lease_id, "n": n, "budget": budget})
    row = cur.fetchone()
    return None if row is None else int(row[0])


def renew(cur: Cursor, lease_ids: Collection[str], *, lease_s: float) -> set[str]:
    """Keep leases; returns those that are still held."""
    cur.execute(SQL["renew"], {"leases": list(lease_ids), "lease_s": lease_s})
    return {row[0] for row in cur.fetchall()}


def release(cur: Cursor, lease_id: str, end: Ending, terms: Terms) -> bool:
    """Give a port back and write down what became of its session; False when the port was another's already."""
    values = {
        "lease": lease_id,
        "culprit": end.culprit,
        "keeps": end.keeps and not end.culprit,
        "answered": end.answered,
        "error": end.error[:200],
        "ip": end.ip,
        # A dead port is soon well again, a refused login the same for all ports: both are tried earlier.
        "rest_s": terms.rest_s * (0.1 if end.culprit == "*" else 1),
        "most_s": terms.most_s,
    }
    cur.execute(SQL["release"], values)
    mine = bool(cur.rowcount)
    ended = {"requests": end.requests, "bytes": end.size_bytes, "reason": end.reason, "ip": end.ip}
    cur.execute(SQL["end_session"], {"lease": lease_id, **ended})
    return mine


def free_orphans(cur: Cursor) -> int:
    """Take back the ports of holders that went silent, and end their sessions; returns how many ports."""
    cur.execute(SQL["free_orphans"])
    freed = int(cur.rowcount)
    cur.execute(SQL["end_orphans"])
    return freed


def ports_of(cur: Cursor) -> list[PortRow]:
    """Every port."""
    cur.execute(SQL["ports"])
    names = tuple(PortRow.__dataclass_fields__)
    return [
        PortRow(**dict(zip(names, (*row[:-1], {key: int(s) for key, s in row[-1].items()}), strict=True)))
        for row in cur.fetchall()
    ]


def reset(cur: Cursor, port: int) -> int:
    """Forget what is held against a port, 0 = all of them; returns how many there were."""
    cur.execute(SQL["reset"], {"port": port})
    return int(cur.rowcount)
