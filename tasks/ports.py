"""What all processes share about proxy ports, refusals and the malls' days, as crawl/ asks for it.

Every call is one short transaction of its own, outside any stage's: a lease must be seen by others at once, and a
refusal happened whether or not its stage is stored.
"""

from __future__ import annotations

import os
import socket
import threading
import uuid
from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING

from crawl.ports import PREFLIGHT
from errors import OverBudget, Paused
from model import MALLS
from store import crawls, proxies, spend
from tasks.queue import current_message

if TYPE_CHECKING:
    from collections.abc import Collection

    from config import Settings
    from crawl.ports import LeaseEnd
    from store.pool import Pool

GB = 10**9


def configured(settings: Settings) -> proxies.Range:
    """The ports of `[proxy]`."""
    proxy = settings.proxy
    return proxies.Range(host=proxy.host, first=proxy.port, last=proxy.last_port)


class SharedPorts:
    """`crawl.ports.Ports` on the database."""

    def __init__(self, settings: Settings, pool: Pool) -> None:
        rules = settings.session
        self._pool = pool
        self._settings = settings
        self._ports = configured(settings)
        self._terms = proxies.Terms(
            worker=f"{socket.gethostname()}:{os.getpid()}",
            budget=rules.requests_per_ip,
            lease_s=rules.lease_s,
            session_s=60 * settings.proxy.session_min,
            rest_s=rules.cooldown_s,
            most_s=rules.cooldown_max_s,
        )
        self._made = threading.Event()

    def make(self) -> None:
        """Have a row for each configured port, and none for others that nobody uses."""
        with self._pool.transaction() as cur:
            proxies.ensure(cur, self._ports, only=True)
        self._made.set()

    def lease(self, mall: str, *, need: int) -> proxies.Lease | None:
        """A port that is free for this mall; None when none is."""
        if not self._made.is_set():
            self.make()
        with self._pool.autocommit() as cur:
            recorded = mall != PREFLIGHT
            lease_id = str(uuid.uuid4())
            return proxies.lease(cur, self._ports, lease_id, mall, self._terms, need=need, recorded=recorded)

    def open_ports(self, mall: str) -> int:
        """How many ports do not rest for this mall, leased or not."""
        with self._pool.autocommit() as cur:
            return proxies.open_ports(cur, self._ports, mall)

    def use(self, lease_id: str, n: int) -> int | None:
        """Count requests of an address."""
        with self._pool.autocommit() as cur:
            return proxies.use(cur, lease_id, n, budget=self._terms.budget)

    def renew(self, lease_ids: Collection[str]) -> set[str]:
        """Keep leases; those that are still held."""
        if not lease_ids:
            return set()
        with self._pool.autocommit() as cur:
            return proxies.renew(cur, lease_ids, lease_s=self._terms.lease_s)

    def release(self, lease_id: str, end: LeaseEnd) -> None:
        """Give a port back."""
        with self._pool.transaction() as cur:
            proxies.release(cur, lease_id, proxies.Ending(**asdict(end)), self._terms)

    def admit(self, mall: str, visit: str) -> float | None:
        """Seconds until a mall that refused too often is asked again; 0 = this visit tries; None = no such mall."""
        with self._pool.autocommit() as cur:
            return crawls.admit(cur, mall, visit, probe_s=self._settings.mall(mall).deadline_s + 5)

    def blocked(self, mall: str, visit: str, *, marker: str, ip: str, request_no: int) -> None:
        """A mall refused us: for the record, and its breaker."""
        rules = self._settings.session
        with self._pool.transaction() as cur:
            crawls.blocked(cur, job_id=_job_id(), mall=mall, marker=marker, ip=ip, request_no=request_no)
            if rules.breaker_blocks:
                crawls.trip(
                    cur,
                    mall,
                    visit,
                    crawls.Breaker(
                        blocks=rules.breaker_blocks,
                        window_s=rules.breaker_window_s,
                        hold_s=rules.breaker_hold_s,
                        most_s=rules.cooldown_max_s,
                    ),
                )

    def answered(self, mall: str, visit: str, *, ok: bool) -> None:
        """The visit that tried is over."""
        with self._pool.autocommit() as cur:
            if ok:
                crawls.mend(cur, mall, visit)
            else:
                crawls.drop_probe(cur, mall, visit)

    def count_pages(self, mall: str, n: int, *, cap: int) -> bool:
        """Count pages of a mall's day; False when its cap is reached."""
        with self._pool.autocommit() as cur:
            return crawls.count_pages(cur, mall, n, cap=cap)

    def reserve(self, mall: str, size: int) -> str | None:
        """Set the price of so many bytes aside.

        Raises:
            Paused: a budget does not leave it.
        """
        money = self._settings.money
        caps = spend.Caps.of(money.job_cap_usd, money.hour_cap_usd, money.day_cap_usd)
        try:
            return spend.reserve(self._pool, caps, kind="proxy", stage=mall, usd=self._usd(size), job_id=_job_id())
        except OverBudget as error:
            raise Paused(f"{mall}: {error}", kind="over_budget") from error

    def settle(self, payment: str, size: int) -> None:
        """So many it were."""
        spend.settle(self._pool, payment, self._usd(size), {"bytes": size})

    def _usd(self, size: int) -> Decimal:
        return Decimal(str(self._settings.proxy.usd_per_gb)) * size / GB


def _job_id() -> str | None:
    """The search that this thread works for, if it does."""
    try:
        message = current_message()
    except LookupError:
        return None
    # A canary's message is told from others by an id that is no search's.
    return str(message.job_id) if message.job_id and message.actor_name in MALLS else None
