"""Naver's shopping search API: `/v1/search/shop.json`, at most 100 items a call.

Every value is a string. `productType` 1–3 is new, 4–6 used, 7–9 discontinued, 10–12 announced; the first of each three
is a catalogue row, whose price is right but whose seller is unknown. The API never speaks of shipping.
Source: naver/naver-openapi-guide, search/shopping.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote_plus

from crawl.card import Card, gather
from crawl.mall import Mall, Parsed, Ready
from crawl.records import cut_short, json_of, xml_field, xml_records
from crawl.text import Amount, plain, won

SITE = "https://search.shopping.naver.com/"
API_PATH = "/v1/search/shop.json"
BAD_KEY = ("024", "028")
QUOTA = "010"
"""errorCode of a key whose 25,000 calls of the day are used up."""
TOO_FAST = "012"
"""errorCode of a key that asks too often in one second."""


def search_url(
    base_url: str, query: str, *, display: int = 100, sort: str = "sim", exclude: str = "used:rental:cbshop"
) -> str:
    """One call's address; `exclude` as the API's own colon-separated words, "" for nothing."""
    left_out = f"&exclude={exclude}" if exclude else ""
    return f"{base_url}{API_PATH}?query={quote_plus(query)}&display={display}&start=1&sort={sort}{left_out}"


def parse(page: str, url: str = "") -> Parsed:
    """All items of one answer: JSON (whole, or its bare item list), or the .xml form."""
    data = json_of(page)
    if isinstance(data, list):
        data = {"items": data}
    if isinstance(data, dict):
        return _read(data.get("items"), data.get("total"), url, error=_error(data))
    if "<rss" in page[:500]:
        total, truncated = xml_field(page, "total"), "</rss>" not in page
        return _read(xml_records(page, "item"), total, url, truncated=truncated)
    return Parsed(truncated=cut_short(page))


def error_code(page: str) -> str:
    """The API's own errorCode in a refused answer, or ""."""
    data = json_of(page)
    return str(data.get("errorCode", "")) if isinstance(data, dict) else ""


def _error(data: dict[str, Any]) -> str:
    """The kind of refusal the answer states, or ""."""
    code = str(data.get("errorCode") or "")
    if code in BAD_KEY:
        return "http_401"
    return "http_429" if code in (QUOTA, TOO_FAST) else ""


def _read(items: Any, total: Any, url: str, *, error: str = "", truncated: bool = False) -> Parsed:
    rows = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    found = gather("naver", url or SITE, map(_card, rows), search_page=isinstance(items, list), truncated=truncated)
    if found.cards or error:
        return found if not error else Parsed(banned=error)
    return Parsed(search_page=found.search_page, no_result=not truncated and str(total) == "0", truncated=truncated)


def _card(item: dict[str, Any]) -> Card:
    kind = int(number) if (number := _text(item, "productType")).isdecimal() and len(number) < 3 else 0
    group, place = divmod(kind - 1, 3) if 1 <= kind <= 12 else (0, -1)
    catalogue = place == 0 or (not kind and "/catalog/" in _text(item, "link"))
    lowest = won(_text(item, "lprice"))
    return Card(
        name=_text(item, "title"),
        price=Amount(lowest) if lowest else None,
        url=_text(item, "link"),
        item_id=_text(item, "productId"),
        seller="" if catalogue else _text(item, "mallName"),
        used=group == 1,
        sold_out=group == 2,
        preorder=group == 3,
        catalogue=catalogue,
    )


def _text(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    return plain(str(value)) if isinstance(value, (str, int)) else ""


MALL = Mall(
    name="naver",
    home_url="/",
    search_url=search_url,
    page_url=search_url,
    parse=parse,
    ready=Ready(cards="pre", settled="pre"),
)
