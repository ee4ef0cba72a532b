"""How values read on a page."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from flask import g

from model import MALLS
from store.schedule import KST
from web import present
from web.language import text

if TYPE_CHECKING:
    from decimal import Decimal

    from flask import Flask


def won(krw: int | None) -> str:
    """12900 → "12,900원", or "₩12,900" in English; "–" when it is not known."""
    if krw is None:
        return "–"
    return f"{krw:,}원" if g.lang == "ko" else f"₩{krw:,}"


def usd(value: Decimal | float | None) -> str:
    """Decimal("0.0123") → "$0.0123", whole cents from a dollar on; "–" when it is not known."""
    if value is None:
        return "–"
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def seconds(ms: float | None) -> str:
    """1234 ms → "1.2", 4 ms → "<0.1"; "–" when it is not known. web/static/job.js does the same."""
    if ms is None:
        return "–"
    return "<0.1" if 0 < ms < 100 else f"{ms / 1000:.1f}"


def percent(share: float) -> str:
    """0.934 → "93 %"; never rounded up to 100."""
    return f"{int(share * 100)} %"


def clock(iso: str | None) -> str:
    """A stored moment as Korean wall time: "11-30 14:20"; the year only when it is another one."""
    if not iso:
        return "–"
    moment = datetime.fromisoformat(iso).astimezone(KST)
    year = "" if moment.year == datetime.now(KST).year else "%Y-"
    return moment.strftime(f"{year}%m-%d %H:%M")


def stamp(iso: str | None) -> str:
    """A stored moment as Korean wall time, in full: "2026-11-30 14:20"."""
    return f"{datetime.fromisoformat(iso).astimezone(KST):%Y-%m-%d %H:%M}" if iso else "–"


def shipping_text(row: dict[str, Any]) -> str:
    """What is added to an offer's price for shipping, and whether that is known."""
    if row["shipping_krw"] == 0:
        return text("offers.free")
    if row["shipping_krw"] is not None:
        return text("offers.shipping", won=won(row["shipping_krw"]))
    if row["effective_price_krw"] is None:
        return text("offers.unknown")
    return text("offers.assumed", won=won(row["effective_price_krw"] - row["price_krw"]))


def clock_now() -> str:
    """Now as Korean wall time with seconds: "03:12:45"."""
    return f"{datetime.now(KST):%H:%M:%S}"


def mall_place(mall: str) -> int:
    """Where a mall stands on the path, unknown ones last."""
    return MALLS.index(mall) if mall in MALLS else len(MALLS)


def install(app: Flask) -> None:
    """Make them known to the templates."""
    for function in (won, usd, seconds, percent, clock, stamp):
        app.jinja_env.filters[function.__name__] = function
    app.jinja_env.filters["mall_name"] = present.mall_text
    for shown in (shipping_text, present.mall_text, present.reason_text, present.stage_text, mall_place, clock_now):
        app.jinja_env.globals[shown.__name__] = shown
    app.jinja_env.globals["tone"] = present.tone
    app.jinja_env.globals["problem_text"] = lambda problem: text(f"problem.{problem.code}")
