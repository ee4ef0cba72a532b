"""`price_history` and `search_negative`: what a product cost, and which products no mall knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.pool import Json
from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from store.pool import Cursor

SQL = beside(__file__)


@dataclass(frozen=True, slots=True)
class PricePoint:
    """The lowest effective prices of one search, KRW."""

    triggered_at: datetime
    naver_lowest: int | None
    coupang_lowest: int | None
    final_lowest: int
    final_source: str
    by_mall: dict[str, int]
    job_id: str


def record(cur: Cursor, job_id: str, product_code: str, by_mall: Mapping[str, int]) -> None:
    """Store the lowest effective price (KRW) of each mall that had the product; the overall lowest is among them."""
    source, final = min(by_mall.items(), key=lambda item: item[1])
    cur.execute(
        SQL["record"],
        {
            "job_id": job_id,
            "product_code": product_code,
            "naver": by_mall.get("naver"),
            "coupang": by_mall.get("coupang"),
            "final": final,
            "source": source,
            "by_mall": Json(dict(by_mall)),
        },
    )


def history(cur: Cursor, product_code: str, limit: int = 1000) -> list[PricePoint]:
    """The newest `limit` points of a product, oldest first."""
    cur.execute(SQL["history"], (product_code, limit))
    return [PricePoint(*row) for row in reversed(cur.fetchall())]


def forget(cur: Cursor, job_id: str) -> None:
    """What this search had found counts no more: it is taken up again."""
    cur.execute(SQL["forget"], (job_id,))


def remember_absent(cur: Cursor, key: str, seconds: float, reason: str) -> None:
    """Every mall answered "nothing": do not ask again for `seconds`."""
    cur.execute(SQL["remember_absent"], (key, seconds, reason))


def forget_absent(cur: Cursor, key: str) -> None:
    """The product exists after all."""
    cur.execute(SQL["forget_absent"], (key,))


def absent(cur: Cursor, key: str) -> tuple[str, datetime] | None:
    """(reason, until when) if the product is known to be absent."""
    cur.execute(SQL["absent"], (key,))
    row = cur.fetchone()
    return (row[0], row[1]) if row else None
