"""Files of products: preview, start, pause, resume, cancel, follow, results."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal

from flask import request
from pydantic import Field

import store.batches
from model import JobStatus
from web import answers, auth, batchfile, present, service, submission
from web.api import batch_models as models
from web.api.kit import Api, Query
from web.api.searches import count_against_key
from web.parts import here
from web.problem import Problem

if TYPE_CHECKING:
    from flask import Response

api = Api("batches", "Batches")
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
UPLOADS = ("text/csv", XLSX, "application/octet-stream")
MAX_FILE_BYTES = 5 * 1024 * 1024 + 1024


class Upload(Query):
    """How a file is to be searched."""

    name: Annotated[submission.Text, Field(max_length=100)] = ""
    file_name: Annotated[submission.Text, Field(max_length=200)] = ""
    fallback: Literal["when_unmatched", "always", "never"] | None = None
    allow_used: bool = False
    allow_overseas: bool = False

    def options(self) -> dict[str, Any]:
        """As `submission.Search.options`."""
        chosen = {"fallback": self.fallback, "allow_used": self.allow_used, "allow_overseas": self.allow_overseas}
        return {name: value for name, value in chosen.items() if value}


def take_file(data: bytes, query: Upload) -> str:
    """Read a file into a new batch; its id.

    Raises:
        Problem: LPS_BAD_FILE, whose error names what is wrong and in which row.
    """
    bulk = here().bulk
    caller = auth.current()
    owner = bulk.Owner(who=caller.who, api_key_id=caller.api_key_id)
    try:
        batch_id: str = bulk.preview(
            data, owner, name=query.name, file_name=query.file_name or "upload", options=query.options()
        )
    except bulk.BadFile as bad:
        field = f"row {bad.values['row']}" if bad.values.get("row") else "file"
        raise Problem("LPS_BAD_FILE", errors=[submission.error(field, bad.code, **bad.values)]) from None
    return batch_id


@api.route(
    "POST", "/batches", "buyer", query=Upload, upload=UPLOADS, answers={201: models.Batch}, max_body=MAX_FILE_BYTES
)
def upload(query: Upload) -> Response:
    """Send a CSV (UTF-8 or CP949) or XLSX as the body: it is read and judged, nothing is searched yet."""
    batch_id = take_file(request.get_data(), query)
    return answers.json(view(batch_id), HTTPStatus.CREATED, {"Location": f"/v1/lps/batches/{batch_id}"})


def view(batch_id: str) -> dict[str, Any]:
    """One batch as its reader sees it, with an estimate while something is to be searched.

    Raises:
        Problem: LPS_BATCH_NOT_FOUND.
    """
    if not service.is_id(batch_id):
        raise Problem("LPS_BATCH_NOT_FOUND")
    bulk = here().bulk
    with here().pool.autocommit() as cur:
        batch = store.batches.one(cur, batch_id)
        if batch is None:
            raise Problem("LPS_BATCH_NOT_FOUND")
        waiting = batch.counts["waiting"] if batch.state in ("preview", "running", "paused") else 0
        guess = asdict(bulk.estimate(cur, waiting))
    members = answers.plain(asdict(batch))
    counts = batch.counts
    ended = counts["done"] + counts["failed"] + counts["error"] + counts["duplicate"]
    return members | {"ended": ended, "estimate": guess, "links": {"self": f"/v1/lps/batches/{batch_id}"}}


class WhichBatches(Query):
    """Which page."""

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[str, Field(max_length=36)] | None = None


@api.route("GET", "/batches", "viewer", query=WhichBatches, answers={200: models.Batches})
def batches(query: WhichBatches) -> dict[str, Any]:
    """Batches, the newest first."""
    if query.cursor is not None and not service.is_id(query.cursor):
        raise Problem("LPS_BAD_INPUT", errors=[submission.error("cursor", "wrong_form")])
    with here().pool.autocommit() as cur:
        found = store.batches.listed(cur, limit=query.limit + 1, before=query.cursor)
    shown = found[: query.limit]
    more = shown[-1].batch_id if len(found) > query.limit else None
    return {"items": [answers.plain(asdict(one)) for one in shown], "next": more}


@api.route("GET", "/batches/<batch_id>", "viewer", answers={200: models.Batch, 304: None})
def batch(batch_id: str) -> Response:
    """One batch: counts by kind, how many have ended, what the rest will take."""
    return answers.unless_known(answers.json(view(batch_id)))


class WhichRows(Query):
    """Which rows."""

    limit: Annotated[int, Field(ge=1, le=500)] = 100
    after: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    """Number of the last row seen."""
    kind: Literal["new", "duplicate", "fresh", "error"] | None = None


@api.route("GET", "/batches/<batch_id>/rows", "viewer", query=WhichRows, answers={200: models.Rows})
def rows(batch_id: str, query: WhichRows) -> dict[str, Any]:
    """Rows in the order of the file, each with its search."""
    if not service.is_id(batch_id):
        raise Problem("LPS_BATCH_NOT_FOUND")
    with here().pool.autocommit() as cur:
        if store.batches.one(cur, batch_id) is None:
            raise Problem("LPS_BATCH_NOT_FOUND")
        found = store.batches.rows(cur, batch_id, after=query.after, limit=query.limit + 1, kind=query.kind)
    shown = found[: query.limit]
    return {"items": [_row(one) for one in shown], "next": shown[-1].n if len(found) > query.limit else None}


def _row(one: store.batches.RowResult) -> dict[str, Any]:
    state = JobStatus(one.status).name.lower() if one.status else None
    lowest = one.lowest and one.lowest | {"url": present.safe_url(one.lowest.get("url"))}
    return answers.plain(asdict(one)) | {
        "state": state,
        "lowest": lowest,
        "complete": one.complete == "true",
        "error": present.without_login(one.error),
    }


@api.route("POST", "/batches/<batch_id>/start", "buyer", answers={200: models.Batch}, problems=(409,))
def start(batch_id: str) -> dict[str, Any]:
    """Search the file, or go on after a pause; what it searches counts against the key's day."""
    seen = view(batch_id)
    if seen["state"] == "preview":
        count_against_key(auth.current(), seen["counts"]["waiting"])
    return act(batch_id, "start")


