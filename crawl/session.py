"""One visit to a mall: which address asks, how often, and what happens when the mall refuses it.

The only place where addresses are changed: lease → front page once → search → give back; a refusal or a dead port takes
the next address, at most `[session] rotations` of them and inside the caller's deadline. Every page is counted before
it is asked for, against the address's budget, the mall's day and its breaker, by conditional updates that hold for all
processes. Without a proxy there is one address only, ours: nothing is changed then, the rest holds.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import re
import time
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from crawl.ports import PREFLIGHT, LeaseEnd, Ports
from crawl.proxy import Session, Sessions
from crawl.turn import Turn, Visit
from errors import Blocked, ByteCap, Paused, ProxyAuth, ProxyDead, RateLimited, Rotate, SourceFailure
from model import SourceOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from config import Settings
    from crawl import Page

_log = logging.getLogger("crawl")
_ASK_IP_S = 4.0
_ADDRESS = re.compile(r"[0-9a-fA-F:.]{7,45}")
_PAGES = (SourceOutcome.DRIFT, SourceOutcome.UNKNOWN_PAGE, SourceOutcome.NOT_RENDERED)
"""Failures of a page that came: its address is as good as before."""


class Get(Protocol):
    """A plain request through a forwarder, as `HttpFetcher.get` makes it."""

    def __call__(self, url: str, deadline: float, *, timeout_s: float, proxy: str) -> Any:
        """The answer, with its `.content`."""


class Visits:
    """Visits of one process; safe to use from several threads."""

    def __init__(self, settings: Settings, ports: Ports, get: Get) -> None:
        self._proxy = settings.proxy
        self._rules = settings.session
        self.ports = ports
        self._get = get
        self._sessions = Sessions(settings.proxy, settings.session, ports)
        self.budget = settings.session.requests_per_ip

    def make(self, mall: str, block: Any, deadline: float, read: Callable[[Turn], Page]) -> Page:
        """What `read` brings, over as many addresses as it takes and may take.

        Args:
            mall: who is visited.
            block: its settings.
            deadline: when it must be over (`time.monotonic()` seconds).
            read: asks the mall once; called again with another address.

        Raises:
            SourceFailure: the last try's, `proxy_bytes` being what all of them took.
            Paused: the mall is held back (`breaker`, `day_cap`, `over_budget`).
        """
        visit = Visit(mall=mall, block=block, deadline=deadline, name=str(uuid.uuid4()))
        self._sessions.begin()
        proxied = self._proxy.on and block.through_proxy
        try:
            self._admit(visit, proxied)
            page = self._proxied(visit, read) if proxied else self._direct(visit, read)
            return replace(page, seen=(*visit.seen, *page.seen)) if visit.seen else page
        except SourceFailure as error:
            error.proxy_bytes = visit.spent
            error.seen = visit.seen or error.seen
            raise
        finally:
            if visit.probing:
                self.ports.answered(mall, visit.name, ok=False)

    def abort(self, thread: int) -> None:
        """Let the thread of this ident wait no more."""
        self._sessions.abort(thread)

    def close(self) -> None:
        """Give every port back; calling it twice is harmless."""
        self._sessions.close()

    def preflight(self, deadline: float, tries: int = 5) -> tuple[int, str]:
        """(port, address) of the first port that carries.

        Raises:
            ProxyAuth, ProxyDead: none of those tried does; the last one's reason.
        """
        last: SourceFailure = ProxyDead("no port was tried", kind="no_port")
        for _ in range(tries):
            try:
                session = self._sessions.acquire(PREFLIGHT, (), browser=False, need=0, deadline=deadline)
            except ProxyDead:
                break
            session.meter.allow(100_000)
            ip = self._ask_ip(session, deadline)
            if ip:
                session.answered = True
                self._sessions.end(session, LeaseEnd(reason="preflight"))
                return session.lease.port, ip
            last = session.meter.trouble("") or ProxyDead("the port does not carry", kind="silent")
            self._sessions.end(session, LeaseEnd(reason=last.outcome, culprit="*", error=last.kind))
        raise last

    def count(self, visit: Visit, pages: int) -> None:
        """Count pages of the mall's day. Raises Paused when they are used up."""
        cap = visit.block.pages_day
        if cap and not self.ports.count_pages(visit.mall, pages, cap=cap):
            raise Paused(f"{visit.mall}: {cap} pages were asked today: [{visit.mall}] max_pages_day", kind="day_cap")

    def pause_between(self, visit: Visit, session: Session) -> None:
        """Keep the gap between two pages of one address. Raises UpstreamDown when the visit was given up."""
        gap_s = 0 if visit.block.stand_in else self._rules.gap_s
        left = session.used_at + gap_s - time.monotonic()
        if session.uses and left > 0:
            self._sessions.wait(min(left, visit.deadline - time.monotonic()))

    def _admit(self, visit: Visit, proxied: bool) -> None:
        """Ask the breaker; a stand-in without a proxy has none."""
        if not self._rules.breaker_blocks or (visit.block.stand_in and not proxied):
            return
        wait_s = self.ports.admit(visit.mall, visit.name)
        if wait_s:
            text = f"{visit.mall} refused too often: it is asked again in {wait_s:.0f} s"
            raise Paused(text, kind="breaker")
        visit.probing = wait_s is not None

    def _direct(self, visit: Visit, read: Callable[[Turn], Page]) -> Page:
        try:
            page = read(Turn(self, visit, None))
        except (Blocked, RateLimited) as error:
            # An official API's 429 is a used-up quota of a key, no refusal of this address.
            official = not hasattr(visit.block, "fetcher") or bool(getattr(visit.block, "open_api", ""))
            if isinstance(error, Blocked) or not official:
                self._refused(visit, error, "direct", getattr(error, "ip_request_no", 0) or 1)
            raise
        self._well(visit)
        return page

    def _proxied(self, visit: Visit, read: Callable[[Turn], Page]) -> Page:
        last: SourceFailure | None = None
        for left in reversed(range(1 if visit.probing else self._rules.rotations)):
            try:
                return self._once(visit, read)
            except (Rotate, RateLimited) as error:
                without_port = error.kind in ("cooldown", "no_port")
                # What the last address came to says more than that there is no other.
                last = last if last and without_port else _final(error)
                if not left or without_port or time.monotonic() >= visit.deadline:
                    break
                why = "봇 감지" if isinstance(last, Blocked) else "프록시 전송오류"
                _log.warning("[%s] IP 회전 — %s (%s)", visit.mall, why, error.kind)
        raise last or ProxyDead("no address was tried", kind="no_port")

    def _once(self, visit: Visit, read: Callable[[Turn], Page]) -> Page:
        """One address. Raises what became of it; its session has been dealt with then."""
        browser = visit.block.fetcher == "browser"
        payment = self.ports.reserve(visit.mall, self._proxy.max_kb * 1000)
        session: Session | None = None
        size = 0
        try:
            hosts = (*visit.block.own_hosts, *visit.block.hosts)
            session = self._sessions.acquire(
                visit.mall, hosts, browser=browser, need=1 + browser, deadline=visit.deadline
            )
            session.meter.troubles.clear()
            session.meter.allow(self._proxy.max_kb * 1000)
            page = self._read(visit, session, read)
            self._sessions.park(session)
        finally:
            if session is not None:
                size = session.new_bytes()
                visit.spent += size
            if payment:
                self.ports.settle(payment, size)
        return replace(page, proxy_bytes=visit.spent)

    def _read(self, visit: Visit, session: Session, read: Callable[[Turn], Page]) -> Page:
        try:
            page = read(Turn(self, visit, session))
        except SourceFailure as error:
            visit.seen = (*visit.seen, *error.seen)
            problem = self._trouble(visit, session) or error
            self._failed(visit, session, problem)
            if problem is error:
                raise
            problem.seen = error.seen
            raise problem from error
        except BaseException:
            self._sessions.end(session, LeaseEnd(reason="broken", keeps=False))
            raise
        trouble = self._trouble(visit, session)
        # A page's own script may well show "nothing found" for an answer that the proxy did not carry.
        if trouble and page.outcome is SourceOutcome.EMPTY:
            self._failed(visit, session, trouble)
            raise trouble
        session.answered = True
        self._well(visit)
        # Nor does a browser say that a page it shows broke off in the middle.
        return replace(page, kind="truncated") if trouble else page

    def _trouble(self, visit: Visit, session: Session) -> SourceFailure | None:
        found = (session.meter.trouble(host) for host in visit.block.own_hosts)
        trouble = next((one for one in found if one), None)
        if trouble and session.lost:
            return ProxyDead(f"{visit.mall}: the port was taken from us", kind="lost")
        return trouble

    def _failed(self, visit: Visit, session: Session, error: SourceFailure) -> None:
        """End a session, or keep it where the failure is not its address's."""
        if isinstance(error, (Blocked, RateLimited)):
            self._refused(visit, error, self._known_ip(visit, session), session.uses)
            end = LeaseEnd(reason="block", culprit=visit.mall, error=error.kind)
        elif isinstance(error, (ProxyAuth, ProxyDead)) and error.kind not in ("lost", "budget"):
            end = LeaseEnd(reason=error.outcome, culprit="*", error=error.kind)
        elif isinstance(error, ByteCap):
            end = LeaseEnd(reason="byte_cap", keeps=False)
        elif error.outcome in _PAGES or isinstance(error, Paused):
            self._sessions.park(session)
            return
        else:
            end = LeaseEnd(reason=error.kind if error.kind in ("lost", "budget") else error.outcome, keeps=False)
        self._sessions.end(session, end)

    def _refused(self, visit: Visit, error: SourceFailure, ip: str, request_no: int) -> None:
        self.ports.blocked(visit.mall, visit.name, marker=error.kind or "blocked", ip=ip, request_no=request_no)
        visit.probing = False

    def _well(self, visit: Visit) -> None:
        if visit.probing:
            visit.probing = False
            self.ports.answered(visit.mall, visit.name, ok=True)

    def _known_ip(self, visit: Visit, session: Session) -> str:
        """The address that was refused: asked for only then, over the same line, because it costs bytes."""
        if session.ip is None:
            session.meter.allow(100_000)
            self._ask_ip(session, visit.deadline)
        return session.ip or session.name

    def _ask_ip(self, session: Session, deadline: float) -> str | None:
        with contextlib.suppress(SourceFailure):
            left = max(0.5, deadline - time.monotonic())
            until = time.monotonic() + min(_ASK_IP_S, left)
            answer = self._get(self._proxy.ip_url, until, timeout_s=_ASK_IP_S, proxy=session.line.address)
            session.ip = _first_address(answer.content)
        return session.ip


def _first_address(content: bytes | str) -> str | None:
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    for word in _ADDRESS.findall(text[:10_000]):
        with contextlib.suppress(ValueError):
            return str(ipaddress.ip_address(word))
    return None


def _final(error: SourceFailure) -> SourceFailure:
    """A mall that asks for fewer requests refuses this address: another one has been tried, the queue need not."""
    if not isinstance(error, RateLimited):
        return error
    blocked = Blocked(str(error), kind=error.kind)
    blocked.seen = error.seen
    return blocked


__all__ = ["Ports", "Turn", "Visits"]
