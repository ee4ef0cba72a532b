"""Reads the kept pages of a search with today's parsers: what would be seen differently, and who would win."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import crawl
from errors import EvidenceFailure, NotFound
from store import evidence, offers
from tasks import stage
from tasks.evidence import folder
from tasks.judging import found as search
from tasks.judging import judged
from tasks.runtime import runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from model import Job, JobSource, Offer
    from store.evidence import Evidence


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRead:
    """One kept page, then and now."""

    mall: str
    query: str
    sha256: str
    was: str
    """Outcome and kind as stored: `drift price`."""
    now: str
    """The same today; empty when the page cannot be read back."""
    offers: tuple[Offer, ...] = ()
    error: str = ""
    """Why it cannot be read back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MallRead:
    """One mall of the search: its offers as stored against what its kept pages hold today."""

    mall: str
    pages: tuple[PageRead, ...]
    added: tuple[Offer, ...] = ()
    removed: tuple[Offer, ...] = ()
    changed: tuple[tuple[Offer, dict[str, tuple[Any, Any]]], ...] = ()
    """(today's offer, field → (then, now))."""
    complete: bool = True
    """False: not every page could be read back, so its stored offers stand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reparsed:
    """What today's parsers make of a search."""

    job: Job
    malls: tuple[MallRead, ...]
    stored: dict[str, Any] | None
    """`lowest` of the stored result."""
    was: Offer | None
    now: Offer | None
    """Who wins under the rules alone, on the stored offers and on today's."""

    @property
    def same_winner(self) -> bool:
        """Whether nothing would change for the buyer."""
        return _price(self.was) == _price(self.now)


def reparse(job_id: str) -> Reparsed:
    """Read what was kept of a search again; nothing is stored.

    Raises:
        NotFound: no such job, or nothing of it is kept.
    """
    with runtime.pool.autocommit() as cur:
        job = search(cur, job_id)
        rows = [row for row in evidence.of_job(cur, job_id) if row.media == "page"]
        sources = offers.sources(cur, job_id)
    if not rows:
        raise NotFound(f"nothing is kept of job {job_id}: past its days")
    malls = tuple(_mall(source, [row for row in rows if row.mall == source.mall]) for source in sources)
    then = [offer for source in sources for offer in _stored(source)]
    now = [offer for source, mall in zip(sources, malls, strict=True) for offer in _today(source, mall)]
    lowest = (job.result or {}).get("lowest")
    return Reparsed(job=job, malls=malls, stored=lowest, was=_winner(job, then), now=_winner(job, now))


def _mall(source: JobSource, rows: Sequence[Evidence]) -> MallRead:
    pages = tuple(_page(row) for row in rows)
    read = MallRead(mall=source.mall, pages=pages, complete=bool(pages) and not any(page.error for page in pages))
    if not read.complete:
        return read
    then, now = _by_key(_stored(source)), _by_key(_today(source, read))
    changed = ((now[key], _differences(then[key], now[key])) for key in now if key in then)
    return MallRead(
        mall=source.mall,
        pages=pages,
        added=tuple(offer for key, offer in now.items() if key not in then),
        removed=tuple(offer for key, offer in then.items() if key not in now),
        changed=tuple((offer, fields) for offer, fields in changed if fields),
    )


def _page(row: Evidence) -> PageRead:
    said = f"{row.outcome} {row.kind}".strip()
    try:
        body = folder().get(row.sha256)
    except EvidenceFailure as error:
        return PageRead(mall=row.mall, query=row.query, sha256=row.sha256, was=said, now="", error=str(error))
    reading = crawl.parse_file(row.mall, body, url=row.url, status=row.status, charset=row.charset)
    found = reading.parsed.offers if reading.outcome.answered else ()
    now = f"{reading.outcome} {reading.kind}".strip()
    return PageRead(mall=row.mall, query=row.query, sha256=row.sha256, was=said, now=now, offers=found)


def _stored(source: JobSource) -> tuple[Offer, ...]:
    return source.report.offers if source.report else ()


def _today(source: JobSource, mall: MallRead) -> tuple[Offer, ...]:
    """The mall's offers as its stage would put them together from those pages."""
    if not mall.complete:
        return _stored(source)
    found: tuple[Offer, ...] = ()
    for page in mall.pages:
        found = (*found, *stage.unseen(found, page.offers))
    return found


def _by_key(found: Sequence[Offer]) -> dict[str, Offer]:
    by_key: dict[str, Offer] = {}
    for offer in found:
        by_key.setdefault(offer.mall_item_id or offer.url, offer)
    return by_key


def _differences(then: Offer, now: Offer) -> dict[str, tuple[Any, Any]]:
    old, new = then.to_json(), now.to_json()
    return {field: (old[field], new[field]) for field in new if field != "rank" and old[field] != new[field]}


def _winner(job: Job, found: Sequence[Offer]) -> Offer | None:
    winner = judged(job, found).winner
    return winner.offer if winner else None


def _price(offer: Offer | None) -> tuple[str, str | None, int] | None:
    return (offer.mall, offer.mall_item_id or offer.url, offer.price_krw) if offer else None
