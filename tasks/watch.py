"""Looking products up again: when, and what is told of their price.

The clock's `recheck` starts what is due, behind everything else; an answer younger than half the interval is taken
instead. Every search of a watched product, whoever asked for it, is judged: crossing the target is told once, further
steps of 1 % below it each once, a failed search never.
"""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors import OverBudget
from model import JobStatus, Priority, Product
from store import jobs, watches
from store.callbacks import Letter
from store.schedule import next_time
from tasks import letters

if TYPE_CHECKING:
    from model import Job
    from store.pool import Cursor
    from store.watches import Side, Watch

STEP = 0.01
"""Share of the last told price by which it must fall (or rise) further to be told again."""
_NAMES = uuid.UUID("0b1c2f0e-41f6-4b0a-9a4e-0b6b3d7b7a55")


@dataclass(frozen=True, slots=True)
class Judged:
    """What a price means for a watch."""

    event: str | None
    """price.below, price.above (the target was crossed), price.lower, price.higher (a further step), or nothing."""
    side: Side | None
    told_krw: int | None


def judge(watch: Watch, krw: int, *, complete: bool) -> Judged:
    """What is to be told of this price.

    Args:
        watch: as it was before.
        krw: the lowest effective price now.
        complete: whether every mall answered; if not, nothing may be said of a rise.
    """
    down, up = watch.direction in ("down", "both"), watch.direction in ("up", "both") and complete
    side: Side | None = None
    if watch.target_krw is not None:
        side = "below" if krw <= watch.target_krw else "above"
        if not complete and side == "above":
            side = watch.side
        if side != watch.side:
            wanted = down if side == "below" else up and (watch.side is not None or watch.direction == "up")
            return Judged(f"price.{side}" if wanted else None, side, krw)
    told = watch.told_krw
    if told is None:
        return Judged(None, side, krw)
    if down and krw <= told * (1 - STEP) and side in (None, "below"):
        return Judged("price.lower", side, krw)
    if up and krw >= told * (1 + STEP) and side in (None, "above"):
        return Judged("price.higher", side, krw)
    return Judged(None, side, told)


def priced(cur: Cursor, job_id: str) -> None:
    """A search has ended: judge its price for whoever watches the product, in the transaction that ends it."""
    watch = watches.hold(cur, job_id)
    job = jobs.get(cur, job_id) if watch else None
    if job is None or watch is None or not _same_question(watch, job):
        return
    lowest = (job.result or {}).get("lowest")
    if job.status is not JobStatus.DONE or not lowest:
        watches.missed(cur, watch.watch_id, str((job.result or {}).get("outcome") or job.error or "")[:500])
        return
    krw = int(lowest["price"])
    judged = judge(watch, krw, complete=bool(job.result and job.result.get("complete")))
    watches.saw(cur, watch.watch_id, side=judged.side, told_krw=judged.told_krw, last_krw=krw, job_id=job_id)
    if judged.event:
        letters.send(cur, _letter(watch, job, krw, judged.event))


def _same_question(watch: Watch, job: Job) -> bool:
    """The code alone is not enough: a search for used goods under it answers another question."""
    product = Product(code=watch.product_code, name=watch.product_name, specification=watch.specification)
    return job.dedupe_key == jobs.dedupe_key(product)


def _letter(watch: Watch, job: Job, krw: int, event: str) -> Letter:
    lowest = (job.result or {})["lowest"]
    event_id = str(uuid.uuid5(_NAMES, f"{watch.watch_id} {job.job_id} {job.round} {event}"))
    body = {
        "event_id": event_id,
        "event": event,
        "watch_id": watch.watch_id,
        "product_code": watch.product_code,
        "product_name": watch.product_name,
        "specification": watch.specification,
        "price_krw": krw,
        "before_krw": watch.last_krw,
        "target_krw": watch.target_krw,
        "mall": lowest.get("mall"),
        "url": lowest.get("url"),
        "job_id": job.job_id,
        "complete": bool((job.result or {}).get("complete")),
        "text": text(watch, krw, event),
    }
    return Letter(
        outbox_id=event_id, url=watch.url, body=body, event=event, signer=watch.signer, kind="price", job_id=job.job_id
    )


def text(watch: Watch, krw: int, event: str) -> str:
    """The message for people, as Slack takes it."""
    what = {
        "price.below": "목표가 이하로 내려왔습니다",
        "price.above": "목표가 위로 올랐습니다",
        "price.lower": "더 내렸습니다",
        "price.higher": "더 올랐습니다",
    }[event]
    name = " ".join(f"{watch.product_name} {watch.specification}".split())
    for sign, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        name = name.replace(sign, safe)
    target = f" (목표 {watch.target_krw:,}원)" if watch.target_krw is not None else ""
    before = f", 이전 {watch.last_krw:,}원" if watch.last_krw is not None else ""
    return f"{name}: {krw:,}원, {what}{target}{before}"


def product(watch: Watch) -> Product:
    """What is looked up."""
    return Product(code=watch.product_code, name=watch.product_name, specification=watch.specification)


def recheck_due(cur: Cursor, limit: int) -> int:
    """Start what is due, or take an answer that is young enough; how many were started."""
    from tasks.submit import Wanted, submit_in  # noqa: PLC0415 - a search's end comes here, too

    started, now = 0, watches.now(cur)
    for one in watches.due(cur, limit):
        chance = random.random()  # noqa: S311 - spreads load, no secret
        watches.later(cur, one.watch_id, next_time(now, one.every_s, business_hours=one.business_hours, chance=chance))
        fresh = jobs.fresh(cur, jobs.dedupe_key(product(one)), one.every_s / 2)
        if fresh:
            priced(cur, fresh.job_id)
            continue
        wanted = Wanted(product=product(one), again=True, options={}, asker=jobs.Asker())
        try:
            started += not submit_in(cur, wanted, Priority.RECHECK).deduped
        except OverBudget as over:
            watches.missed(cur, one.watch_id, str(over))
    return started
