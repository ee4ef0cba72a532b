"""The life of an alert: ok → pending → firing → ok, and unknown when it cannot be measured. Pure: time comes in.

state, event = step(state, sample, timing, now)
kind = due(state, event, timing, now)          # what to tell, if anything
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from alerts.rules import Sample

Phase = Literal["ok", "pending", "firing", "unknown"]
Event = Literal["pending", "fired", "resolved", "known"]
Kind = Literal["firing", "repeated", "resolved", "unknown", "known"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Timing:
    """How patient a rule is; seconds."""

    for_s: float = 0
    """So long it must be above before it fires."""
    keep_s: float = 300
    """So long it must be clear before it ends: a value that comes and goes rings once."""
    repeat_s: float = 4 * 3600
    """A firing alert is told again after this, then after twice as long each time …"""
    repeat_max_s: float = 24 * 3600
    """… at most."""
    unknown_s: float = 600
    """A measurement that fails for so long is told too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """What is known of one rule and label."""

    rule: str
    since: datetime
    labels: str = ""
    state: Phase = "ok"
    value: float = 0
    limit: float = 0
    peak: float = 0
    """The worst value since it fires: the lowest where low is bad."""
    text: str = ""
    clear_since: datetime | None = None
    unknown_since: datetime | None = None
    notices: int = 0
    last_notified: datetime | None = None
    notice: str | None = None
    """What told of it first …"""
    delivered: bool = False
    """… and whether that has arrived."""

    @classmethod
    def of(cls, row: dict[str, Any]) -> State:
        """As it was stored."""
        return cls(**row)


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that could not be had."""

    why: str
    failed: bool
    """The measurement failed; otherwise there is simply nothing to measure."""


def step(before: State, seen: Sample | Missing, timing: Timing, now: datetime) -> tuple[State, Event | None]:
    """One evaluation: the state after it, and what happened.

    A resolved state keeps since when it fired and its peak, for the notice; `settled` forgets them.
    """
    if isinstance(seen, Missing):
        return _missed(before, seen, now), None
    state = replace(before, value=seen.value, limit=seen.limit, text=seen.text, unknown_since=None)
    if state.state == "unknown":
        if before.notices:
            # That it can be measured again is told first; what it measures counts from the next evaluation on.
            return replace(state, state="ok"), "known"
        state = _enter(state, "ok", now)
    return _measured(state, seen, timing, now)


def _measured(state: State, seen: Sample, timing: Timing, now: datetime) -> tuple[State, Event | None]:
    if state.state == "firing":
        return _firing(state, seen, timing, now)
    if not seen.above:
        return (state if state.state == "ok" else _enter(state, "ok", now)), None
    begun = state.since if state.state == "pending" else now
    if (now - begun).total_seconds() >= timing.for_s:
        return replace(_enter(state, "firing", now), peak=seen.value), "fired"
    return (state, None) if state.state == "pending" else (_enter(state, "pending", now), "pending")


def _firing(state: State, seen: Sample, timing: Timing, now: datetime) -> tuple[State, Event | None]:
    peak = (min if seen.low_is_bad else max)(state.peak, seen.value)
    if not seen.clear:
        return replace(state, peak=peak, clear_since=None), None
    since = state.clear_since or now
    if (now - since).total_seconds() < timing.keep_s:
        return replace(state, peak=peak, clear_since=since), None
    return replace(state, state="ok", clear_since=None), "resolved"


def _missed(before: State, seen: Missing, now: datetime) -> State:
    if before.state == "firing":
        # It fires until it is known not to.
        return replace(before, unknown_since=before.unknown_since or now, clear_since=None)
    state = before if before.state == "unknown" else _enter(before, "unknown", now)
    return replace(state, text=seen.why, unknown_since=(state.unknown_since or now) if seen.failed else None)


def _enter(state: State, phase: Phase, now: datetime) -> State:
    fresh = {"clear_since": None, "notices": 0, "last_notified": None, "notice": None, "delivered": False}
    return replace(state, state=phase, since=now, **fresh)  # type: ignore[arg-type]  # each value fits its field


def due(state: State, event: Event | None, timing: Timing, now: datetime) -> Kind | None:
    """What is to be told now, silence and inhibition aside."""
    if event in ("resolved", "known"):
        return event if state.delivered else None
    if state.state == "unknown":
        failing = state.unknown_since is not None and (now - state.unknown_since).total_seconds() >= timing.unknown_s
        return "unknown" if failing and not state.notices else None
    if state.state != "firing":
        return None
    if not state.notices or state.last_notified is None:
        return "firing"
    wait = min(timing.repeat_s * 2 ** (state.notices - 1), timing.repeat_max_s)
    return "repeated" if now - state.last_notified >= timedelta(seconds=wait) else None


def told(state: State, notice: str, now: datetime) -> State:
    """After a notice was put on its way."""
    return replace(state, notices=state.notices + 1, last_notified=now, notice=state.notice or notice)


def settled(state: State, event: Event | None, now: datetime) -> State:
    """What is kept of a state for the next evaluation."""
    return _enter(state, "ok", now) if event in ("resolved", "known") else state
