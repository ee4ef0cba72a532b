"""One visit to a mall, and the way that each page of it takes: counted before it is asked for."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from crawl.mall import DIRECT, Via
from errors import ProxyDead

if TYPE_CHECKING:
    from crawl.ports import Ports
    from crawl.proxy import Session


@dataclass(kw_only=True, slots=True)
class Visit:
    """Everything one call of `Visits.make` does at a mall."""

    mall: str
    block: Any
    """Its settings: one of the mall blocks."""
    deadline: float
    """`time.monotonic()` seconds."""
    name: str
    """UUID, by which breakers know it."""
    spent: int = 0
    """Bytes through the proxy so far."""
    seen: tuple[Any, ...] = ()
    """What addresses brought that were given up (`crawl.Seen`): each refusal is kept as evidence."""
    probing: bool = False
    """It tries whether a mall that refused too often answers again."""


class Counts(Protocol):
    """What a turn needs of `Visits`."""

    budget: int
    """Pages an address may ask for."""
    ports: Ports

    def count(self, visit: Visit, pages: int) -> None:
        """Count pages of the mall's day. Raises Paused when they are used up."""

    def pause_between(self, visit: Visit, session: Session) -> None:
        """Keep the gap between two pages of one address."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """How the next page is asked for."""

    via: Via = DIRECT
    front: bool = True
    """Whether the mall's front page may be opened first."""
    request_no: int | None = None
    """The how-manieth page of the address the search will be; None = nobody counts."""


class Turn:
    """Given to whoever reads the mall; asked for the way before each page."""

    def __init__(self, counts: Counts, visit: Visit, session: Session | None) -> None:
        self._counts = counts
        self._visit = visit
        self._session = session

    def take(self, *, browser: bool) -> Way:
        """The way for one page, counted from now on.

        Raises:
            Paused: the mall's pages of the day are used up (`day_cap`).
            ProxyDead: the address's are (`budget`), or it was taken from us (`lost`).
        """
        session, budget = self._session, self._counts.budget
        front = browser and (session is None or budget - session.uses >= 2)
        pages = 1 + front
        self._counts.count(self._visit, pages)
        if session is None:
            return Way()
        if session.uses >= budget:
            raise ProxyDead("this address has asked for all the pages it may", kind="budget")
        self._counts.pause_between(self._visit, session)
        uses = None if session.lost else self._counts.ports.use(session.lease.lease_id, pages)
        if uses is None:
            session.lost = True
            raise ProxyDead("the port was taken from us", kind="lost")
        session.uses, session.used_at = uses, time.monotonic()
        session.requests += pages
        via = Via(proxy=session.line.address, generation=session.lease.visitor)
        return Way(via=via, front=front, request_no=uses)

    def gave_back(self, way: Way, *, opened: bool) -> int | None:
        """Whether the front page was opened; if not, it is uncounted. The search's number, as in `Way`."""
        if not way.front or opened:
            return way.request_no
        self._counts.count(self._visit, -1)
        session = self._session
        if session is None or way.request_no is None:
            return None
        session.uses = self._counts.ports.use(session.lease.lease_id, -1) or session.uses
        session.requests -= 1
        return way.request_no - 1
