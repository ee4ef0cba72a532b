"""Searches: start, look, list, cancel, read a mall once more."""

from __future__ import annotations

import base64
import binascii
import math
from dataclasses import asdict, replace
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StrictStr

import store.keys
import store.listing
import store.rate
from errors import BadProduct
from model import JobStatus, Reason, Same
from store.jobs import Asker
from web import answers, auth, idempotency, present, service, submission
from web.api import models
from web.api.kit import Api, Page, Query, Strict
from web.parts import here
from web.problem import Problem

if TYPE_CHECKING:
    from flask import Response

    from model import Submitted

api = Api("searches", "Searches")
DAY_S = 86400


def take(raw: object) -> Submitted:
    """Check a submission, count it against its key's day, and hand it on.

    Raises:
        Problem: LPS_BAD_INPUT with every mistake and its field; LPS_QUOTA_SPENT, LPS_BUDGET_SPENT. Nothing was written.
    """
    limits = here().settings.search
    wanted = submission.check(raw, max_name_chars=limits.max_name_chars, max_spec_chars=limits.max_spec_chars)
    caller = auth.current()
    if caller.api_key_id is not None:
        count_against_key(caller)
    asker = Asker(api_key_id=caller.api_key_id)
    if wanted.callback_url is not None:
        check_callback(wanted.callback_url)
        asker = replace(asker, callback_url=wanted.callback_url, signer=signer())
    options: dict[str, Any] = {"again": wanted.again, "deadline_s": wanted.deadline_s, "options": wanted.options()}
    try:
        return here().submit(wanted.product(), asker=asker, **options)
    except BadProduct as bad:
        raise Problem("LPS_BAD_INPUT", errors=[submission.error(bad.kind or "product_name", "unusable")]) from None


def signer() -> str:
    """Whose secret signs what this caller is told.

    Raises:
        Problem: LPS_LOGIN_NEEDED: nobody would have one.
    """
    caller = auth.current()
    if caller.api_key_id is not None:
        return f"key:{caller.api_key_id}"
    if caller.account_id is not None:
        return f"account:{caller.account_id}"
    raise Problem("LPS_LOGIN_NEEDED", headers={"WWW-Authenticate": "Bearer"})


def check_callback(url: str, field: str = "callback_url") -> None:
    """Refuse an address that LPS will not call.

    Raises:
        Problem: LPS_BAD_INPUT at the field; LPS_NOT_NOW where no secret is set.
    """
    letters = here().letters
    try:
        letters.check(url)
    except letters.BadAddress as bad:
        raise Problem("LPS_BAD_INPUT", errors=[submission.error(field, bad.kind)]) from None
    except letters.NotConfigured as error:
        raise Problem("LPS_NOT_NOW", reason=str(error)) from None


def count_against_key(caller: auth.Caller, searches: int = 1) -> None:
    """Take searches from the key's quota of the day.

    Raises:
        Problem: LPS_QUOTA_SPENT, LPS_BUDGET_SPENT.
    """
    if caller.api_key_id is None:
        return
    with here().pool.autocommit() as cur:
        if caller.daily_budget_usd is not None:
            _, usd = store.keys.today(cur, caller.api_key_id)
            if usd >= caller.daily_budget_usd:
                raise Problem("LPS_BUDGET_SPENT")
        if caller.daily_quota is not None:
            n, reset_s = store.rate.hit(cur, f"quota:{caller.api_key_id}", DAY_S, searches)
            if n > caller.daily_quota:
                store.rate.hit(cur, f"quota:{caller.api_key_id}", DAY_S, -searches)
                raise Problem("LPS_QUOTA_SPENT", headers={"Retry-After": str(math.ceil(reset_s))})


@api.route(
    "POST",
    "/search",
    "buyer",
    body=submission.Search,
    answers={200: models.Submitted, 202: models.Submitted},
    problems=(409,),
)
def search(body: submission.Search) -> Response:
    """Start a search: 202 and where to look, or 200 when the answer is there already.

    The header Idempotency-Key makes a repeat harmless.
    """

    def work() -> tuple[dict[str, Any], int]:
        submitted = take(body)
        members = {
            "job_id": submitted.job_id,
            "status": int(submitted.status),
            "state": submitted.status.name.lower(),
            "deduped": submitted.deduped,
            "cached": submitted.cached,
            "links": present.links(submitted.job_id),
        }
        return members, HTTPStatus.OK if submitted.cached else HTTPStatus.ACCEPTED

    response = idempotency.once(work)
    response.headers["Location"] = f"/v1/lps/jobs/{response.get_json()['job_id']}"
    return response


class View(Query):
    """How much of a search is given."""

    view: Literal["all", "progress"] = "all"
    """`progress` leaves out result and offers."""


@api.route("GET", "/jobs/<job_id>", "viewer", query=View, answers={200: models.Job, 304: None})
def job(job_id: str, query: View) -> Response:
    """One search: job, sources, stages, result, offers."""
    progress = query.view == "progress"
    if progress:
        stamp = service.stamp(job_id)
        seen = answers.known(stamp)
        if seen:
            return seen
    found = service.search(job_id, with_decisions=not progress)
    members = present.search(found)
    if progress:
        del members["result"], members["offers"]
        return answers.stamped(answers.json(members), stamp)
    return answers.unless_known(answers.json(members))


