"""Rows of `watch`: products that are looked up again and again, and what their price did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from store.sql import beside

if TYPE_CHECKING:
    from datetime import datetime

    from model import Product
    from store.pool import Cursor

SQL = beside(__file__)
Direction = Literal["down", "up", "both"]
Side = Literal["below", "above"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a product is watched."""

    target_krw: int | None
    every_s: int
    direction: Direction
    business_hours: bool
    url: str
    """Who is told; empty: the operators' webhook."""
    signer: str


@dataclass(frozen=True, slots=True)
class Watch:
    """One row of `watch`."""

    watch_id: int
    product_code: str
    product_name: str
    specification: str
    target_krw: int | None
    every_s: int
    direction: Direction
    business_hours: bool
    url: str
    signer: str
    next_at: datetime
    paused: bool
    side: Side | None
    """Of the target, at the last price."""
    told_krw: int | None
    """The price of the last message."""
    last_krw: int | None
    last_job_id: str | None
    last_at: datetime | None
    note: str
    who: str
    created_at: datetime


def now(cur: Cursor) -> datetime:
    """The database's time."""
    cur.execute(SQL["clock"])
    moment: datetime = cur.fetchone()[0]
    return moment


def add(cur: Cursor, product: Product, terms: Terms, *, next_at: datetime, who: str) -> int | None:
    """Watch a product; its id, or None when its code is watched already."""
    values = {
        "product_code": product.code,
        "product_name": product.name,
        "specification": product.specification,
        "next_at": next_at,
        "who": who,
    }
    cur.execute(SQL["add"], values | _values(terms))
    row = cur.fetchone()
    return row[0] if row else None


def _values(terms: Terms) -> dict[str, object]:
    return {
        "target_krw": terms.target_krw,
        "every_s": terms.every_s,
        "direction": terms.direction,
        "business_hours": terms.business_hours,
        "url": terms.url,
        "signer": terms.signer,
    }


def one(cur: Cursor, watch_id: int) -> Watch | None:
    """One watch."""
    cur.execute(SQL["one"], (watch_id,))
    return _first(cur)


def of_code(cur: Cursor, product_code: str) -> Watch | None:
    """The watch of a product."""
    cur.execute(SQL["of_code"], (product_code,))
    return _first(cur)


def listed(cur: Cursor, *, limit: int, before: int | None = None) -> list[Watch]:
    """Watches, the newest first; `before` is the id of the last one seen."""
    cur.execute(SQL["listed"], {"limit": limit, "before": before})
    return [Watch(*row) for row in cur.fetchall()]


def due(cur: Cursor, limit: int) -> list[Watch]:
    """Those whose time has come, held until the transaction ends."""
    cur.execute(SQL["due"], (limit,))
    return [Watch(*row) for row in cur.fetchall()]


def hold(cur: Cursor, job_id: str) -> Watch | None:
    """The watch of a search's product, held until the transaction ends."""
    cur.execute(SQL["hold"], (job_id,))
    return _first(cur)


def change(cur: Cursor, watch_id: int, terms: Terms, *, paused: bool, next_at: datetime) -> None:
    """Watch it otherwise."""
    cur.execute(SQL["change"], _values(terms) | {"watch_id": watch_id, "paused": paused, "next_at": next_at})


def remove(cur: Cursor, watch_id: int) -> str | None:
    """Watch it no more; its product code, None when there is no such watch."""
    cur.execute(SQL["remove"], (watch_id,))
    row = cur.fetchone()
    return row[0] if row else None


def later(cur: Cursor, watch_id: int, next_at: datetime) -> None:
    """Look it up then."""
    cur.execute(SQL["later"], (next_at, watch_id))


def saw(cur: Cursor, watch_id: int, *, side: Side | None, told_krw: int | None, last_krw: int, job_id: str) -> None:
    """A search brought this price."""
    values = {"watch_id": watch_id, "side": side, "told_krw": told_krw, "last_krw": last_krw, "job_id": job_id}
    cur.execute(SQL["saw"], values)


def missed(cur: Cursor, watch_id: int, note: str) -> None:
    """A search brought no price, for this reason."""
    cur.execute(SQL["missed"], (note, watch_id))


def _first(cur: Cursor) -> Watch | None:
    row = cur.fetchone()
    return Watch(*row) if row else None
