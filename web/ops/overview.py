"""Is it well? What is wrong stands on top, with the page on which it is mended; then the last hour in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flask import url_for

import store.board
import store.health
import store.ops
from model import MALLS
from tasks import alerting, operate
from web.filters import usd
from web.language import text
from web.ops import blueprint
from web.ops.frame import page
from web.parts import here
from web.present import mall_text
from web.roles import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alerts.engine import State
    from store.board import Block, Counts, Slot, SpentNow, StageHour
    from store.health import Drifting
    from tasks.queue.pauses import Pause
    from tasks.queue.retention import QueueStats

ORDER = (*MALLS, "match", "persist", "outbox", "ops")
NEAR = 0.8
"""This share of the day's cap is worth a look."""
FEW = 3
"""A mall that was asked less often in the hour is not judged by it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Now:
    """All that the overview reads."""

    counts: Counts
    stages: dict[str, StageHour]
    slots: list[Slot]
    blocks: list[Block]
    queues: dict[str, QueueStats]
    paused: dict[str, Pause]
    workers: list[dict[str, Any]]
    drift: list[Drifting]
    spent: SpentNow
    firing: list[State]


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is wrong, and where it is mended."""

    tone: str
    text: str
    href: str


def read() -> Now:
    """The numbers of now, in one visit to the database."""
    settings = here().settings
    with here().pool.autocommit() as cur:
        now = Now(
            counts=store.board.counts(cur, stuck_s=settings.worker.stuck_s),
            stages={one.stage: one for one in store.board.hour(cur)},
            slots=store.board.finished(cur),
            blocks=store.board.blocks(cur),
            queues={},
            paused={},
            workers=store.ops.workers(cur, stuck_s=settings.worker.stuck_s, lease_s=settings.queue.lease_s),
            drift=store.health.drifting(cur),
            spent=store.board.spent(cur),
            firing=[],
        )
    now.queues.update({one.name: one for one in operate.queue_stats()})
    now.paused.update({one.name: one for one in operate.paused()})
    now.firing.extend(one for one in alerting.board().states if one.state in ("firing", "unknown"))
    return now


@blueprint.get("/ops")
@needs("operator")
def overview() -> str:
    """Trouble first, then counts, malls, stages, throughput."""
    now = read()
    names = [name for name in ORDER if name in now.stages or name in now.queues or name in now.paused]
    return page(
        "overview",
        now=now,
        troubles=list(troubles(now)),
        names=[*MALLS, *(name for name in names if name not in MALLS)],
        oldest_s=max((one.oldest_s for one in now.queues.values()), default=0),
        peak=max((slot.done + slot.dead for slot in now.slots), default=0),
        done=sum(slot.done for slot in now.slots),
        dead=sum(slot.dead for slot in now.slots),
        blocks={one.mall: one for one in now.blocks},
        cap=store.board.CAP,
        day_cap=here().settings.money.day_cap_usd,
    )


def troubles(now: Now) -> Iterator[Trouble]:
    """What is wrong, the worst first."""
    yield from _of_alerts(now)
    yield from _of_workers(now)
    yield from _of_queues(now)
    yield from _of_malls(now)
    yield from _of_dead(now)


def _of_alerts(now: Now) -> Iterator[Trouble]:
    for one in now.firing:
        rule = f"{one.rule} {one.labels}".strip()
        told = text("trouble.rings" if one.state == "firing" else "trouble.unknown", rule=rule, text=one.text)
        yield Trouble("bad" if one.state == "firing" else "warn", told, url_for("ops.alerts"))
    cap = here().settings.money.day_cap_usd
    if cap and float(now.spent.day_usd) >= NEAR * cap:
        spent = text("trouble.money", usd=usd(now.spent.day_usd), cap=usd(cap))
        yield Trouble("bad", spent, url_for("ops.money"))


def _of_workers(now: Now) -> Iterator[Trouble]:
    href = url_for("ops.workers")
    alive = [one for one in now.workers if one["state"] != "lost"]
    if not alive:
        yield Trouble("bad", text("trouble.no_worker"), href)
    lost = len(now.workers) - len(alive)
    if lost:
        yield Trouble("warn", text("trouble.lost_worker", n=lost), href)
    if now.counts.stuck:
        yield Trouble("bad", text("trouble.stuck", n=now.counts.stuck), href)
    if now.counts.lost:
        yield Trouble("warn", text("trouble.lost", n=now.counts.lost), href)


def _of_queues(now: Now) -> Iterator[Trouble]:
    limit = here().settings.alert.queue_lag.limit
    for name, queue in now.queues.items():
        if queue.oldest_s > limit and name not in now.paused:
            late = text("trouble.late", queue=_name(name), s=round(queue.oldest_s))
            yield Trouble("bad", late, url_for("ops.queues"))


def _of_malls(now: Now) -> Iterator[Trouble]:
    for drift in now.drift:
        yield Trouble("bad", text("trouble.drift", mall=mall_text(drift.mall), sign=drift.sign), url_for("ops.crawl"))
    for mall in MALLS:
        hour = now.stages.get(mall)
        if hour and hour.tries >= FEW and hour.good == 0:
            yield Trouble("bad", text("trouble.unread", mall=mall_text(mall), n=hour.tries), url_for("ops.crawl"))
    for pause in now.paused.values():
        held = text("trouble.paused", queue=_name(pause.name), who=pause.who, reason=pause.reason)
        yield Trouble("warn", held, url_for("ops.queues"))


def _of_dead(now: Now) -> Iterator[Trouble]:
    died = sum(slot.dead for slot in now.slots)
    if died:
        yield Trouble("warn", text("trouble.died", n=died), url_for("ops.jobs", status="dead"))
    if now.counts.dead_letters:
        yield Trouble("warn", text("trouble.letters", n=now.counts.dead_letters), url_for("ops.dead"))


def _name(queue: str) -> str:
    return mall_text(queue) if queue in MALLS else queue
