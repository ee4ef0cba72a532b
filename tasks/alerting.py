"""What people do to alerts: the same functions for the command line, the API and the pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from alerts import message, rules, webhook
from alerts.answer import status_of
from alerts.engine import State
from alerts.message import Item
from errors import Disabled, NotFound, SourceFailure
from store import alerts, audit
from tasks import alarm
from tasks.queue.payload import clean
from tasks.runtime import runtime

if TYPE_CHECKING:
    from store.alerts import Clock, Delivery, Happening, Silence

MOST_HOURS = 24 * 30
"""The longest silence."""


@dataclass(frozen=True, slots=True)
class Board:
    """All rules at a glance."""

    states: list[State]
    silences: list[Silence]
    clock: Clock | None
    """None before the first evaluation."""


@dataclass(frozen=True, slots=True)
class Tested:
    """What the receiver said to a test notice."""

    sent: bool
    status: int | None
    """HTTP; None when nothing answered."""
    answer: str


def board() -> Board:
    """Every rule's states, the silences in force and the last evaluation."""
    with runtime.pool.transaction() as cur:
        stored = [State.of(row) for row in alerts.states(cur)]
        found = Board(stored, alerts.silences(cur), alerts.clock(cur))
    seen = {state.rule for state in stored}
    calm = [State(rule=rule, since=datetime.now(UTC)) for rule in rules.RULES if rule not in seen]
    return Board(sorted([*found.states, *calm], key=_urgent), found.silences, found.clock)


def _urgent(state: State) -> tuple[int, str, str]:
    return (("firing", "unknown", "pending", "ok").index(state.state), state.rule, state.labels)


def history(rule: str | None = None, *, limit: int = 50) -> tuple[list[Happening], list[Delivery]]:
    """What happened, and the latest tries to deliver, the latest first.

    Raises:
        NotFound: no such rule.
    """
    if rule is not None:
        _known(rule)
    with runtime.pool.transaction() as cur:
        return alerts.history(cur, rule, limit=limit), alerts.deliveries(cur, limit=limit)


def silence(rule: str, *, hours: float, reason: str, who: str, labels: str = "*") -> datetime:
    """Hold a rule's notices back; gives until when. It is evaluated and shown all the same.

    Raises:
        NotFound: no such rule.
        ValueError: no reason, or not between a minute and 30 days.
    """
    _known(rule)
    if not reason.strip():
        raise ValueError("a silence needs its reason")
    if not 1 / 60 <= hours <= MOST_HOURS:
        raise ValueError(f"hours: from a minute to {MOST_HOURS} h")
    with runtime.pool.transaction() as cur:
        alerts.silence(cur, rule, labels, seconds=hours * 3600, reason=clean(reason), who=who)
        audit.note(cur, who, "silence", rule, {"labels": labels, "hours": hours, "reason": clean(reason)})
    return datetime.now(UTC) + timedelta(hours=hours)


def unsilence(rule: str, *, who: str) -> int:
    """Let it be told again; gives how many silences were in force.

    Raises:
        NotFound: no such rule.
    """
    _known(rule)
    with runtime.pool.transaction() as cur:
        ended = alerts.unsilence(cur, rule)
        if ended:
            audit.note(cur, who, "unsilence", rule)
    return ended


def test(rule: str) -> Tested:
    """Send one notice of a rule now, marked as a test, and give what the receiver said; nothing is stored.

    Raises:
        NotFound: no such rule.
        Disabled: [alert] webhook is empty.
    """
    _known(rule)
    url = runtime.settings.alert.webhook.get_secret_value()
    if not url:
        raise Disabled("[alert] webhook is empty: set LPS_ALERT_WEBHOOK (the sandbox leaves it out: add --live)")
    now = datetime.now(UTC)
    limit = rules.limit_of(runtime.settings.alert, rule)
    item = Item(kind="firing", rule=rule, labels="", text=f"this is a test (limit {limit:g})", since=now)
    with runtime.pool.transaction() as cur:
        body = message.compose([item], now=now, snapshot=alarm.snapshot(cur), origin=runtime.settings.origin)
    try:
        said = webhook.post(url, body, timeout_s=runtime.settings.outbox.timeout_s)
    except SourceFailure as error:
        return Tested(sent=False, status=status_of(error.kind), answer=str(error))
    return Tested(sent=True, status=said.status, answer=said.text)


def _known(rule: str) -> None:
    if rule not in rules.RULES:
        raise NotFound(f"there is no rule {rule!r}: {', '.join(rules.RULES)}")
