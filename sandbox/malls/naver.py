"""Naver's shopping search API: `/v1/search/shop.json`, as the official guide describes it and as it really answers.

Every value is a string, `hprice` is empty, matched words stand in `<b>`, catalogue rows come from the mall "네이버" and
say nothing of shipping.
"""

from __future__ import annotations

import json
import re
from html import escape
from typing import TYPE_CHECKING, Any

from sandbox import markup
from sandbox import search as finder
from sandbox.answer import JSON, Answer, Ask, View, html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.catalogue import SandboxOffer

BRAND = "네이버 쇼핑 API"
SEARCH_PATHS = ("/v1/search/shop.json",)
PRODUCT_PATHS = ("/catalog/", "/main/products/")
COOKIES: tuple[str, ...] = ()
NO_RESULT = '"total":0'
PREFIXES = {'"lprice"': '"lowPrice"', '"title"': '"name"'}
_SORTS = ("sim", "date", "asc", "dsc")
_ERRORS = {
    "SE01": (400, "Incorrect query request (잘못된 쿼리요청입니다.)"),
    "SE02": (400, "Invalid display value (부적절한 display 값입니다.)"),
    "SE03": (400, "Invalid start value (부적절한 start 값입니다.)"),
    "SE04": (400, "Invalid sort value (부적절한 sort 값입니다.)"),
    "SE05": (404, "Invalid search api (존재하지 않는 검색 api 입니다.)"),
    "SE99": (500, "System Error (시스템 에러)"),
    "024": (401, "Not Exist Client ID : Authentication failed. (인증에 실패했습니다.)"),
    "012": (429, "Rate limit exceeded. (속도 제한을 초과했습니다.)"),
    "010": (429, "Query limit exceeded. (쿼리 한도를 초과했습니다.)"),
    "403": (403, "Scope Status Invalid : Authentication failed. (검색 API 권한이 없습니다.)"),
}


def keyword(ask: Ask) -> str:
    """What is searched for."""
    return ask.query.get("query", "")


def failure(code: str) -> Answer:
    """The API's own error answer."""
    status, text = _ERRORS[code]
    number = "024" if code == "403" else code
    body = json.dumps({"errorMessage": text, "errorCode": number, "sandbox": True}, ensure_ascii=False)
    return Answer(body=body.encode(), status=status, content_type=JSON)


def refusal(ask: Ask) -> Answer | None:
    """What is wrong with the request, if anything: missing keys first, as the real gate does."""
    client = ask.headers.get("x-naver-client-id", "")
    if not client or not ask.headers.get("x-naver-client-secret") or client.startswith("bad"):
        return failure("024")
    if not keyword(ask).strip():
        return failure("SE01")
    if not 1 <= _number(ask, "display", 10) <= 100:
        return failure("SE02")
    if not 1 <= _number(ask, "start", 1) <= 1000:
        return failure("SE03")
    return None if ask.query.get("sort", "sim") in _SORTS else failure("SE04")


def _number(ask: Ask, name: str, default: int) -> int:
    text = ask.query.get(name, str(default))
    return int(text) if text.isascii() and text.isdigit() else 0


def search(ask: Ask, hits: Sequence[SandboxOffer], view: View) -> Answer:
    """The API's answer to a well-formed request."""
    rows = [one for one in hits if not _excluded(ask, one)]
    if view.sold_out:
        rows = []
    items = [_item(ask.base, one) for one in _sorted(rows, ask.query.get("sort", "sim"))]
    if view.no_price:
        items = [{**item, "lprice": "" if place % 3 == 0 else item["lprice"]} for place, item in enumerate(items, 1)]
    return answer(ask, items)


def answer(ask: Ask, items: Sequence[dict[str, str]]) -> Answer:
    """Wrap items as the API does: only the asked page, matched words in bold."""
    start, display = _number(ask, "start", 1), _number(ask, "display", 10)
    asked = finder.words(keyword(ask))
    shown = [{**item, "title": bold(item["title"], asked)} for item in items[start - 1 : start - 1 + display]]
    body: dict[str, Any] = {
        "lastBuildDate": "Mon, 30 Nov 2026 09:00:00 +0900",
        "total": len(items),
        "start": start,
        "display": len(shown),
        "items": shown,
        "sandbox": True,
    }
    return Answer(body=json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(), content_type=JSON)


def bold(title: str, asked: Sequence[str]) -> str:
    """The title with every asked word in `<b>`, entities escaped."""
    safe = escape(title, quote=False)
    found = [re.escape(escape(word, quote=False)) for word in sorted(asked, key=len, reverse=True)]
    return re.sub("|".join(found), lambda hit: f"<b>{hit.group()}</b>", safe, flags=re.IGNORECASE) if found else safe


def _excluded(ask: Ask, offer: SandboxOffer) -> bool:
    out = ask.query.get("exclude", "").split(":")
    return (
        ("used" in out and 4 <= offer.product_type <= 6)
        or ("rental" in out and offer.rental)
        or ("cbshop" in out and offer.agent)
        or (ask.query.get("filter") == "naverpay" and offer.catalogue)
    )


def _sorted(rows: Sequence[SandboxOffer], order: str) -> list[SandboxOffer]:
    if order == "date":
        return sorted(rows, key=lambda one: -one.offer_id)
    if order in ("asc", "dsc"):
        return sorted(rows, key=lambda one: one.price_krw, reverse=order == "dsc")
    return list(rows)


def _item(base: str, offer: SandboxOffer) -> dict[str, str]:
    where = "catalog" if offer.catalogue else "main/products"
    levels = (*offer.category, "", "", "", "")[:4]
    named = offer.product_type in (1, 3)
    return {
        "title": offer.title,
        "link": f"{base}/{where}/{offer.offer_id}",
        "image": f"{base}/img/{offer.offer_id}.png",
        "lprice": str(offer.price_krw),
        "hprice": "",
        "mallName": offer.seller,
        "productId": str(offer.offer_id),
        "productType": str(offer.product_type),
        "brand": offer.brand if named else "",
        "maker": offer.maker if named else "",
        **{f"category{level}": name for level, name in enumerate(levels, 1)},
    }


def home(ask: Ask) -> Answer:
    """A page that says what this is; the real host has none."""
    text = f"<main><h1>{BRAND}</h1><p>GET {ask.base}{SEARCH_PATHS[0]}?query=…</p></main>"
    return html(markup.page("naver", BRAND, text, base=ask.base))
