"""One evaluation of all alert rules: measure, move each rule's state, tell what is new. All of it in one transaction.

Whoever evaluates a minute first has it: two clocks, or a clock and a worker that stands in for it, tell nothing twice.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import structlog

from alerts import engine, message, rules, webhook
from alerts.engine import Missing, State, Timing
from alerts.message import Item
from store import alerts, measures, ops
from tasks.runtime import runtime

if TYPE_CHECKING:
    from datetime import datetime

    from alerts.engine import Event, Kind
    from alerts.rules import Sample
    from model import Ops, Reading
    from store.alerts import Silence
    from store.pool import Cursor

log = structlog.get_logger("lps.alert")
LATE_S = 180
"""Without an evaluation for so long, a worker stands in for the clock."""
PING_S = 5
GONE = "nothing is measured there any more"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What one evaluation found."""

    rules: int
    unknown: int
    """Rules that could not be measured."""
    notice: str | None
    """The notice that was put on its way."""


@dataclass(frozen=True, slots=True)
class _News:
    state: State
    event: Event | None
    kind: Kind | None


def evaluate(*, by_clock: bool = True) -> Evaluated | None:
    """Evaluate this minute; None when another process has done it.

    Raises:
        DatabaseDown: nothing was evaluated, and the outside watchdog is not told that all is well.
    """
    with runtime.pool.transaction() as cur:
        now = alerts.claim(cur, by_clock=by_clock)
        if now is None:
            return None
        done = _evaluate(cur, now)
    _ping()
    return done


def stand_in(cur: Cursor) -> None:
    """Called with a worker's heartbeat: when the clock stands, ask for an evaluation; each minute's is sent once."""
    minute = alerts.late(cur, LATE_S)
    if minute is not None:
        log.warning("the clock has not ticked, a worker evaluates the alert rules", minute=minute)
        message_ = runtime.broker.message("watch", "worker", job="watch", step=minute)
        runtime.broker.enqueue_in(cur, message_)


def _evaluate(cur: Cursor, now: datetime) -> Evaluated:
    known: dict[str, dict[str, State]] = {name: {} for name in rules.RULES}
    for row in alerts.states(cur):
        if row["rule"] in known:
            known[row["rule"]][row["labels"]] = State.of(row)
    news: list[_News] = []
    unknown = 0
    for rule, states in known.items():
        seen = _look(cur, rule, set(states))
        unknown += any(isinstance(one, Missing) and one.failed for one in seen.values())
        news += [_step(states.get(labels) or State(rule=rule, labels=labels, since=now), one, now)
                 for labels, one in seen.items()]  # fmt: skip
    notice = _tell(cur, news, now)
    alerts.evaluated(cur, rules=len(known), unknown=unknown)
    alerts.forget(cur)
    return Evaluated(len(known), unknown, notice)


def _look(cur: Cursor, rule: str, labels: set[str]) -> dict[str, Sample | Missing]:
    """What a rule sees now for each label, those included that it saw before."""
    read = measures.measure(cur, rule, lease_s=runtime.settings.queue.lease_s)
    if isinstance(read, str):
        log.warning("an alert rule could not be measured", rule=rule, error=read)
        return dict.fromkeys(labels or {""}, Missing(read, failed=True))
    seen = {reading.labels: _sample(rule, reading) for reading in read}
    limit = rules.limit_of(runtime.settings.alert, rule)
    gone = rules.Sample(value=0, limit=limit, above=False, clear=True, text=GONE)
    return {label: gone for label in labels if label not in seen} | seen


def _sample(rule: str, reading: Reading) -> Sample | Missing:
    limit = rules.limit_of(runtime.settings.alert, rule)
    if rule == "cost" and reading.labels == "day":
        limit = runtime.settings.money.day_cap_usd
    return rules.RULES[rule](reading, limit) or Missing("there is too little to measure", failed=False)


def timing(rule: str) -> Timing:
    """How patient a rule is, from `[alert]` and `[alert.<rule>]`."""
    config, block = runtime.settings.alert, getattr(runtime.settings.alert, rule)
    return Timing(
        for_s=block.for_s,
        keep_s=block.keep_s,
        repeat_s=config.repeat_h * 3600,
        repeat_max_s=config.repeat_max_h * 3600,
        unknown_s=config.unknown_s,
    )


