"""Many products from one file, searched a few at a time, behind interactive searches.

preview ─► running ⇄ paused ─► done | cancelled. While a batch runs, [bulk] at_once of its searches are under way: each
one that ends sends `bulk`, which starts the next. Nothing of a file is searched before its owner says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dramatiq

from errors import BadProduct, NotFound, OverBudget
from model import Priority, Product
from store import audit, batches, jobs
from store.batches import File, Row
from store.jobs import Asker
from tasks import operate, tablefile
from tasks.runtime import runtime
from tasks.submit import Wanted, check, submit_in
from tasks.tablefile import BadFile

if TYPE_CHECKING:
    from store.batches import State
    from store.pool import Cursor

__all__ = ["BadFile", "NotFound"]

COLUMNS = {
    "product_name": (
        *("productname", "name", "product", "title", "item"),
        *("상품명", "제품명", "품명", "품목명", "상품", "품목"),
    ),
    "specification": ("specification", "spec", "option", "규격", "사양", "옵션", "상세규격", "규격사양"),
    "product_code": (
        *("productcode", "code", "sku", "itemcode"),
        *("상품코드", "제품코드", "품목코드", "품번", "코드", "자체코드", "관리코드"),
    ),
}
"""What a column may be called, without spaces and signs."""
PER_TURN = 50
"""Rows one turn starts at most."""
_SPACES = re.compile(r"\s+")
_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a batch will probably take."""

    searches: int
    usd: float
    seconds: float
    based_on: int
    """How many finished searches it is judged by; 0 = it cannot be said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Owner:
    """Who sends a file."""

    who: str
    api_key_id: int | None = None


def preview(data: bytes, owner: Owner, *, name: str, file_name: str, options: dict[str, Any] | None = None) -> str:
    """Read and judge a file, and store it; the batch's id. Nothing is searched yet.

    Raises:
        BadFile: it cannot be read, or has no column of product names (`no_name_column`).
    """
    table = tablefile.read(data, runtime.settings.bulk.max_rows)
    columns = find_columns(table.header)
    if "product_name" not in columns:
        raise BadFile("no_name_column")
    options = options or {}
    rows = [_judge(number, cells, columns, table.header, options) for number, cells in table.rows]
    _find_twins(rows)
    with runtime.pool.transaction() as cur:
        keys = [row.key for row in rows if row.kind == "new" and row.key]
        known = batches.answered(cur, keys, runtime.settings.search.fresh_s)
        for row in rows:
            if row.kind == "new" and row.key in known:
                row.kind, row.job_id = "fresh", known[row.key]
        file = File(
            name=name or file_name,
            file_name=file_name,
            header=table.header,
            columns=columns,
            options=options,
            rows=rows,
            who=owner.who,
            api_key_id=owner.api_key_id,
        )
        batch_id = batches.add(cur, file)
        audit.note(cur, owner.who, "batch.preview", batch_id, {"file": file_name, "rows": len(rows)})
    return batch_id


def find_columns(header: list[str]) -> dict[str, int]:
    """Which column is what, by its name."""
    names = [_SIGNS.sub("", title).casefold() for title in header]
    found = {}
    for what, words in COLUMNS.items():
        place = next((names.index(word) for word in words if word in names), None)
        if place is not None:
            found[what] = place
    return found


def _judge(number: int, cells: list[Any], columns: dict[str, int], header: list[str], options: dict[str, Any]) -> Row:
    row = Row(n=number, cells=cells)
    text = {what: _SPACES.sub(" ", str(cells[place])).strip() for what, place in columns.items()}
    row.name, row.specification = text["product_name"], text.get("specification", "")
    row.code = text.get("product_code", "") or jobs.derived_code(row.name, row.specification)
    product = Product(code=row.code, name=row.name, specification=row.specification)
    try:
        check(product)
    except BadProduct as bad:
        place = columns.get(bad.kind, columns["product_name"])
        row.kind = "error"
        row.errors = [{"column": header[place], "column_no": place + 1, "text": str(bad)}]
        return row
    row.key = jobs.dedupe_key(product, options)
    return row


def _find_twins(rows: list[Row]) -> None:
    first: dict[str, int] = {}
    for row in rows:
        if row.key is not None and first.setdefault(row.key, row.n) != row.n:
            row.kind, row.same_as = "duplicate", first[row.key]


def estimate(cur: Cursor, searches: int) -> Estimate:
    """What so many searches cost and how long they take, by the last ones."""
    based_on, usd, seconds = batches.typical(cur)
    at_once = runtime.settings.bulk.at_once
    return Estimate(searches, round(usd * searches, 4), round(seconds * searches / at_once, 1), based_on)


def start(batch_id: str, *, who: str) -> bool:
    """Search the file, or go on after a pause; False when it is in neither state.

    Raises:
        NotFound: no such batch.
    """
    return _turn_to(batch_id, "running", ("preview", "paused"), who=who, action="batch.start")


def pause(batch_id: str, *, who: str) -> bool:
    """Start no further search; those under way end. False when it does not run.

    Raises:
        NotFound: no such batch.
    """
    return _turn_to(batch_id, "paused", ("running",), who=who, action="batch.pause")


def cancel(batch_id: str, *, who: str) -> bool:
    """Give the rest up, searches under way too; False when it has ended.

    Raises:
        NotFound: no such batch.
    """
    if not _turn_to(batch_id, "cancelled", ("preview", "running", "paused"), who=who, action="batch.cancel"):
        return False
    with runtime.pool.autocommit() as cur:
        under_way = batches.open_jobs(cur, batch_id)
    for job_id in under_way:
        operate.cancel(job_id, who=who, reason=f"batch {batch_id}")
    return True


def _turn_to(batch_id: str, to: State, of: tuple[State, ...], *, who: str, action: str) -> bool:
    with runtime.pool.transaction() as cur:
        if batches.hold(cur, batch_id) is None:
            raise NotFound(f"there is no batch {batch_id}")
        if not batches.move(cur, batch_id, to, of):
            return False
        audit.note(cur, who, action, batch_id)
        if to == "running":
            feed(cur, batch_id)
        return True


def feed(cur: Cursor, batch_id: str) -> int:
    """Start as many searches as there is room for, in this transaction, or end the batch; how many were started."""
    held = batches.hold(cur, batch_id)
    if held is None or held.state != "running":
        return 0
    room = runtime.settings.bulk.at_once - batches.searching(cur, batch_id)
    rows = batches.waiting(cur, batch_id, PER_TURN)
    started = 0
    asker = Asker(api_key_id=held.api_key_id, batch_id=batch_id)
    for n, code, name, specification in rows:
        if started >= room:
            break
        wanted = Wanted(
            product=Product(code=code, name=name, specification=specification), options=held.options, asker=asker
        )
        try:
            submitted = submit_in(cur, wanted, Priority.BATCH)
        except OverBudget as over:
            batches.move(cur, batch_id, "paused", ("running",), reason=str(over))
            return started
        batches.assign(cur, batch_id, n, submitted.job_id)
        started += not submitted.cached and not submitted.deduped
    if len(rows) == PER_TURN and started < room:
        # Answered rows cost nothing: on to the next ones at once.
        send(cur, batch_id, f"more after {rows[-1][0]}")
    elif not rows and not batches.has_open_rows(cur, batch_id):
        batches.move(cur, batch_id, "done", ("running",))
    return started


def send(cur: Cursor, batch_id: str, step: str) -> None:
    """Have a worker feed the batch."""
    message = runtime.broker.message("bulk", batch_id, job=batch_id, step=step, priority=Priority.BATCH)
    runtime.broker.enqueue_in(cur, message)


def keep_going() -> None:
    """Feed every batch under way: whatever was lost, it goes on within a minute."""
    with runtime.pool.autocommit() as cur:
        under_way = batches.running(cur)
    for batch_id in under_way:
        with runtime.pool.transaction() as cur:
            feed(cur, batch_id)


@dramatiq.actor(queue_name="ops")
def bulk(batch_id: str) -> None:
    """Start the next searches of a batch."""
    with runtime.pool.transaction() as cur:
        feed(cur, batch_id)
