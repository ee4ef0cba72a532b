"""Re-check schedules: products that are looked up again and again, and who is told of their price."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal

from flask import Response
from pydantic import Field, StrictStr

import store.audit
import store.watches
from model import Product
from store.schedule import MAX_EVERY_S, MIN_EVERY_S, first_time
from store.watches import Terms
from web import answers, auth, submission
from web.api import watch_models as models
from web.api.kit import BIGGEST_ID, Api, Query, Strict, number
from web.api.searches import check_callback, signer
from web.parts import here
from web.problem import Problem

if TYPE_CHECKING:
    from store.watches import Watch

api = Api("watches", "Watches")
MAX_KRW = 2**31 - 1
Every = Annotated[int, Field(ge=MIN_EVERY_S, le=MAX_EVERY_S)]
Krw = Annotated[int, Field(ge=1, le=MAX_KRW)]
Url = Annotated[StrictStr, Field(max_length=2000)]
Direction = Literal["down", "up", "both"]


class NewWatch(Strict):
    """A product to look up again and again."""

    product_code: Annotated[submission.Text, Field(min_length=1, max_length=64)]
    product_name: Annotated[submission.Text, Field(min_length=1, max_length=200)]
    specification: Annotated[submission.Text, Field(max_length=500)] = ""
    target_krw: Krw | None = None
    """Crossing it is told; without one, every step of 1 %."""
    every_s: Every = 86400
    direction: Direction = "both"
    business_hours: bool = False
    """Only Monday to Friday, 09:00 to 18:00 in Korea."""
    url: Url | None = None
    """Who is told (a Slack webhook gets Slack's form); without one, the operators' webhook."""


class WatchChange(Strict):
    """What is to be otherwise; what is left out stays."""

    target_krw: Krw | None = None
    every_s: Every | None = None
    direction: Direction | None = None
    business_hours: bool | None = None
    url: Url | None = None
    paused: bool | None = None


class WhichWatches(Query):
    """Which page."""

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[int, Field(ge=1, le=BIGGEST_ID)] | None = None


def add_watch(body: NewWatch) -> int:
    """Watch a product; the id.

    Raises:
        Problem: LPS_BAD_INPUT; LPS_NOT_NOW when its code is watched already.
    """
    product = Product(code=body.product_code, name=body.product_name, specification=body.specification)
    _demand_usable(product)
    terms = Terms(
        target_krw=body.target_krw,
        every_s=body.every_s,
        direction=body.direction,
        business_hours=body.business_hours,
        **_teller(body.url),
    )
    who = auth.current().who
    with here().pool.transaction() as cur:
        now = store.watches.now(cur)
        first = first_time(now, body.every_s, business_hours=body.business_hours)
        watch_id = store.watches.add(cur, product, terms, next_at=first, who=who)
        if watch_id is None:
            raise Problem("LPS_NOT_NOW", reason="this product code is watched already")
        store.audit.note(cur, who, "watch.add", product.code, {"every_s": body.every_s, "target_krw": body.target_krw})
    return watch_id


def _demand_usable(product: Product) -> None:
    submit = here().submit_rules
    try:
        submit.check(product)
    except submit.BadProduct as bad:
        raise Problem("LPS_BAD_INPUT", errors=[submission.error(bad.kind or "product_name", "unusable")]) from None


def _teller(url: str | None) -> dict[str, Any]:
    if not url:
        return {"url": "", "signer": ""}
    check_callback(url, "url")
    return {"url": url, "signer": signer()}


@api.route("GET", "/watches", "viewer", query=WhichWatches, answers={200: models.Watches})
def watches(query: WhichWatches) -> dict[str, Any]:
    """Watched products, the newest first."""
    with here().pool.autocommit() as cur:
        found = store.watches.listed(cur, limit=query.limit + 1, before=query.cursor)
    shown = found[: query.limit]
    return {"items": [plain(one) for one in shown], "next": shown[-1].watch_id if len(found) > query.limit else None}


def plain(one: Watch) -> dict[str, Any]:
    """A watch as its reader sees it; of an address, which may be a secret, only the host."""
    members = answers.plain(asdict(one))
    del members["signer"]
    host = one.url.split("/")[2] if one.url else None
    return members | {"url": f"https://{host}/…" if host else None}


@api.route("POST", "/watches", "buyer", body=NewWatch, answers={201: models.Watch}, problems=(409,))
def add(body: NewWatch) -> Response:
    """Watch a product."""
    watch_id = add_watch(body)
    return answers.json(plain(_one(watch_id)), HTTPStatus.CREATED, {"Location": f"/v1/lps/watches/{watch_id}"})


def _one(watch_id: int) -> Watch:
    with here().pool.autocommit() as cur:
        found = store.watches.one(cur, watch_id)
    if found is None:
        raise Problem("LPS_WATCH_NOT_FOUND")
    return found


@api.route("GET", "/watches/<watch_id>", "viewer", answers={200: models.Watch})
def watch(watch_id: str) -> dict[str, Any]:
    """One watched product."""
    return plain(_one(number(watch_id, "LPS_WATCH_NOT_FOUND")))


@api.route("PATCH", "/watches/<watch_id>", "buyer", body=WatchChange, answers={200: models.Watch}, problems=(409,))
def change(watch_id: str, body: WatchChange) -> dict[str, Any]:
    """Watch it otherwise; `"target_krw": null` and `"url": ""` take them away."""
    change_watch(number(watch_id, "LPS_WATCH_NOT_FOUND"), body)
    return watch(watch_id)


def change_watch(watch_id: int, body: WatchChange) -> None:
    """What was sent holds from now on, the rest stays.

    Raises:
        Problem: LPS_WATCH_NOT_FOUND, LPS_BAD_INPUT.
    """
    sent = body.model_dump(exclude_unset=True)
    for field in ("every_s", "direction", "business_hours", "paused"):
        if field in sent and sent[field] is None:
            raise Problem("LPS_BAD_INPUT", errors=[submission.error(field, "wrong_type")])
    old = _one(watch_id)
    kept = {name: getattr(old, name) for name in Terms.__slots__}
    told = _teller(sent.pop("url")) if "url" in sent else {}
    paused = sent.pop("paused", old.paused)
    terms = Terms(**(kept | sent | told))
    who = auth.current().who
    with here().pool.transaction() as cur:
        sooner = (
            terms.every_s != old.every_s or terms.business_hours != old.business_hours or (old.paused and not paused)
        )
        now = store.watches.now(cur)
        next_at = first_time(now, terms.every_s, business_hours=terms.business_hours) if sooner else old.next_at
        store.watches.change(cur, watch_id, terms, paused=paused, next_at=next_at)
        store.audit.note(cur, who, "watch.change", old.product_code, sent | {"paused": paused})


@api.route("DELETE", "/watches/<watch_id>", "buyer", answers={204: None})
def remove(watch_id: str) -> Response:
    """Watch it no more; its history stays."""
    remove_watch(number(watch_id, "LPS_WATCH_NOT_FOUND"))
    return Response(status=HTTPStatus.NO_CONTENT)


def remove_watch(watch_id: int) -> None:
    """Watch it no more.

    Raises:
        Problem: LPS_WATCH_NOT_FOUND.
    """
    who = auth.current().who
    with here().pool.transaction() as cur:
        code = store.watches.remove(cur, watch_id)
        if code is None:
            raise Problem("LPS_WATCH_NOT_FOUND")
        store.audit.note(cur, who, "watch.remove", code)
