"""What every answer of a mall leaves behind: its body in the folder, a row that names it, and how well its cards read.

None of it holds a search up: a full disk is a warning.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from crawl import health as shape
from crawl.evidence import Folder
from errors import EvidenceFailure
from store import evidence, health
from store.evidence import Evidence
from tasks.result import winners
from tasks.runtime import runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawl import Seen
    from model import Decision
    from store.pool import Cursor

LOOSE_S = 3600.0
"""How long a page that answered is kept while nobody knows whether it is needed: its search may be taken up again."""
DAY_S = 86_400.0
_SECRET = re.compile(r"([?&](?:key|secret|token|api_?key)=)[^&#]*", re.IGNORECASE)
log = structlog.get_logger("lps.evidence")


def folder() -> Folder:
    """This machine's folder of bodies: one for each world, so that neither clears the other's away."""
    settings = runtime.settings
    own = Path(__file__).resolve().parent.parent / ".lps" / "evidence"
    return Folder((Path(settings.evidence.dir) if settings.evidence.dir else own) / settings.origin)


def observe(job_id: str | None, mall: str, query: str, seen: Sequence[Seen]) -> list[Evidence]:
    """Keep what a mall answered to one request, and add its cards to the hour.

    Args:
        job_id: whose search it was; None when nobody's.
        mall: who answered.
        query: what was asked.
        seen: the answers, with what they mean.

    Returns:
        The rows as stored.

    Raises:
        DatabaseDown: nothing was stored.
    """
    rows = [row for one in seen for row in _kept(job_id, mall, query, one)]
    if not seen:
        return rows
    with runtime.pool.transaction() as cur:
        for one in seen:
            health.record(cur, mall, shape.tally(one.reading.parsed))
        for row in rows:
            evidence.add(cur, row)
    return rows


def settle(cur: Cursor, job_id: str, decisions: Sequence[Decision]) -> None:
    """A search has ended: the pages of the winner's and the runner-up's mall are kept, in this transaction."""
    malls = list(dict.fromkeys(decision.offer.mall for decision in winners(decisions)[:2]))
    if malls:
        evidence.settle(cur, job_id, malls)


def prune() -> int:
    """Delete rows past their days and the bodies that no row names any more; how many rows."""
    days, files, gone = runtime.settings.evidence.keep_days, folder(), 0
    while True:
        with runtime.pool.transaction() as cur:
            count, hashes = evidence.forget(cur, keep_days=days, loose_s=LOOSE_S)
        files.remove(hashes)
        gone += count
        if not count:
            break
    # A body whose row never came to be, or whose row another machine deleted.
    orphans = list(files.old((days + 1) * DAY_S))
    with runtime.pool.autocommit() as cur:
        named = evidence.named(cur, orphans) if orphans else set()
    files.remove(name for name in orphans if name not in named)
    return gone


def _kept(job_id: str | None, mall: str, query: str, one: Seen) -> list[Evidence]:
    """The rows of one answer, its bodies written; none when nothing is to be kept, or can be."""
    if runtime.settings.evidence.keep == "none":
        return []
    content, shot = one.body.content, one.body.screenshot
    bodies = {"page": content.encode("utf-8", "replace") if isinstance(content, str) else content}
    if shot:
        bodies["screenshot"] = shot
    try:
        return [_row(job_id, mall, query, one, media, body) for media, body in bodies.items()]
    except EvidenceFailure as error:
        log.warning(f"evidence is not kept: {error}", mall=mall)
        return []


def _row(job_id: str | None, mall: str, query: str, one: Seen, media: str, body: bytes) -> Evidence:
    reading, came = one.reading, one.body
    return Evidence(
        job_id=job_id,
        mall=mall,
        query=query,
        url=_SECRET.sub(r"\g<1>…", came.url),
        media=media,
        status=came.status,
        charset="utf-8" if isinstance(came.content, str) else came.charset,
        outcome=reading.outcome.value,
        kind=reading.kind,
        sha256=folder().put(body),
        size_bytes=len(body),
        fetched_at=datetime.now(UTC),
        keep=runtime.settings.evidence.keep == "all" or not reading.outcome.answered,
    )
