"""What the endpoints about alerts give."""

from __future__ import annotations

from typing import Any

from web.api.kit import Answer


class Alert(Answer):
    """One rule, for one mall, queue or host where it measures these apart."""

    rule: str
    labels: str
    state: str
    since: str | None


class Alerts(Answer):
    """All rules at a glance."""

    items: list[Alert]
    silences: list[dict[str, Any]]
    clock: dict[str, Any] | None


class Silenced(Answer):
    """Until when a rule is not told of; null when it is."""

    rule: str
    until: str | None


class Tested(Answer):
    """What the receiver answered to a test notice."""

    rule: str
    sent: bool
    status: int | None
