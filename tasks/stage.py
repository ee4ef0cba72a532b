"""The one frame of the stages that read a mall: take up, climb the query ladder, hand on."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ai import gate, queries, spec
from errors import DeadlineExceeded, Retry, Rotate, SourceFailure, Stop, UpstreamTimeout
from model import FALLBACK, SourceOutcome, SourceReport
from store import health, offers
from tasks import evidence, flow, room
from tasks.middleware import backoff_s
from tasks.queue import current_message
from tasks.runtime import runtime

if TYPE_CHECKING:
    from crawl import Page
    from model import Offer
    from store.offers import Begun
    from tasks.queue import Delivery


def read_source(mall: str, job_id: str) -> None:
    """Read one mall for one job and hand on, exactly once however often this runs.

    Steps: 1. take the source up; nothing is left to do when the job is final or the mall has been read.
    2. ask, within the mall's own deadline and the search's. 3. store what came and, as the last source, send match.

    Raises:
        Retry: the queue tries again; after the last try `flow.dead` gives the source up.
        Lost: another worker has this message now.
    """
    with runtime.pool.autocommit() as cur:
        begun = offers.begin_source(cur, job_id, mall)
    if begun is None:
        return
    message = current_message()
    room.enter(mall, message)
    report = ask(begun)
    with runtime.broker.effect(message, outcome=report.outcome, mall=mall) as cur:
        if report.outcome is SourceOutcome.DRIFT:
            health.drifted(cur, mall, "search", report.error)
        flow.source_done(cur, job_id, report, message.fence)


def ask(begun: Begun) -> SourceReport:
    """Everything this mall answers, or the typed reason why it could not be read.

    Raises:
        Retry: trying again later may help, and there is time for it.
    """
    started = time.monotonic()
    allowed_s = min(runtime.settings.mall(begun.mall).deadline_s, begun.left_s)
    report = SourceReport(mall=begun.mall, outcome=SourceOutcome.EMPTY)
    try:
        if allowed_s <= 0:
            raise DeadlineExceeded("the search's deadline passed before this mall was asked")
        report = climb(begun, report, started + allowed_s)
    except Retry as error:
        spent_s = time.monotonic() - started
        if isinstance(error, UpstreamTimeout) and spent_s >= allowed_s:
            report = _failed(report, DeadlineExceeded(str(error)))
        elif not _again_in_time(begun, error, spent_s):
            report = _failed(report, error)
        else:
            raise
    except (Rotate, Stop) as error:
        report = _failed(report, error)
    return replace(report, took_ms=round((time.monotonic() - started) * 1000))


def _again_in_time(begun: Begun, error: Retry, spent_s: float) -> bool:
    """Whether the next try begins before the search has ended and, at a fallback mall, before its own time is over."""
    wait_s = error.after_s or 0
    if begun.mall not in FALLBACK:
        return wait_s < begun.left_s - spent_s
    # The queue waits just so long then.
    error.after_s = wait_s = max(wait_s, backoff_s(runtime.broker, current_message(), error))
    own_s = runtime.settings.mall(begun.mall).deadline_s - begun.since_s
    return wait_s < min(own_s, begun.left_s) - spent_s


def climb(begun: Begun, report: SourceReport, deadline: float) -> SourceReport:
    """Ask rung by rung until an offer survives the gate; every rung's offers count once."""
    wanted = spec.read(begun.product.name, begun.product.specification)
    rungs = queries.ladder(begun.product, runtime.settings.mall(begun.mall).rungs)
    for query in rungs:
        page = fetch(begun.mall, query, deadline)
        new = unseen(report.offers, page.offers)
        report = replace(
            report,
            outcome=SourceOutcome.OK if report.offers or new else SourceOutcome.EMPTY,
            kind=report.kind or page.kind,
            offers=(*report.offers, *new),
            cards=report.cards + page.cards,
            size_bytes=report.size_bytes + page.size_bytes,
            queries=(*report.queries, query),
        )
        if any(gate.judge(wanted, offer).verdict != "reject" for offer in new):
            break
    return report


def fetch(mall: str, query: str, deadline: float) -> Page:
    """One request; ended early when its search is cancelled or the message has a new owner.

    Raises:
        Lost: it was.
        SourceFailure: as `runtime.fetch`.
    """
    message, crawler, thread = current_message(), runtime.crawler, threading.get_ident()
    room.await_turn(mall, message, deadline)
    message.check()
    with message.lost.calling(lambda: crawler.abort(thread)):
        try:
            page = runtime.fetch(mall, query, deadline)
        except SourceFailure as error:
            message.check()
            evidence.observe(_job(message), mall, query, error.seen)
            raise
    evidence.observe(_job(message), mall, query, page.seen)
    return page


def _job(message: Delivery) -> str | None:
    return str(message.job_id) if message.job_id else None


def unseen(have: tuple[Offer, ...], come: tuple[Offer, ...]) -> tuple[Offer, ...]:
    """Of the offers that come, those that are not there yet, ranked behind them."""
    known = {(offer.mall_item_id or offer.url, offer.name) for offer in have}
    fresh = [offer for offer in come if (offer.mall_item_id or offer.url, offer.name) not in known]
    return tuple(replace(offer, rank=len(have) + offer.rank) for offer in fresh) if have else tuple(fresh)


def _failed(report: SourceReport, error: SourceFailure) -> SourceReport:
    """A later rung that fails takes nothing from what earlier rungs brought, but the source is not complete."""
    request_no = error.ip_request_no if isinstance(error, Rotate) else 0
    return replace(report, outcome=error.outcome, kind=error.kind, error=str(error), ip_request_no=request_no)
