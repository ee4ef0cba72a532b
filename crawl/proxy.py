"""The sessions of one process: leased ports, each with a line to it, renewed while the process lives.

A session is parked between two requests of the same mall and ends when its address is used up, idle, or lost. Its line
is switched off before its port is given back, so that not a byte goes there afterwards; the line then serves the next
session, and the browser that hangs on it lives on.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawl.forwarder import Forwarder, Line, Meter, Rules, Upstream
from crawl.ports import LeaseEnd
from errors import DatabaseDown, ProxyDead, UpstreamDown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from config import ProxyConfig, SessionConfig
    from crawl.ports import Lease, Ports

_log = logging.getLogger("lps.proxy")
_AGAIN_S = 0.25
_TURN_S = 1.0
_YIELD_S = 2.0
"""A parked session of another mall gives its line, and so its browser, after so long."""


@dataclass(eq=False)
class Session:
    """One address in use, by one thread at a time."""

    mall: str
    lease: Lease
    line: Line
    meter: Meter
    browser: bool
    valid_until: float
    """Until when the lease is surely ours, monotonic seconds."""
    uses: int
    requests: int = 0
    answered: bool = False
    ip: str | None = None
    lost: bool = False
    used_at: float = 0
    parked_at: float | None = None
    _counted: int = field(default=0, repr=False)

    @property
    def name(self) -> str:
        """What stands for its address where that is not known: `host:port#generation`."""
        return f"{self.lease.host}:{self.lease.port}#{self.lease.generation}"

    def new_bytes(self) -> int:
        """Bytes since this was last asked: whatever still came in between belongs to the next request."""
        total = self.meter.total
        new, self._counted = total - self._counted, total
        return new


class Sessions:
    """The sessions of one process; safe to use from several threads."""

    def __init__(self, proxy: ProxyConfig, rules: SessionConfig, ports: Ports) -> None:
        self._proxy = proxy
        self._rules = rules
        self._ports = ports
        self._changed = threading.Condition()
        self._held: list[Session] = []
        self._idle_lines: list[tuple[Line, bool]] = []
        self._aborted: set[int] = set()
        self._strangers: set[tuple[str, str]] = set()
        """(mall, host) that were refused: each is said once."""
        self._closing = False
        self._forwarder: Forwarder | None = None
        self._keeper: threading.Thread | None = None

    def begin(self) -> None:
        """A visit begins: an abort of this thread's last one is over."""
        with self._changed:
            self._aborted.discard(threading.get_ident())

    def abort(self, thread: int) -> None:
        """Let the thread of this ident wait no more: it gets UpstreamDown."""
        with self._changed:
            self._aborted.add(thread)
            self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Wait. Raises UpstreamDown when the visit was given up."""
        me = threading.get_ident()
        with self._changed:
            if self._changed.wait_for(lambda: self._closing or me in self._aborted, timeout=max(0.0, seconds)):
                raise UpstreamDown("given up before it was read", kind="aborted")

    def acquire(self, mall: str, hosts: tuple[str, ...], *, browser: bool, need: int, deadline: float) -> Session:
        """A parked session of this mall, or a new one on a free port.

        Raises:
            ProxyDead: every port rests for this mall (`cooldown`), or none became free in time (`no_port`).
            UpstreamDown: the visit was given up.
        """
        with self._changed:
            for session in self._held:
                left = self._rules.requests_per_ip - session.uses
                fits = (session.mall, session.browser) == (mall, browser) and left > 0
                if fits and session.parked_at is not None and not session.lost:
                    session.parked_at = None
                    return session
        until = time.monotonic() + max(0.0, (deadline - time.monotonic()) / 2)
        while True:
            asked_at = time.monotonic()
            lease = self._ports.lease(mall, need=need)
            if lease is not None:
                return self._start(mall, lease, hosts, asked_at, browser=browser)
            if not self._ports.open_ports(mall):
                raise ProxyDead(f"{mall}: every proxy port rests for it", kind="cooldown")
            if time.monotonic() >= until:
                raise ProxyDead(f"{mall}: no proxy port was free in time", kind="no_port")
            self.wait(_AGAIN_S)

    def park(self, session: Session) -> None:
        """Keep a session for the next request of its mall, or end it when its address is used up."""
        if session.lost:
            self.end(session, LeaseEnd(reason="lost"))
        elif session.uses >= self._rules.requests_per_ip:
            self.end(session, LeaseEnd(reason="budget", keeps=False))
        else:
            with self._changed:
                session.parked_at = session.used_at = time.monotonic()

    def end(self, session: Session, end: LeaseEnd) -> None:
        """Switch a session's line off and give its port back."""
        session.line.drop(session.meter)
        with self._changed:
            if session not in self._held:
                return
            strangers = {(session.mall, host) for host in session.meter.refused} - self._strangers
            self._strangers |= strangers
            self._held.remove(session)
            self._idle_lines.append((session.line, session.browser))
        for mall, host in sorted(strangers):
            _log.info("[%s] 허용되지 않은 호스트 차단: %s ([%s] hosts)", mall, host, mall)
        full = LeaseEnd(
            reason="lost" if session.lost else end.reason,
            requests=session.requests,
            size_bytes=session.meter.total,
            culprit=end.culprit,
            keeps=end.keeps,
            answered=session.answered,
            error=end.error,
            ip=session.ip,
        )
        with self._noted("a proxy port could not be given back, it will be when its lease ends"):
            self._ports.release(session.lease.lease_id, full)
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """End every session and the forwarder; calling it twice is harmless."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            held = list(self._held)
        for session in held:
            self.end(session, LeaseEnd(reason="closed", keeps=session.parked_at is not None))
        keeper, self._keeper = self._keeper, None
        if keeper:
            keeper.join(10)
        forwarder, self._forwarder = self._forwarder, None
        if forwarder:
            forwarder.close()

    def _start(self, mall: str, lease: Lease, hosts: tuple[str, ...], asked_at: float, *, browser: bool) -> Session:
        line = self._line(browser)
        rules = Rules(
            hosts=(*hosts, urlsplit(self._proxy.ip_url).hostname or ""), connect_s=self._proxy.connect_timeout_s
        )
        upstream = Upstream(
            host=lease.host,
            port=lease.port,
            user=self._proxy.login(lease.session),
            password=self._proxy.password.get_secret_value(),
        )
        session = Session(
            mall=mall,
            lease=lease,
            line=line,
            meter=line.switch(upstream, rules),
            browser=browser,
            valid_until=asked_at + self._rules.lease_s,
            uses=lease.uses,
            ip=lease.ip,
            used_at=time.monotonic() - (3600 if lease.idle_s is None else lease.idle_s),
        )
        with self._changed:
            self._held.append(session)
            if self._keeper is None and not self._closing:
                self._keeper = threading.Thread(target=self._keep, name="proxy-keeper", daemon=True)
                self._keeper.start()
        return session

    def _line(self, browser: bool) -> Line:
        """The line used last, because its browser is the likeliest to live; else one that is parked; else a new one."""
        with self._changed:
            for place in reversed(range(len(self._idle_lines))):
                if self._idle_lines[place][1] == browser:
                    return self._idle_lines.pop(place)[0]
            now = time.monotonic()
            parked = [one for one in self._held if one.browser == browser and one.parked_at is not None]
            old = [one for one in parked if now - (one.parked_at or now) > _YIELD_S]
            for session in old:
                session.parked_at = None
            if not old:
                self._forwarder = self._forwarder or Forwarder()
                return self._forwarder.open()
        for session in old:
            self.end(session, LeaseEnd(reason="idle"))
        return self._line(browser)

    def _keep(self) -> None:
        """Renew what is held, cut off what was lost, end what is idle."""
        every_s = min(_TURN_S, self._rules.lease_s / 6)
        next_renewal = time.monotonic() + self._rules.lease_s / 3
        while True:
            with self._changed:
                if self._changed.wait_for(lambda: self._closing, timeout=every_s):
                    return
            if time.monotonic() >= next_renewal:
                next_renewal = time.monotonic() + self._rules.lease_s / 3
                self._renew()
            self._tidy()

    def _renew(self) -> None:
        with self._changed:
            mine = {session.lease.lease_id: session for session in self._held}
        asked_at = time.monotonic()
        with self._noted("leases of proxy ports could not be renewed"):
            held = self._ports.renew(mine)
            for lease_id, session in mine.items():
                session.lost = session.lost or lease_id not in held
                session.valid_until = asked_at + self._rules.lease_s

    def _tidy(self) -> None:
        now = time.monotonic()
        with self._changed:
            lost = [one for one in self._held if one.lost or now > one.valid_until]
            idle = [one for one in self._held if one.parked_at is not None and now - one.parked_at > self._rules.keep_s]
            over = [one for one in {*lost, *idle} if one.parked_at is not None]
            for session in over:
                session.parked_at = None
        for session in lost:
            # Whoever reads through it gets an error; the port may be another's by now.
            session.lost = True
            session.line.drop(session.meter)
        for session in over:
            self.end(session, LeaseEnd(reason="idle"))

    @contextlib.contextmanager
    def _noted(self, text: str) -> Iterator[None]:
        try:
            yield
        except DatabaseDown as error:
            _log.warning("%s: %s", text, error)