@api.route("POST", "/batches/<batch_id>/pause", "buyer", answers={200: models.Batch}, problems=(409,))
def pause(batch_id: str) -> dict[str, Any]:
    """Start no further search; those under way end."""
    return act(batch_id, "pause")


@api.route("POST", "/batches/<batch_id>/resume", "buyer", answers={200: models.Batch}, problems=(409,))
def resume(batch_id: str) -> dict[str, Any]:
    """Go on after a pause."""
    return act(batch_id, "start")


@api.route("POST", "/batches/<batch_id>/cancel", "buyer", answers={200: models.Batch}, problems=(409,))
def cancel(batch_id: str) -> dict[str, Any]:
    """Give the rest up, searches under way too."""
    return act(batch_id, "cancel")


def act(batch_id: str, what: Literal["start", "pause", "cancel"]) -> dict[str, Any]:
    """Do it, and give the batch as it is then.

    Raises:
        Problem: LPS_BATCH_NOT_FOUND; LPS_NOT_NOW, when its state does not allow it.
    """
    bulk = here().bulk
    if not service.is_id(batch_id):
        raise Problem("LPS_BATCH_NOT_FOUND")
    try:
        done = getattr(bulk, what)(batch_id, who=auth.current().who)
    except bulk.NotFound:
        raise Problem("LPS_BATCH_NOT_FOUND") from None
    seen = view(batch_id)
    if not done:
        raise Problem("LPS_NOT_NOW", reason=f"the batch is {seen['state']}")
    return seen


class Form(Query):
    """How the results are written."""

    format: Literal["csv", "xlsx"] = "xlsx"


@api.route("GET", "/batches/<batch_id>/results", "viewer", query=Form, answers={}, files=("text/csv", XLSX))
def results(batch_id: str, query: Form) -> Response:
    """The file as it was sent, its columns and order kept, with what was found beside each row."""
    if not service.is_id(batch_id):
        raise Problem("LPS_BATCH_NOT_FOUND")
    with here().pool.autocommit() as cur:
        batch = store.batches.one(cur, batch_id)
        if batch is None:
            raise Problem("LPS_BATCH_NOT_FOUND")
        found = store.batches.rows(cur, batch_id, limit=batch.total)
    return batchfile.answer(batch, found, query.format)