class Which(Page):
    """Which searches."""

    state: Literal["pending", "running", "done", "dead", "cancelled"] | None = None
    code: Annotated[str, Field(max_length=64)] | None = None
    """The very product code."""
    q: Annotated[str, Field(min_length=2, max_length=100)] | None = None
    """Stands somewhere in name, code or id."""


@api.route("GET", "/jobs", "viewer", query=Which, answers={200: models.Jobs})
def jobs(query: Which) -> dict[str, Any]:
    """A page of searches, the newest first."""
    which = store.listing.Filter(
        status=int(JobStatus[query.state.upper()]) if query.state else None,
        code=submission.storable(query.code, "code"),
        text=submission.storable(query.q, "q"),
    )
    with here().pool.autocommit() as cur:
        found = store.listing.jobs(cur, which, limit=query.limit + 1, after=_after(query.cursor))
    shown = found[: query.limit]
    last = shown[-1] if len(found) > query.limit else None
    return {"items": [_line(one) for one in shown], "next": _cursor(last) if last else None}


def _line(one: store.listing.JobLine) -> dict[str, Any]:
    state = JobStatus(one.status).name.lower()
    error = present.without_login(one.error)
    return asdict(one) | {"state": state, "error": error, "links": present.links(one.job_id)}


def _cursor(one: store.listing.JobLine) -> str:
    return base64.urlsafe_b64encode(f"{one.created_at.isoformat()} {one.job_id}".encode()).decode().rstrip("=")


def _after(cursor: str | None) -> tuple[datetime, str] | None:
    """What `_cursor` wrote.

    Raises:
        Problem: LPS_BAD_INPUT.
    """
    if cursor is None:
        return None
    try:
        at, _, job_id = base64.urlsafe_b64decode(cursor + "==").decode("ascii").partition(" ")
        moment = datetime.fromisoformat(at)
    except (ValueError, binascii.Error):
        raise Problem("LPS_BAD_INPUT", errors=[submission.error("cursor", "wrong_form")]) from None
    if moment.tzinfo is None or not service.is_id(job_id):
        raise Problem("LPS_BAD_INPUT", errors=[submission.error("cursor", "wrong_form")])
    return moment, job_id


@api.route("DELETE", "/jobs/<job_id>", "buyer", answers={200: models.Cancelled})
def cancel(job_id: str) -> dict[str, Any]:
    """End a search that waits or runs; one that has ended stays as it is (`changed: false`)."""
    if not service.is_id(job_id):
        raise Problem("LPS_JOB_NOT_FOUND")
    operate = here().operate
    try:
        done = operate.cancel(job_id, who=auth.current().who, reason="by request")
    except operate.NotFound:
        raise Problem("LPS_JOB_NOT_FOUND") from None
    return {
        "job_id": job_id,
        "changed": done.changed,
        "state": done.status.name.lower(),
        "queued": done.queued,
        "running": done.running,
    }


@api.route("POST", "/jobs/<job_id>/sources/<mall>/retry", "buyer", answers={202: models.Retried}, problems=(409,))
def retry(job_id: str, mall: str) -> Response:
    """Read a mall that did not answer once more; the search takes its result in, in a new round."""
    if not service.is_id(job_id):
        raise Problem("LPS_JOB_NOT_FOUND")
    operate = here().operate
    try:
        round_ = operate.retry_source(job_id, mall, who=auth.current().who)
    except operate.NotFound:
        raise Problem("LPS_JOB_NOT_FOUND") from None
    except operate.NotRevivableError as error:
        raise Problem("LPS_NOT_NOW", reason=str(error)) from None
    return answers.json({"job_id": job_id, "mall": mall, "round": round_}, HTTPStatus.ACCEPTED)


class Correction(Strict):
    """What a person says of an offer."""

    offer: Annotated[StrictStr, Field(min_length=1, max_length=2000)]
    """Its whole title, or its id at the mall."""
    verdict: Literal["same", "different"]
    why: Annotated[submission.Text, Field(min_length=1, max_length=500)]
    reason: Annotated[Reason, Field(strict=False)] | None = None
    """The class of the difference."""


@api.route("POST", "/jobs/<job_id>/corrections", "buyer", body=Correction, answers={200: models.Corrected})
def correct(job_id: str, body: Correction) -> dict[str, Any]:
    """Say of an offer that it is, or is not, the product: it holds from the next search on."""
    people = here().people
    try:
        was = people.correct(
            job_id,
            body.offer,
            Same(body.verdict),
            who=auth.current().who,
            why=body.why,
            reason=body.reason,
        )
    except people.NotFound:
        raise Problem("LPS_JOB_NOT_FOUND") from None
    return {"job_id": job_id, "title": was.offer.name, "was": was.verdict, "verdict": body.verdict}
