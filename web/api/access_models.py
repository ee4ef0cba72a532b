"""What the endpoints about access give."""

from __future__ import annotations

from typing import Any

from web.api.kit import Answer


class Key(Answer):
    """A key, without its secret."""

    api_key_id: int
    prefix: str
    name: str
    scopes: list[str]
    daily_quota: int | None
    daily_budget_usd: float | None
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None
    made_by: str
    used_today: int


class Keys(Answer):
    """Keys, the newest first."""

    items: list[Key]


class NewKey(Answer):
    """A key that was made; it is shown here and never again."""

    api_key_id: int
    key: str
    signing_secrets: list[str]


class Account(Answer):
    """A person who may sign in."""

    account_id: int
    name: str
    role: str
    password: bool
    locked_until: str | None
    last_login_at: str | None
    disabled_at: str | None
    created_at: str


class Accounts(Answer):
    """People who may sign in."""

    items: list[Account]


class LoginLink(Answer):
    """An account, with the link that signs it in once if one was made."""

    name: str
    link: str | None


class Budget(Answer):
    """A cap and what is used of it, USD."""

    scope: str
    name: str
    cap_usd: float
    used_usd: float


class Budgets(Answer):
    """Every budget."""

    items: list[Budget]


class AuditLine(Answer):
    """Who did what."""

    audit_id: int
    at: str
    who: str
    action: str
    subject: str
    detail: dict[str, Any]


class Audit(Answer):
    """A page of the audit."""

    items: list[AuditLine]
    next: int | None


class Delivery(Answer):
    """A message to a receiver."""

    outbox_id: str
    job_id: str | None
    kind: str
    event: str
    url: str
    state: str
    attempts: int
    status: int | None
    error: str | None
    created_at: str
    sent_at: str | None
    failed_at: str | None


class Deliveries(Answer):
    """A page of deliveries."""

    items: list[Delivery]
    next: str | None


class DeliveryDetail(Delivery):
    """With every try."""

    tries: list[dict[str, Any]]


class Redelivered(Answer):
    """A delivery that is made once more."""

    outbox_id: str


class SigningSecrets(Answer):
    """What signatures are checked with, the newest first."""

    signing_secrets: list[str]
