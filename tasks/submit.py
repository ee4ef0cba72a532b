"""Takes a product and starts its search, or hands back the search that answers it already.

After    the web form, JSON, the command line          Then   naver, coupang
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from errors import BadProduct
from model import JobStatus, Priority, Product, Submitted
from store import callbacks, jobs, prices
from store.jobs import Asker
from tasks import flow, letters, money
from tasks.runtime import runtime

if TYPE_CHECKING:
    from model import Job
    from store.pool import Cursor

MAX_CODE_CHARS = 64
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def submit(
    product: Product,
    *,
    again: bool = False,
    priority: Priority = Priority.INTERACTIVE,
    deadline_s: float | None = None,
    options: dict[str, Any] | None = None,
    asker: Asker | None = None,
) -> Submitted:
    """Start a search: job, sources and first messages in one transaction.

    Args:
        product: what is wanted; `check` says what may stand in it.
        again: search even if a fresh answer, or a fresh "nothing found", is there.
        priority: which messages go first.
        deadline_s: seconds for the whole search; by default `[search] deadline_s`.
        options: stored with the job as they are; read are `fallback` (as `[search] fallback`, for this search),
            `allow_used` and `allow_overseas`.
        asker: who wants it, and who is to be told of its end.

    Returns:
        The job: a new one, the one already searching for the same product (`deduped`), or the one whose answer is still
        fresh (`cached`).

    Raises:
        BadProduct: names the field; nothing was stored.
        OverBudget: no money is left, and `[money] over` is "refuse"; nothing was stored.
        DatabaseDown: nothing was stored.
    """
    check(product)
    wanted = Wanted(product=product, again=again, deadline_s=deadline_s, options=options or {}, asker=asker or Asker())
    with runtime.pool.transaction() as cur:
        return submit_in(cur, wanted, priority)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """One search to start, checked."""

    product: Product
    again: bool = False
    deadline_s: float | None = None
    options: dict[str, Any]
    asker: Asker


def submit_in(cur: Cursor, wanted: Wanted, priority: Priority) -> Submitted:
    """As `submit`, for a checked product, in the caller's transaction."""
    search, asker = runtime.settings.search, wanted.asker
    key = jobs.dedupe_key(wanted.product, wanted.options)
    answered = None if wanted.again else _answered(cur, key)
    if answered:
        if _wish(cur, answered.job_id, asker):
            letters.ended(cur, answered.job_id)
        return Submitted(job_id=answered.job_id, status=answered.status, cached=True)
    money.admit(cur)
    while True:
        job_id = jobs.submit(
            cur,
            wanted.product,
            priority=priority,
            deadline_s=wanted.deadline_s or search.deadline_s,
            trace_id=uuid.uuid4().hex,
            options=wanted.options,
            asker=asker,
        )
        if job_id:
            _wish(cur, job_id, asker)
            flow.submitted(cur, job_id, int(priority))
            return Submitted(job_id=job_id, status=JobStatus.PENDING)
        active = jobs.active(cur, key)
        # Who wants to be told holds the row: the search cannot end without seeing the wish.
        if active and (not asker.callback_url or jobs.lock(cur, active.job_id)):
            _wish(cur, active.job_id, asker)
            return Submitted(job_id=active.job_id, status=active.status, deduped=True)
        # The search that was in the way has just ended: the next turn inserts.


def _wish(cur: Cursor, job_id: str, asker: Asker) -> bool:
    if asker.callback_url is None:
        return False
    callbacks.wish(cur, job_id, asker.callback_url, asker.signer)
    return True


def check(product: Product) -> None:
    """Refuse what cannot be searched for.

    Raises:
        BadProduct: `kind` is the field, the text says what is wrong with it.
    """
    search = runtime.settings.search
    limits = {
        "product_code": (product.code, 1, MAX_CODE_CHARS),
        "product_name": (product.name, 1, search.max_name_chars),
        "specification": (product.specification, 0, search.max_spec_chars),
    }
    for field, (text, least, most) in limits.items():
        if _CONTROL.search(text):
            raise BadProduct(f"{field} holds a control character", kind=field)
        if len(text.strip()) < least:
            raise BadProduct(f"{field} is empty", kind=field)
        if len(text) > most:
            raise BadProduct(f"{field} has {len(text)} characters, {most} are allowed", kind=field)
    if not re.search(r"\w", product.name):
        raise BadProduct("product_name holds no letter or digit", kind="product_name")


def _answered(cur: Cursor, key: str) -> Job | None:
    """The job whose answer still stands: a fresh result, or a product known to be absent."""
    fresh = jobs.fresh(cur, key, runtime.settings.search.fresh_s)
    if fresh is None and prices.absent(cur, key):
        return jobs.latest(cur, key)
    return fresh
