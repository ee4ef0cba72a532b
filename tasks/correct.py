"""A person says of an offer that it is, or is not, the product: it wins from the next match on, and is kept as a case.

The same functions for the command line and the pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ai.cache import pair
from errors import NotFound
from model import Reason, Same
from store import audit, decisions, offers
from tasks.judging import found as search
from tasks.judging import wishes
from tasks.queue.payload import clean
from tasks.runtime import runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from model import Decision, Job
    from store.pool import Cursor


def correct(job_id: str, which: str, verdict: Same, *, who: str, why: str, reason: Reason | None = None) -> Decision:
    """Keep a person's word on one offer of a search; returns the offer as it was decided.

    It holds for every offer with this title, for this name and specification, whatever the rules, the model or their
    versions say. The finished search stays as it is: search again to see the other result.

    Args:
        job_id: whose offer.
        which: the offer's number in `lps explain` (from 1), its id at the mall, or its whole title.
        verdict: same or different.
        who: who says so.
        why: in words; must not be empty.
        reason: the class of the difference; "unknown" when not given.

    Raises:
        NotFound: no such job or offer.
        ValueError: unsure is no correction; `why` is empty.
    """
    if verdict is Same.UNSURE:
        raise ValueError("a correction says same or different")
    why = clean(why).strip()
    if not why:
        raise ValueError("say why: it is kept with the case")
    said = Reason.OK if verdict is Same.SAME else reason or Reason.UNKNOWN
    with runtime.pool.transaction() as cur:
        job, found = _of_job(cur, job_id)
        decision = _chosen(found, which)
        used, overseas = wishes(job)
        both = pair(job.product, decision.offer.name, used=used, overseas=overseas)
        decisions.correct(cur, both, verdict, said, who=who, why=why)
        detail = {"title": clean(decision.offer.name), "was": decision.verdict, "is": verdict, "why": why}
        audit.note(cur, who, "correct", job_id, detail)
    return decision


def cases() -> list[dict[str, Any]]:
    """Every correction as a labelled case, JSON-ready, oldest first."""
    with runtime.pool.transaction() as cur:
        return decisions.labelled(cur)


def _of_job(cur: Cursor, job_id: str) -> tuple[Job, list[Decision]]:
    return search(cur, job_id), offers.decisions(cur, job_id)


def _chosen(found: Sequence[Decision], which: str) -> Decision:
    for number, decision in enumerate(found, 1):
        offer = decision.offer
        if which in (str(number), offer.mall_item_id, offer.name):
            return decision
    raise NotFound(f"this search has no offer {which!r}: `lps explain` numbers them from 1 to {len(found)}")
