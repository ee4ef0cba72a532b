"""Keys, accounts, budgets, the audit, and the log of callbacks."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from http import HTTPStatus
from typing import Annotated, Any, Literal

from flask import Response
from pydantic import Field

import store.access
import store.accounts
import store.callbacks
import store.keys
import store.listing
from store.keys import Wanted
from web import answers, auth, service, submission
from web.api import access_models as models
from web.api.kit import BIGGEST_ID, Api, Page, Query, Strict, number
from web.api.searches import signer
from web.parts import here
from web.problem import Problem

api = Api("access", "Access")
Name = Annotated[submission.Text, Field(min_length=1, max_length=100)]
Scope = Literal["submit", "read", "ops", "admin"]
Role = Literal["viewer", "buyer", "operator", "admin"]


class NewKey(Strict):
    """A key to make."""

    name: Name
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=4)] = ["submit", "read"]  # noqa: RUF012 - pydantic copies it
    daily_quota: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    """Searches a day, from midnight in Korea."""
    daily_budget_usd: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] | None = None
    days: Annotated[int, Field(ge=1, le=3650)] | None = None
    """Days until it expires."""


class AllKeys(Query):
    """Which keys."""

    revoked: bool = False


@api.route("GET", "/keys", "admin", query=AllKeys, answers={200: models.Keys})
def keys(query: AllKeys) -> dict[str, Any]:
    """Keys of programs, the newest first; no secret is among them."""
    with here().pool.autocommit() as cur:
        found = store.keys.listed(cur, revoked=query.revoked)
    return {"items": [answers.plain(asdict(one)) for one in found]}


@api.route("POST", "/keys", "admin", body=NewKey, answers={201: models.NewKey})
def add_key(body: NewKey) -> Response:
    """Make a key; the answer is the only place where it stands."""
    budget = None if body.daily_budget_usd is None else Decimal(str(body.daily_budget_usd))
    wanted = Wanted(
        name=body.name,
        scopes=sorted(set(body.scopes)),
        daily_quota=body.daily_quota,
        daily_budget_usd=budget,
        days=body.days,
    )
    with here().pool.transaction() as cur:
        key_id, secret = store.access.new_key(cur, wanted, who=auth.current().who)
    members = {"api_key_id": key_id, "key": secret, "signing_secrets": _signing(f"key:{key_id}")}
    return answers.json(members, HTTPStatus.CREATED, {"Cache-Control": "no-store"})


def _signing(whose: str) -> list[str]:
    letters = here().letters
    try:
        secrets: list[str] = letters.signing_secrets(whose)
    except letters.NotConfigured:
        return []
    return secrets


@api.route("DELETE", "/keys/<key_id>", "admin", answers={204: None})
def revoke_key(key_id: str) -> Response:
    """Take a key away, for good."""
    with here().pool.transaction() as cur:
        if not store.access.revoke_key(cur, number(key_id, "LPS_NOT_FOUND"), who=auth.current().who):
            raise Problem("LPS_NOT_FOUND")
    return Response(status=HTTPStatus.NO_CONTENT)


@api.route("GET", "/accounts", "admin", answers={200: models.Accounts})
def accounts() -> dict[str, Any]:
    """People who may sign in."""
    with here().pool.autocommit() as cur:
        found = store.accounts.listed(cur)
    hidden = {"password_hash", "failures"}
    return {
        "items": [
            {name: value for name, value in answers.plain(asdict(one)).items() if name not in hidden}
            | {"password": bool(one.password_hash)}
            for one in found
        ]
    }


class NewAccount(Strict):
    """A person to let in."""

    name: Name
    role: Role = "viewer"


@api.route("POST", "/accounts", "admin", body=NewAccount, answers={201: models.LoginLink}, problems=(409,))
def add_account(body: NewAccount) -> Response:
    """Make an account; the answer holds the link that signs it in once, within a day."""
    who = auth.current().who
    with here().pool.transaction() as cur:
        if not store.access.add_account(cur, body.name, body.role, who=who):
            raise Problem("LPS_NOT_NOW", reason="the name is taken")
        token = store.access.login_link(cur, body.name, who=who)
    return answers.json(_link(body.name, token), HTTPStatus.CREATED, {"Cache-Control": "no-store"})


def _link(name: str, token: str | None) -> dict[str, Any]:
    return {"name": name, "link": f"/login/link?t={token}"}


class AccountChange(Strict):
    """What is to be another about an account."""

    role: Role | None = None
    disabled: bool | None = None
    login_link: bool = False
    """Make a link that signs the person in once; those before hold no more."""


@api.route("PATCH", "/accounts/<name>", "admin", body=AccountChange, answers={200: models.LoginLink}, problems=(409,))
def change_account(name: str, body: AccountChange) -> Response:
    """Give an account another role, keep it out, or make a login link."""
    who, token = auth.current().who, None
    if name == who and (body.disabled or body.role not in (None, "admin")):
        raise Problem("LPS_NOT_NOW", reason="an admin cannot shut themselves out")
    with here().pool.transaction() as cur:
        if "\0" in name or store.accounts.one(cur, name) is None:
            raise Problem("LPS_NOT_FOUND")
        if body.role is not None:
            store.access.set_role(cur, name, body.role, who=who)
        if body.disabled is not None:
            store.access.set_disabled(cur, name, disabled=body.disabled, who=who)
        if body.login_link:
            token = store.access.login_link(cur, name, who=who)
    members = _link(name, token) if token else {"name": name, "link": None}
    return answers.json(members, HTTPStatus.OK, {"Cache-Control": "no-store"})


@api.route("GET", "/budgets", "viewer", answers={200: models.Budgets})
def budgets() -> dict[str, Any]:
    """What may be spent, and what is spent or reserved, USD."""
    with here().pool.autocommit() as cur:
        return {"items": [asdict(one) for one in store.listing.budgets(cur)]}


class WhichAudit(Query):
    """Which entries."""

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    before: Annotated[int, Field(ge=1, le=BIGGEST_ID)] | None = None
    """`next` of the page before."""
    who: Annotated[str, Field(max_length=200)] | None = None
    action: Annotated[str, Field(max_length=100)] | None = None
    """Its beginning, for example `key.`."""
    subject: Annotated[str, Field(max_length=200)] | None = None


@api.route("GET", "/audit", "operator", query=WhichAudit, answers={200: models.Audit})
def audit(query: WhichAudit) -> dict[str, Any]:
    """What people and programs did, the newest first."""
    texts = {name: submission.storable(getattr(query, name), name) for name in ("who", "action", "subject")}
    with here().pool.autocommit() as cur:
        found = store.listing.audit(cur, limit=query.limit + 1, before=query.before, **texts)
    shown = found[: query.limit]
    more = shown[-1].audit_id if len(found) > query.limit else None
    return {"items": [answers.plain(asdict(one)) for one in shown], "next": more}


class WhichCallbacks(Page):
    """Which deliveries."""

    state: Literal["waiting", "sent", "failed"] | None = None
    job_id: Annotated[str, Field(max_length=36)] | None = None


@api.route("GET", "/callbacks", "buyer", query=WhichCallbacks, answers={200: models.Deliveries})
def callbacks(query: WhichCallbacks) -> dict[str, Any]:
    """The log of callbacks, the newest first: one's own, or everybody's for operators."""
    for field in ("cursor", "job_id"):
        if getattr(query, field) is not None and not service.is_id(getattr(query, field)):
            raise Problem("LPS_BAD_INPUT", errors=[submission.error(field, "wrong_form")])
    with here().pool.autocommit() as cur:
        found = store.callbacks.listed(
            cur, limit=query.limit + 1, before=query.cursor, job_id=query.job_id, state=query.state, signer=_own()
        )
    shown = found[: query.limit]
    more = shown[-1].outbox_id if len(found) > query.limit else None
    return {"items": [_delivery(one) for one in shown], "next": more}


def _own() -> str | None:
    """Whose deliveries this caller may see; None = all."""
    return None if auth.current().may("operator") else signer()


def _delivery(one: store.callbacks.Delivery) -> dict[str, Any]:
    return answers.plain(asdict(one)) | {"state": one.state}


@api.route("GET", "/callbacks/<delivery_id>", "buyer", answers={200: models.DeliveryDetail})
def callback(delivery_id: str) -> dict[str, Any]:
    """Every try of one delivery."""
    if not service.is_id(delivery_id):
        raise Problem("LPS_NOT_FOUND")
    with here().pool.autocommit() as cur:
        one = store.callbacks.one(cur, delivery_id, signer=_own())
        if one is None:
            raise Problem("LPS_NOT_FOUND")
        tries = store.callbacks.tries(cur, delivery_id)
    return _delivery(one) | {"tries": [answers.plain(asdict(one)) for one in tries]}


@api.route("POST", "/callbacks/<delivery_id>/redeliver", "buyer", answers={202: models.Redelivered}, problems=(409,))
def redeliver(delivery_id: str) -> Response:
    """Deliver once more what was delivered or given up."""
    if not service.is_id(delivery_id):
        raise Problem("LPS_NOT_FOUND")
    with here().pool.autocommit() as cur:
        if store.callbacks.one(cur, delivery_id, signer=_own()) is None:
            raise Problem("LPS_NOT_FOUND")
    if not here().letters.redeliver(delivery_id, signer=_own()):
        raise Problem("LPS_NOT_NOW", reason="it is still being delivered")
    return answers.json({"outbox_id": delivery_id}, HTTPStatus.ACCEPTED)


@api.route("GET", "/callback-secret", "buyer", answers={200: models.SigningSecrets})
def callback_secret() -> Response:
    """The caller's own signing secrets, the newest first; two while the operator changes them."""
    return answers.json({"signing_secrets": _signing(signer())}, headers={"Cache-Control": "no-store"})
