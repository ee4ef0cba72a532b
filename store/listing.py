"""Long lists a page at a time: searches, the audit, budgets. A page goes on where the one before ended, by value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, slots=True)
class JobLine:
    """A search in one line."""

    job_id: str
    status: int
    product_code: str
    product_name: str
    specification: str
    created_at: datetime
    finished_at: datetime | None
    error: str | None
    outcome: str | None
    lowest_krw: int | None
    lowest_mall: str | None
    batch_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """Which searches: all that is given must hold."""

    status: int | None = None
    code: str | None = None
    """The very product code."""
    text: str | None = None
    """Stands somewhere in name, code or id."""
    batch_id: str | None = None


@dataclass(frozen=True, slots=True)
class AuditLine:
    """Who did what."""

    audit_id: int
    at: datetime
    who: str
    action: str
    subject: str
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """A cap and what was spent or is reserved under it, USD."""

    scope: str
    name: str
    cap_usd: Decimal
    used_usd: Decimal


def jobs(cur: Cursor, which: Filter, *, limit: int, after: tuple[datetime, str] | None = None) -> list[JobLine]:
    """Searches, the newest first; `after` is (created_at, job_id) of the last one seen."""
    at, last = after or (None, None)
    values = {
        "status": which.status,
        "code": which.code,
        "text": None if which.text is None else f"%{_literal(which.text)}%",
        "batch_id": which.batch_id,
        "at": at,
        "id": last,
        "limit": limit,
    }
    cur.execute(SQL["jobs"], values)
    return [JobLine(*row) for row in cur.fetchall()]


def audit(
    cur: Cursor,
    *,
    limit: int,
    before: int | None = None,
    who: str | None = None,
    action: str | None = None,
    subject: str | None = None,
) -> list[AuditLine]:
    """What was done, the newest first; `before` is the id of the last one seen, `action` the beginning of one."""
    prefix = None if action is None else f"{_literal(action)}%"
    values = {"limit": limit, "before": before, "who": who, "action": prefix, "subject": subject}
    cur.execute(SQL["audit"], values)
    return [AuditLine(*row) for row in cur.fetchall()]


def budgets(cur: Cursor) -> list[BudgetLine]:
    """Every budget, by scope, the latest day first."""
    cur.execute(SQL["budgets"])
    return [BudgetLine(*row) for row in cur.fetchall()]


def _literal(text: str) -> str:
    """The text as LIKE takes it for itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
