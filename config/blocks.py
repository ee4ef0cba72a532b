"""What may be set: one frozen model a block, one word a block.

Values here are the ones in force: what config.toml leaves open (`""`, `-1`) was filled in while reading. Units stand in
the names: `_s` seconds, `_krw` whole won, `_usd` dollars, `_ms` milliseconds. The defaults are config.toml's.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import quote, unquote, urlsplit

from pydantic import Field, SecretStr

from config.kinds import (
    Block,
    Count,
    Cron,
    DatabaseAddress,
    Hosts,
    LogLevel,
    NaverKeys,
    Port,
    Seconds,
    SecondsOrOff,
    SecretWebAddress,
    WebAddress,
    Whole,
    Word,
    listed,
    on_this_machine,
)
from errors import BadConfig


class SandboxConfig(Block):
    """Whether this is the invented market instead of the real malls."""

    on: bool
    port: Port
    latency_ms: Whole
    proxy: bool


class DatabaseConfig(Block):
    """Where PostgreSQL is, and how many connections it may be asked for."""

    url: DatabaseAddress
    host: str
    port: Port
    name: Word
    user: str
    password: SecretStr
    connection_budget: Whole
    pool_size: Whole
    max_overflow: Annotated[int, Field(ge=-1)]
    statement_timeout_s: SecondsOrOff
    wait_s: Seconds

    @property
    def external(self) -> bool:
        """Whether the operator named a database; if not, `lps up` starts one of its own."""
        return bool(self.url.get_secret_value() or self.host)

    def dsn(self, name: str | None = None) -> str:
        """The libpq URI, every part quoted.

        Args:
            name: another database of the same server.

        Raises:
            BadConfig: no database is named anywhere.
        """
        if not self.external:
            raise BadConfig("no database is set: set DB_HOST or LPS_DATABASE__URL, or let ./lps up start one")
        parts = urlsplit(self.url.get_secret_value())
        user_info, _, place = parts.netloc.rpartition("@")
        if not parts.netloc:
            # Quoted, so that a socket directory and an IPv6 address pass too.
            place = f"{quote(self.host, safe='')}:{self.port}"
        user, _, password = (unquote(part) for part in user_info.partition(":"))
        user = quote(user or self.user, safe="")
        password = quote(password or self.password.get_secret_value(), safe="")
        login = f"{user}:{password}@" if password else f"{user}@" if user else ""
        query = f"?{parts.query}" if parts.query else ""
        return f"postgresql://{login}{place}/{quote(name or self.name, safe='')}{query}"

    def conflicts(self) -> list[str]:
        """The keys that `url` contradicts."""
        parts = urlsplit(self.url.get_secret_value())
        user_info, _, place = parts.netloc.rpartition("@")
        user, _, password = (unquote(part) for part in user_info.partition(":"))
        host = re.sub(r":\d+$", "", unquote(place)).strip("[]")
        name = unquote(parts.path.strip("/"))
        pairs = {
            "host": (host, self.host),
            "name": (name, self.name),
            "user": (user, self.user),
            "password": (password, self.password.get_secret_value()),
        }
        return [key for key, (there, here) in pairs.items() if there and here and there != here]


class WebConfig(Block):
    """The pages and the API."""

    host: Word
    port: Port
    hosts: str
    open: Literal["sandbox", "loopback", "never"]
    session_hours: Seconds
    rate_per_min: Count
    threads: Count
    processes: Count

    @property
    def names(self) -> frozenset[str]:
        """`hosts`, name by name, in lower case."""
        return listed(self.hosts)


class SearchConfig(Block):
    """What holds for a whole search."""

    fallback: Literal["when_unmatched", "always", "never"]
    deadline_s: Seconds
    fresh_s: SecondsOrOff
    negative_s: SecondsOrOff
    assumed_shipping_krw: Whole
    max_name_chars: Count
    max_spec_chars: Count


class BulkConfig(Block):
    """Files of products."""

    max_rows: Count
    at_once: Count


class QueueConfig(Block):
    """How long a message belongs to a worker, and how often it is tried."""

    lease_s: Seconds
    max_attempts: Count
    min_backoff_s: Seconds
    max_backoff_s: Seconds
    done_days: Count
    dead_days: Count


class WorkerConfig(Block):
    """The worker processes of this machine."""

    concurrency: Count
    threads: Count
    processes: Count
    heartbeat_file: str
    stuck_s: Seconds


class MallConfig(Block):
    """What every source has."""

    enabled: bool
    base_url: WebAddress
    deadline_s: Seconds
    rungs: Count
    assumed_shipping_krw: Whole
    """Shipping taken for an offer that does not say; [search]'s where config.toml holds -1."""
    max_at_once: Whole
    min_gap_s: SecondsOrOff
    max_pages_day: Whole
    canary: str

    @property
    def gap_s(self) -> float:
        """Seconds between two requests: none where a server on this machine stands in for the mall."""
        return 0 if self.stand_in else self.min_gap_s

    @property
    def through_proxy(self) -> bool:
        """Whether it is asked through the proxy where there is one: an official API is not."""
        return False

    @property
    def pages_day(self) -> int:
        """Pages of a day at most, 0 = no cap: none where a server on this machine stands in for the mall."""
        return 0 if self.stand_in else self.max_pages_day

    @property
    def stand_in(self) -> bool:
        """Whether a server on this machine stands in for the mall."""
        return on_this_machine(self.base_url)

    @property
    def why_disabled(self) -> str:
        """Why this mall may not be asked; empty when it may."""
        return "" if self.enabled else "switched off: enabled = false"


