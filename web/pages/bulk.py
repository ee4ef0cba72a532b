"""Many products from one file: sent, judged before anything is searched, started, paused, followed, downloaded."""

from __future__ import annotations

from contextlib import closing
from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import Response, redirect, render_template, request, url_for
from pydantic import ValidationError

import store.batches
from web import present, service, submission
from web.api import batches as api
from web.pages import blueprint
from web.parts import here
from web.problem import Problem
from web.roles import needs, takes

if TYPE_CHECKING:
    from typing import Any

    from werkzeug.wrappers import Response as AnyResponse

LISTED, ROWS = 30, 100
FORM_BYTES = 64 * 1024
"""What the fields beside the file may take."""
ACTS = ("start", "pause", "cancel")
KINDS = ("new", "duplicate", "fresh", "error")
TONES = {"running": "reading", "done": "good", "paused": "warn"}


def _index(problem: Problem | None = None) -> str:
    before = request.args.get("before")
    with here().pool.autocommit() as cur:
        known = before if before and service.is_id(before) else None
        found = store.batches.listed(cur, limit=LISTED + 1, before=known)
    return render_template(
        "bulk.html",
        batches=found[:LISTED],
        more=found[LISTED - 1].batch_id if len(found) > LISTED else None,
        problem=problem,
        limits=here().settings.bulk,
        max_mb=api.MAX_FILE_BYTES // 1024 // 1024,
        tones=TONES,
    )


@blueprint.get("/bulk")
@needs("viewer")
def bulk() -> str:
    """The form for a file, and the files sent before."""
    return _index()


@blueprint.post("/bulk")
@needs("buyer")
@takes(api.MAX_FILE_BYTES + FORM_BYTES)
def send_file() -> AnyResponse:
    """Read and judge a file: on to its preview, or back with what is wrong and in which row."""
    try:
        batch_id = _taken()
    except Problem as problem:
        if not problem.errors:
            raise
        return Response(_index(problem), problem.status)
    return redirect(url_for("pages.batch", batch_id=batch_id), HTTPStatus.SEE_OTHER)


def _taken() -> str:
    file = request.files.get("file")
    if file is None or not file.filename:
        raise Problem("LPS_BAD_FILE", errors=[submission.error("file", "required")])
    with closing(file):
        data = file.read(api.MAX_FILE_BYTES + 1)
    return api.take_file(data, _wish(file.filename))


def _wish(file_name: str) -> api.Upload:
    raw: dict[str, Any] = {"name": request.form.get("name", ""), "file_name": file_name[-200:]}
    raw |= {name: request.form.get(name) == "1" for name in ("allow_used", "allow_overseas")}
    raw["fallback"] = request.form.get("fallback") or None
    try:
        return api.Upload.model_validate(raw)
    except ValidationError as failed:
        raise Problem("LPS_BAD_INPUT", errors=submission.mistakes(failed)) from None


@blueprint.get("/bulk/<batch_id>")
@needs("viewer")
def batch(batch_id: str) -> str:
    """One file: how its rows are judged, what it will take, how far it is, and its rows a page at a time."""
    view = api.view(batch_id)
    kind = request.args.get("kind")
    kind = kind if kind in KINDS else None
    after = request.args.get("after", "")
    with here().pool.autocommit() as cur:
        rows = store.batches.rows(
            cur,
            batch_id,
            after=int(after) if after.isascii() and after.isdigit() and len(after) < 8 else 0,
            limit=ROWS + 1,
            kind=kind,  # type: ignore[arg-type]  # one of KINDS
        )
    return render_template(
        "batch.html",
        batch=view,
        tones=TONES,
        kinds=KINDS,
        kind=kind,
        rows=[_row(row) for row in rows[:ROWS]],
        more=rows[ROWS - 1].n if len(rows) > ROWS else None,
    )


def _row(row: store.batches.RowResult) -> dict[str, Any]:
    state = present.job_state(row.status, row.outcome)
    return {
        "n": row.n,
        "name": row.product_name or " ".join(str(cell) for cell in row.cells)[:200],
        "specification": row.specification,
        "code": row.product_code,
        "kind": row.kind,
        "errors": row.errors,
        "same_as": row.same_as,
        "job_id": row.job_id,
        "state": state,
        "price": (row.lowest or {}).get("price"),
        "mall": (row.lowest or {}).get("mall"),
        "complete": row.complete != "false",
    }


@blueprint.post("/bulk/<batch_id>/<act>")
@needs("buyer")
def act(batch_id: str, act: str) -> AnyResponse:
    """`start` (also after a pause), `pause` or `cancel`; what is not possible any more changes nothing."""
    if act not in ACTS:
        raise Problem("LPS_NOT_FOUND")
    try:
        api.act(batch_id, act)  # type: ignore[arg-type]  # one of ACTS
    except Problem as problem:
        if problem.code != "LPS_NOT_NOW":
            raise
    return redirect(url_for("pages.batch", batch_id=batch_id), HTTPStatus.SEE_OTHER)
