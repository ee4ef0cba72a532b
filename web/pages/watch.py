"""Re-check schedules: a product looked up again and again, and whoever is told when its price crosses the target."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

from flask import redirect, render_template, request, url_for
from pydantic import ValidationError

import store.watches
from web import submission
from web.api.watches import NewWatch, WatchChange, add_watch, change_watch, plain, remove_watch
from web.pages import blueprint
from web.pages.product import product_page
from web.parts import here
from web.problem import Problem
from web.roles import needs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Response
    from werkzeug.wrappers import Response as AnyResponse

LISTED = 100
Model = TypeVar("Model", NewWatch, WatchChange)


@blueprint.get("/watches")
@needs("viewer")
def watches() -> str:
    """Every watched product, the newest first."""
    before = request.args.get("before", "")
    with here().pool.autocommit() as cur:
        last = int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None
        found = store.watches.listed(cur, limit=LISTED + 1, before=last)
    more = found[LISTED - 1].watch_id if len(found) > LISTED else None
    return render_template("watches.html", watches=[plain(one) for one in found[:LISTED]], more=more)


@blueprint.post("/watches")
@needs("buyer")
def watch() -> AnyResponse | tuple[Response | str, int]:
    """Watch a product, or watch it otherwise: back to its page, with what is wrong where something is."""
    code = request.form.get("product_code", "")
    with here().pool.autocommit() as cur:
        known = store.watches.of_code(cur, code) if "\0" not in code else None
    try:
        terms = _terms(request.form)
        if known is None:
            product = {name: request.form.get(name, "") for name in ("product_code", "product_name", "specification")}
            add_watch(_checked(NewWatch, product | terms))
        else:
            change_watch(known.watch_id, _checked(WatchChange, terms))
    except Problem as problem:
        if problem.status not in (HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY):
            raise
        return product_page(code, problem), problem.status
    return redirect(url_for("pages.product", code=code, note="watched"), HTTPStatus.SEE_OTHER)


@blueprint.post("/watches/<int:watch_id>")
@needs("buyer")
def change_watched(watch_id: int) -> AnyResponse:
    """`act=pause`, `act=resume` or `act=remove`."""
    with here().pool.autocommit() as cur:
        known = store.watches.one(cur, watch_id) if watch_id < 2**63 else None
    if known is None:
        raise Problem("LPS_WATCH_NOT_FOUND")
    wish = request.form.get("act")
    if wish == "remove":
        remove_watch(watch_id)
    elif wish in ("pause", "resume"):
        change_watch(watch_id, WatchChange(paused=wish == "pause"))
    else:
        raise Problem("LPS_BAD_REQUEST")
    return redirect(url_for("pages.product", code=known.product_code), HTTPStatus.SEE_OTHER)


def _terms(form: Mapping[str, str]) -> dict[str, Any]:
    """The fields as the API takes them; an address that was left empty stays what it is."""
    target = form.get("target_krw", "").replace(",", "").strip()
    every = form.get("every_s", "")
    terms: dict[str, Any] = {
        "target_krw": int(target) if target.isascii() and target.isdigit() and len(target) < 12 else target or None,
        "every_s": int(every) if every.isascii() and every.isdigit() and len(every) < 9 else every,
        "direction": form.get("direction", "both"),
        "business_hours": form.get("business_hours") == "1",
    }
    url = form.get("url", "").strip()
    return terms | ({"url": url} if url else {})


def _checked(model: type[Model], raw: dict[str, Any]) -> Model:
    """The model of a form.

    Raises:
        Problem: LPS_BAD_INPUT with every mistake and its field.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as failed:
        raise Problem("LPS_BAD_INPUT", errors=submission.mistakes(failed)) from None