class NaverConfig(MallConfig):
    """Naver's shopping search API."""

    keys: NaverKeys
    display: Annotated[int, Field(ge=1, le=100)]
    sort: Literal["sim", "date", "asc", "dsc"]
    exclude: str
    timeout_s: Seconds

    @property
    def why_disabled(self) -> str:
        """As for every mall; the real API answers nobody without a key."""
        return super().why_disabled or ("" if self.keys or self.stand_in else "no key: set NAVER_KEYS")


class PageMallConfig(MallConfig):
    """A mall that is read from its pages."""

    operator_accepts_terms: bool
    fetcher: Literal["browser", "http"]
    block_css: bool
    use_proxy: bool
    hosts: Hosts

    @property
    def through_proxy(self) -> bool:
        """Whether it is asked through the proxy where there is one."""
        return self.use_proxy and not getattr(self, "open_api", "")

    @property
    def own_hosts(self) -> tuple[str, ...]:
        """Host names of its addresses; a proxy carries these and `hosts`, nothing else."""
        addresses = [getattr(self, key, self.base_url) for key in ("base_url", "shop_url", "pages_url")]
        return tuple({urlsplit(address).hostname or "": None for address in addresses})

    @property
    def why_disabled(self) -> str:
        """As for every mall; the real pages are opened only once the operator accepts their terms."""
        allowed = self.operator_accepts_terms or self.stand_in
        return super().why_disabled or ("" if allowed else "its terms are not accepted: operator_accepts_terms = false")


class BrowserConfig(Block):
    """The Chromium that reads pages."""

    headless: bool
    chromium: str
    driver: str
    profile_dir: str
    idle_close_s: Seconds
    max_pages: Count
    max_memory_mb: Count
    width: Count
    height: Count
    start_timeout_s: Seconds
    per_machine: Whole


class OutboxConfig(Block):
    """Callbacks to whoever asked for one."""

    url: SecretWebAddress
    max_hours: Count
    timeout_s: Seconds
    secret: SecretStr
    previous_secret: SecretStr
    internal_hosts: str

    @property
    def internal(self) -> frozenset[str]:
        """`internal_hosts`, name by name, in lower case."""
        return listed(self.internal_hosts)


class PeriodicConfig(Block):
    """When the clock's actors run, as cron lines in local time."""

    reap: Cron
    watch: Cron
    recheck: Cron
    patrol: Cron
    prune: Cron


class LogConfig(Block):
    """What the log says and how."""

    level: LogLevel
    format: Literal["console", "json"]
