"""Looks known products up, one a mall, to see whether the malls' pages still read. No AI, no search, no winner.

After    patrol (the clock, once an hour)          Then   nothing          Queue  canary
Takes    mall
Gives    a row of `mall_drift` and a held-back mall when its page no longer reads; both end when it does again
Costs    1 page a mall; a second one before a mall is held back
Errors   none of its own: a mall that is blocked or unreachable has not changed
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import dramatiq
import structlog
from periodiq import cron

from crawl import health as shape
from errors import SourceFailure
from model import MALLS, SourceOutcome
from store import audit, health
from tasks import evidence, stage
from tasks.queue import current_message, pauses
from tasks.runtime import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawl import Page
    from crawl.health import Tally
    from store.health import Drifting
    from store.pool import Cursor

WHO = "canary"
WEEK_H = 7 * 24
CHANGED = (SourceOutcome.DRIFT, SourceOutcome.UNKNOWN_PAGE, SourceOutcome.NOT_RENDERED)
"""Outcomes that say something about the mall's pages, and not about us or the way there."""
log = structlog.get_logger("lps.canary")


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a mall's pages."""

    sign: str
    text: str
    value: float = 0
    usual: float = 0


@dramatiq.actor(queue_name="ops", periodic=cron(runtime.settings.periodic.patrol))
def patrol() -> None:
    """Send a canary to every mall that may be asked, and clear away evidence that nobody needs."""
    tick = str(current_message().message_id)
    with runtime.pool.transaction() as cur:
        for mall in MALLS:
            block = runtime.settings.mall(mall)
            if block.canary and not block.why_disabled:
                runtime.broker.enqueue_in(cur, runtime.broker.message("canary", mall, job=tick, step=mall))
    evidence.prune()


@dramatiq.actor(queue_name="canary")
def canary(mall: str) -> None:
    """Look one mall's known product up; hold the mall back if it no longer reads, let it go on if it does again."""
    product = runtime.settings.mall(mall).canary
    if not _may_look(mall):
        return
    with runtime.pool.transaction() as cur:
        usual = health.between(cur, mall, WEEK_H, 1)
    looked = _look(mall, product)
    found = findings(product, looked, usual)
    if found:
        # Once is a flicker: a page that changed is a changed page the second time too.
        looked = _look(mall, product)
        found = findings(product, looked, usual)
    if found is None:
        return
    with runtime.pool.transaction() as cur:
        if found:
            _hold(cur, mall, found)
        else:
            _let_go(cur, mall, product, looked, usual)


def findings(product: str, looked: Page | SourceFailure, usual: Mapping[str, Tally]) -> list[Finding] | None:
    """What is wrong with the page of a known product: nothing (), or None when the page was not reached."""
    if isinstance(looked, SourceFailure):
        return [Finding(looked.outcome, str(looked))] if looked.outcome in CHANGED else None
    if looked.outcome is SourceOutcome.EMPTY:
        return [Finding("empty", f"says that it has no {product}")]
    if looked.kind == "truncated":
        return None
    offers = shape.known(looked.offers, product)
    if not offers:
        return [Finding("product", f"none of {len(looked.offers)} offers is {product}")]
    losses = shape.judge(_tally(looked), usual, drop=runtime.settings.canary.drop)
    price = shape.price_loss(offers, usual)
    return [Finding(loss.sign, loss.text, loss.value, loss.usual) for loss in (*losses, *([price] if price else ()))]


def _may_look(mall: str) -> bool:
    """Whether the mall may be asked: what a person holds back is left alone."""
    block = runtime.settings.mall(mall)
    with runtime.pool.transaction() as cur:
        held = {pause.name: pause.who for pause in pauses.paused(cur)}
    return bool(block.canary) and not block.why_disabled and held.get(mall, WHO) == WHO


def _look(mall: str, product: str) -> Page | SourceFailure:
    try:
        return stage.fetch(mall, product, time.monotonic() + runtime.settings.mall(mall).deadline_s)
    except SourceFailure as error:
        log.warning(f"[canary:{mall}] {error.outcome} {error.kind}".rstrip(), error=str(error))
        return error


def changed() -> list[Drifting]:
    """The malls whose pages changed, held back or not."""
    with runtime.pool.autocommit() as cur:
        return health.drifting(cur)


def _tally(page: Page) -> dict[str, Tally]:
    return shape.tally(page.seen[-1].reading.parsed) if page.seen else {}


def _hold(cur: Cursor, mall: str, found: list[Finding]) -> None:
    text = "; ".join(finding.text for finding in found)
    pause = runtime.settings.canary.pause
    held = pause and health.hold(cur, mall, reason=f"its pages no longer read: {text}"[:300], who=WHO)
    news = [finding for finding in found if _drifted(cur, mall, finding, paused=pause)]
    if news:
        audit.note(cur, WHO, "drift", mall, {"signs": [finding.sign for finding in news], "text": text[:500]})
    log.warning(f"[canary:{mall}] 페이지가 달라짐: {text}{' → 일시 중지' if held else ''}")


def _drifted(cur: Cursor, mall: str, finding: Finding, *, paused: bool) -> bool:
    return health.drifted(
        cur, mall, finding.sign, finding.text, value=finding.value, usual=finding.usual, paused=paused
    )


def _let_go(cur: Cursor, mall: str, product: str, looked: Page | SourceFailure, usual: Mapping[str, Tally]) -> None:
    """The known product reads: what was open ends, unless searches still bring less than they used to."""
    ended = health.recovered(cur, mall)
    if health.release(cur, mall, who=WHO):
        log.info(f"[canary:{mall}] 다시 읽힘 → 재개")
    if ended:
        audit.note(cur, WHO, "recovered", mall, {"signs": ended})
    if not isinstance(looked, SourceFailure):
        offers = shape.known(looked.offers, product)
        health.record(cur, mall, {shape.PRICE: (1, shape.middle(offers))})
    for loss in shape.judge(health.between(cur, mall, 1, -1), usual, drop=runtime.settings.canary.drop):
        _drifted(cur, mall, Finding(loss.sign, loss.text, loss.value, loss.usual), paused=False)
        log.warning(f"[{mall}] {loss.text}")