def _step(before: State, seen: Sample | Missing, now: datetime) -> _News:
    patience = timing(before.rule)
    state, event = engine.step(before, seen, patience, now)
    return _News(state, event, engine.due(state, event, patience, now))


def _tell(cur: Cursor, news: list[_News], now: datetime) -> str | None:
    """Save every state, write down what happened, and send one notice for all that is to be told."""
    held, firing = alerts.silences(cur), {one.state.rule for one in news if one.state.state == "firing"}
    telling = [one for one in news if one.kind and not _held(one, held, firing)]
    notice = _notice(cur, telling, now) if telling else None
    for one in news:
        state, tells = one.state, one in telling
        if one.event or tells:
            what = {"firing": "fired", "repeated": "repeated", "unknown": "unknown"}.get(one.kind or "", "")
            alerts.event(
                cur, state.rule, state.labels, one.event or what, state.value, state.text, notice if tells else None
            )
        if one.event == "fired":
            log.warning(f"[alert] {state.text}", rule=state.rule, labels=state.labels, limit=state.limit)
        elif one.event == "resolved":
            log.info(f"[alert] {state.rule} resolved", rule=state.rule, labels=state.labels, peak=state.peak)
        if tells and notice and one.event not in ("resolved", "known"):
            state = engine.told(state, notice, now)
        alerts.save(cur, asdict(engine.settled(state, one.event, now)))
    return notice


def _held(one: _News, silences: list[Silence], firing: set[str]) -> bool:
    state = one.state
    if any(held.rule == state.rule and held.labels in ("*", state.labels) for held in silences):
        return True
    causes = rules.INHIBITED_BY.get(state.rule, ())
    return one.kind in ("firing", "repeated") and any(cause in firing for cause in causes)


def _notice(cur: Cursor, telling: list[_News], now: datetime) -> str | None:
    if not runtime.settings.alert.webhook.get_secret_value():
        # The log has it; `lps alerts list` too.
        return None
    items = [
        Item(kind=one.kind, rule=one.state.rule, labels=one.state.labels, text=one.state.text,
             since=one.state.unknown_since if one.kind == "unknown" and one.state.unknown_since else one.state.since,
             peak=one.state.peak)
        for one in telling if one.kind
    ]  # fmt: skip
    body = message.compose(items, now=now, snapshot=snapshot(cur), origin=runtime.settings.origin)
    holds = [[one.state.rule, one.state.labels, one.state.state] for one in telling
             if one.event not in ("resolved", "known")]  # fmt: skip
    # What says that something ended is sent in any case.
    over = len(holds) < len(telling)
    notice = alerts.notice(cur, {"message": body} | ({} if over else {"holds": holds}))
    runtime.broker.enqueue_in(cur, runtime.broker.message("notice", notice, job=notice))
    return notice


def snapshot(cur: Cursor) -> str:
    """One line on workers, proxy ports and sessions, for a notice; it says so when these cannot be read."""
    settings = runtime.settings

    def read() -> str:
        return _snapshot(ops.snapshot(cur, stuck_s=settings.worker.stuck_s, lease_s=settings.queue.lease_s))

    return measures.apart(cur, read)


def _snapshot(now: Ops) -> str:
    states = [worker["state"] for worker in now.workers]
    lost = states.count("lost")
    parts = [
        f"workers {len(states) - lost}" + (f" ({lost} lost)" if lost else ""),
        f"pending {now.counts['PENDING']}, running {now.counts['RUNNING']}",
        "no proxy" if now.usable_ports_pct is None else f"usable ports {now.usable_ports_pct:.0f} %",
        f"sessions blocked in {ops.LEAK_HOURS} h {now.block_sessions_6h}",
        *(f"{pause['name']} paused: {pause['reason']}" for pause in now.paused),
    ]
    return " · ".join(parts)


def _ping() -> None:
    url = runtime.settings.alert.ping.get_secret_value()
    if not url:
        return
    status = webhook.ping(url, timeout_s=PING_S)
    if not 200 <= status < 300:
        log.warning("the outside watchdog did not take the ping", status=status)
    with runtime.pool.autocommit() as cur:
        alerts.pinged(cur, status)
