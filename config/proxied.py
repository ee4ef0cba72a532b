"""What may be set about the proxy and about how long an address of it is used."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, SecretStr

from config.kinds import Amount, Block, Count, Port, Seconds, SecondsOrOff, WebAddress, Whole


class ProxyConfig(Block):
    """The proxy gate; without a host, malls are read directly."""

    host: str
    port: Port
    ports: Count
    user: str
    password: SecretStr
    country: Annotated[str, Field(pattern=r"^([a-z]{2})?$")]
    session_min: Annotated[int, Field(ge=1, le=1440)]
    ip_url: WebAddress
    connect_timeout_s: Seconds
    max_kb: Whole
    usd_per_gb: Amount

    @property
    def on(self) -> bool:
        """Whether there is one."""
        return bool(self.host)

    @property
    def last_port(self) -> int:
        """The last port that is leased."""
        return self.port + self.ports - 1

    def login(self, session: str) -> str:
        """The user name that asks for one address: `user-NAME-country-kr-session-ID-sessionduration-MIN`."""
        name = self.user if self.user.startswith("user-") else f"user-{self.user}"
        country = f"-country-{self.country}" if self.country and "-country-" not in name else ""
        return f"{name}{country}-session-{session}-sessionduration-{self.session_min}"


class SessionConfig(Block):
    """How an address is used, and what happens when a mall refuses it."""

    requests_per_ip: Count
    rotations: Count
    gap_s: SecondsOrOff
    lease_s: Seconds
    keep_s: SecondsOrOff
    cooldown_s: Seconds
    cooldown_max_s: Seconds
    breaker_blocks: Whole
    breaker_window_s: Seconds
    breaker_hold_s: Seconds
