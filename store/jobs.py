"""Rows of `job`. Every transition is one conditional UPDATE: no row means that someone else was there first."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model import Job, JobStatus, Priority, Product
from store.pool import Json
from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from store.pool import Cursor

SQL = beside(__file__)


ANSWER_OPTIONS = ("fallback", "allow_used", "allow_overseas")
"""Options that change what is found: a search with one of them is another question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asker:
    """Who wants a search, and who is to be told of its end."""

    api_key_id: int | None = None
    batch_id: str | None = None
    callback_url: str | None = None
    """Checked already; told when the search ends."""
    signer: str = ""
    """Whose secret signs that message."""


def dedupe_key(product: Product, options: Mapping[str, Any] | None = None) -> str:
    """The identity of a question: width, case and spacing do not make another one. 64 hex digits."""
    chosen = [f"{name}={options[name]}" for name in ANSWER_OPTIONS if options and options.get(name)]
    return _folded_hash(product.code, product.name, product.specification, *chosen)


def derived_code(name: str, specification: str) -> str:
    """A product code for whoever has none: the same for the same question."""
    return f"Q-{_folded_hash(name, specification)[:10]}"


def _folded_hash(*parts: str) -> str:
    folded = "\n".join(" ".join(unicodedata.normalize("NFKC", part).casefold().split()) for part in parts)
    return hashlib.sha256(folded.encode("utf-8", "replace")).hexdigest()


def submit(
    cur: Cursor,
    product: Product,
    *,
    priority: Priority,
    deadline_s: float,
    trace_id: str,
    options: dict[str, Any],
    asker: Asker | None = None,
) -> str | None:
    """Insert a PENDING job and return its id; None when the same product is already being searched."""
    cur.execute(
        SQL["submit"],
        {
            "code": product.code,
            "name": product.name,
            "specification": product.specification,
            "key": dedupe_key(product, options),
            "priority": int(priority),
            "deadline_s": deadline_s,
            "trace_id": trace_id,
            "options": Json(options),
            "api_key_id": asker.api_key_id if asker else None,
            "batch_id": asker.batch_id if asker else None,
        },
    )
    row = cur.fetchone()
    return row[0] if row else None


def active(cur: Cursor, key: str) -> Job | None:
    """The PENDING or RUNNING job of a dedupe key."""
    cur.execute(SQL["active"], (key,))
    return _one(cur)


def fresh(cur: Cursor, key: str, fresh_s: float) -> Job | None:
    """The newest complete DONE job of a dedupe key, finished within the last `fresh_s` seconds."""
    cur.execute(SQL["fresh"], (key, fresh_s))
    return _one(cur)


def latest(cur: Cursor, key: str) -> Job | None:
    """The newest DONE job of a dedupe key."""
    cur.execute(SQL["latest"], (key,))
    return _one(cur)


def get(cur: Cursor, job_id: str) -> Job | None:
    """One job by its id (a UUID in text form)."""
    cur.execute(SQL["get"], (job_id,))
    return _one(cur)


def stamp(cur: Cursor, job_id: str) -> str | None:
    """A text that is another one whenever the search has moved; None when there is no such job."""
    cur.execute(SQL["stamp"], (job_id,))
    row = cur.fetchone()
    return row[0] if row else None


def batch_of(cur: Cursor, job_id: str) -> str | None:
    """The id of the batch that a search was made for."""
    cur.execute(SQL["batch_of"], (job_id,))
    row = cur.fetchone()
    return row[0] if row else None


def recent(cur: Cursor, limit: int) -> list[Job]:
    """The newest jobs, newest first."""
    cur.execute(SQL["recent"], (limit,))
    return _all(cur)


def of_product(cur: Cursor, product_code: str, limit: int) -> list[Job]:
    """The newest jobs of a product, newest first."""
    cur.execute(SQL["of_product"], (product_code, limit))
    return _all(cur)


@dataclass(frozen=True, slots=True)
class Open:
    """An open job whose row this transaction holds."""

    round: int
    priority: int


def lock(cur: Cursor, job_id: str) -> Open | None:
    """Hold the row of an open job until the transaction ends; None when the job is final."""
    cur.execute(SQL["lock"], (job_id,))
    row = cur.fetchone()
    return Open(*row) if row else None


def advance(cur: Cursor, job_id: str, round_: int) -> int | None:
    """Begin the round after `round_`; None when another worker did, or the job is final."""
    cur.execute(SQL["advance"], (job_id, round_))
    row = cur.fetchone()
    return row[0] if row else None


def finish(cur: Cursor, job_id: str, result: dict[str, Any]) -> bool:
    """The job is DONE with this result; False when it was final already."""
    cur.execute(SQL["finish"], (Json(result), job_id))
    return bool(cur.rowcount)


def die(cur: Cursor, job_id: str, error: str, result: dict[str, Any] | None = None) -> bool:
    """The job is DEAD for this reason; False when it was final already."""
    cur.execute(SQL["die"], (Json(result) if result else None, error, job_id))
    return bool(cur.rowcount)


def cancel(cur: Cursor, job_id: str, reason: str) -> bool:
    """The job is CANCELLED; False when it was final already."""
    cur.execute(SQL["cancel"], (reason, job_id))
    return bool(cur.rowcount)


def hold(cur: Cursor, job_id: str) -> Job | None:
    """One job of whatever status; its row is held until the transaction ends."""
    cur.execute(SQL["hold"], (job_id,))
    return _one(cur)


def reopen(cur: Cursor, job_id: str, *, rounds: int, seconds: float) -> int:
    """The job, unless it is cancelled, runs again, `rounds` (0 or 1) later, with this much time; gives its round.

    Raises:
        UniqueViolation: the same product is being searched by another job.
    """
    cur.execute(SQL["reopen"], {"job_id": job_id, "rounds": rounds, "seconds": seconds})
    return int(cur.fetchone()[0])


def overdue(cur: Cursor, limit: int) -> list[str]:
    """Ids of searches past their deadline with a source still open; the rows are held."""
    cur.execute(SQL["overdue"], (limit,))
    return [row[0] for row in cur.fetchall()]


def _one(cur: Cursor) -> Job | None:
    row = cur.fetchone()
    if row is None:
        return None
    return _job(dict(zip([column.name for column in cur.description], row, strict=True)))


def _all(cur: Cursor) -> list[Job]:
    names = [column.name for column in cur.description]
    return [_job(dict(zip(names, row, strict=True))) for row in cur.fetchall()]


def _job(row: dict[str, Any]) -> Job:
    product = Product(code=row["product_code"], name=row["product_name"], specification=row["specification"])
    return Job(
        job_id=str(row["job_id"]),
        status=JobStatus(row["status"]),
        product=product,
        round=row["round"],
        dedupe_key=row["dedupe_key"],
        deadline_at=row["deadline_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        finished_at=row["finished_at"],
        result=row["result"],
        error=row["error"],
        priority=row["priority"],
        started_at=row["started_at"],
        trace_id=row["trace_id"],
        options=row["options"],
    )
