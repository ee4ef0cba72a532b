"""Gmarket: home, `/n/search?keyword=` (server-rendered: `__NEXT_DATA__` and the same cards as DOM), product pages."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from sandbox import markup
from sandbox.answer import Answer, Ask, View, html
from sandbox.malls import esm
from sandbox.markup import percent_off, won

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.catalogue import SandboxOffer

BRAND = "G마켓"
SEARCH_PATHS = ("/n/search",)
PRODUCT_PATHS = ("/Item",)
COOKIES = ("pguid=21700000000000000000", "cguid=11700000000000000000", "jaehuid=sandbox")
NO_RESULT = "검색 결과가 없습니다"
PREFIXES = {
    "box__": "cell__",
    "text__": "label__",
    "list__": "rows__",
    "commonItemInfo": "sharedItemInfo",
    "__NEXT_DATA__": "__APP_STATE__",
}
_POWER = 4
"""Cards in the strip of power items above the list, when there are enough."""


def keyword(ask: Ask) -> str:
    """What is searched for."""
    return ask.query.get("keyword", "")


def search(ask: Ask, hits: Sequence[SandboxOffer], view: View) -> Answer:
    """The first result page."""
    query = keyword(ask)
    head = markup.search_box(f"{ask.base}/n/search", "keyword", query, BRAND, ask.base)
    inner = _inner(ask.base, query, hits, view)
    data = json.dumps(_next_data(ask.base, query, hits, view), ensure_ascii=False, separators=(",", ":"))
    safe = data.replace("</", "<\\u002f")
    script = f'<script id="__NEXT_DATA__" type="application/json">{safe}</script>'
    body = (
        f'<div id="__next">{head}<div id="section__inner-content-body-container" class="section__inner-content-body">'
        f"{inner}</div>{markup.footer(BRAND)}</div>"
    )
    return html(markup.page("gmarket", f"G마켓 - {query} 검색결과", body, base=ask.base, script=script))


def _inner(base: str, query: str, hits: Sequence[SandboxOffer], view: View) -> str:
    if view.loading:
        return '<div class="box__skeleton"></div>'
    if not hits:
        return (
            '<div class="section__module-wrap"><div class="box__no-result no-result"><p class="text__no-result">'
            f"<strong>'{escape(query)}'</strong>에 대한 {NO_RESULT}.</p>"
            '<p class="text__guide">단어의 철자 및 띄어쓰기가 정확한지 확인해 보세요.</p></div></div>'
        )
    power, rest = _split(hits)
    strip = "".join(
        f'<li class="list-item">{esm.card(base, one, _link(base, one), view, place=0)}</li>' for one in power
    )
    above = (
        '<div class="section__module-wrap"><p class="text__title">오늘의 프라임상품</p>'
        f'<ul class="list__slot">{strip}</ul></div>'
        if power
        else ""
    )
    cards = "".join(
        f'<div class="box__component box__component-itemcard box__component-itemcard--{_kind(one)}">'
        '<h4 class="text--module_title">일반상품 '
        f"아이템카드</h4>{esm.card(base, one, _link(base, one), view, place=place)}</div>"
        for place, one in enumerate(rest, 1)
    )
    return f'{above}<div class="section__module-wrap box__component-list">{cards}</div>'


def _split(hits: Sequence[SandboxOffer]) -> tuple[list[SandboxOffer], list[SandboxOffer]]:
    power = [one for one in hits[12:] if one.ad][:_POWER]
    ids = {one.offer_id for one in power}
    return power, [one for one in hits if one.offer_id not in ids]


def _kind(offer: SandboxOffer) -> str:
    return "smiledelivery" if offer.offer_id % 11 == 0 else "general"


def _link(base: str, offer: SandboxOffer) -> str:
    return f"{base}/Item?goodscode={offer.offer_id}" + ("&buyboxtype=ad" if offer.ad else "")


def _next_data(base: str, query: str, hits: Sequence[SandboxOffer], view: View) -> dict[str, Any]:
    modules = [] if view.loading else _modules(base, query, hits, view)
    names = ("floating_menu", "page_header", "filter", "content")
    regions = {
        "floatingMenu": {"id": 179029, "name": names[0], "orderBy": 1, "modules": []},
        "filter": {"id": 179031, "name": names[2], "orderBy": 3, "modules": []},
        "pageHeader": {"id": 179030, "name": names[1], "orderBy": 2, "modules": []},
        "content": {"id": 179032, "name": names[3], "orderBy": 4, "modules": modules},
    }
    curator = {
        "requestId": "sandbox",
        "pageViewLog": {"pageValue": _page_value(query, len(hits))},
        "headTags": [{"name": "title", "value": f"G마켓 - {query} 검색결과"}],
        "viewConfig": {"header": {"type": "KEYWORD", "title": query}, "viewType": "l"},
        "resultCode": 0,
        "resultDescription": "Success",
        "isValidResponse": True,
        "regionsData": regions,
    }
    states = {
        "curatorData": curator,
        "filterState": [],
        "user": {"isSmileClub": False},
        "siteOptions": {"isApp": False},
    }
    return {
        "props": {"pageProps": {"initialStates": states, "serverData": {"error": False}}, "__N_SSP": True},
        "page": "/n/search",
        "query": {"keyword": query},
        "buildId": "sandbox-33lefUvIUsXPON",
        "assetPrefix": "/n/search",
        "isFallback": False,
        "gssp": True,
        "sandbox": True,
    }


def _page_value(query: str, count: int) -> dict[str, Any]:
    return {
        "originalKeyword": query,
        "suggestedKeyword": query,
        "keywordType": 100,
        "itemCount": count,
        "pageIndex": 1,
        "sortType": 7,
    }


def _modules(base: str, query: str, hits: Sequence[SandboxOffer], view: View) -> list[dict[str, Any]]:
    if not hits:
        title = f"'{query}'에 대한 {NO_RESULT}."
        rows = [{"design": 21, "designName": "NoResult", "viewModel": {"title": title, "modelName": "NoResult"}}]
        return [{"id": 208230, "designGroup": 3, "rows": rows}]
    power, rest = _split(hits)
    modules = []
    if power:
        items = [_view_model(base, one, view, place=0) for one in power]
        row = {"design": 17, "designName": "RecommendSlot_PowerItem", "viewModel": {"itemList": items}}
        modules.append({"id": 208237, "designGroup": 1002, "rows": [row]})
    rows = [_row(base, one, view, place) for place, one in enumerate(rest, 1)]
    modules.append({"id": 208241, "designGroup": 15, "rows": rows[:18]})
    if rows[18:]:
        modules.append({"id": 208244, "designGroup": 15, "rows": rows[18:]})
    pages = {
        "design": 11,
        "designName": "Pagination",
        "viewModel": {"currentPageIndex": 1, "lastPageIndex": 1, "pageList": []},
    }
    modules.append({"id": 208256, "designGroup": 9, "rows": [pages]})
    return modules


def _row(base: str, offer: SandboxOffer, view: View, place: int) -> dict[str, Any]:
    smile = _kind(offer) == "smiledelivery"
    return {
        "design": 8 if smile else 5,
        "designName": "ItemCardSmile" if smile else "ItemCardGeneral",
        "viewModel": _view_model(base, offer, view, place=place),
    }


def _view_model(base: str, offer: SandboxOffer, view: View, *, place: int) -> dict[str, Any]:
    draw = markup.shelf(offer.offer_id)
    tags = esm.tags(offer)
    info: dict[str, Any] = {
        "item": _item(base, offer),
        "score": {
            "feedbackCount": {"text": str(draw.randrange(1, 900))},
            "payCount": {"text": won(draw.randrange(1, 9000))},
            "avgStarScore": draw.choice(("4.5", "5.0", "")),
            "payCountPrefix": "구매",
        },
        "brand": {"text": offer.brand, "altText": offer.brand},
        "isVisibleOfficialTag": False,
        "relatedGroupNo": "0",
        "tags": tags,
        "benefitTags": [{"tagContent": tag, "tagType": 3} for tag in esm.benefits(offer)],
        "deliveryTags": [{"text": _text(tag, 12, "#616161")} for tag in tags],
        "hookingTag": [],
    }
    if not (view.no_price and place % 3 == 0):
        info["price"] = _price(offer)
    return {
        "itemNo": str(offer.offer_id),
        "titleVisible": False,
        "commonItemInfo": info,
        "seller": {
            "seller": {"text": offer.seller, "altText": offer.seller, "link": f"{base}/minishop/{offer.offer_id % 97}"},
            "sellerGradeTags": [],
            "isPurchasedSeller": False,
        },
        "isFavoriteItem": False,
        "isCartVisible": True,
        "isSoldOut": offer.sold_out or view.sold_out,
        "eventTags": [],
        "category": {"lCode": "100000002", "mCode": "200001966", "sCode": "300021072"},
        "modelName": "ItemCardSmile" if _kind(offer) == "smiledelivery" else "ItemCardGeneral",
    }


def _item(base: str, offer: SandboxOffer) -> dict[str, Any]:
    uts: dict[str, Any] = {"goodscode": str(offer.offer_id), "page": 1}
    if offer.ad:
        uts |= {"tier": 1, "atsclickurl": "sandbox", "adTier": "1200101001"}
    return {
        "text": offer.title,
        "imageUrl": f"{base}/img/{offer.offer_id}.png",
        "altText": offer.title,
        "link": _link(base, offer),
        "utsEvent": "click",
        "utsCode": "200011491",
        "utsType": "item",
        "utsValue": json.dumps(uts, ensure_ascii=False) + ("&adTier=1200101001" if offer.ad else ""),
    }


def _price(offer: SandboxOffer) -> dict[str, Any]:
    unit = "원~" if offer.option_range else "원"
    price: dict[str, Any] = {
        "binPrice": won(offer.price_krw),
        "binPriceUnit": unit,
        "price": _text(won(offer.price_krw), 14, "#424242", bold=True),
        "priceUnit": _text(unit, 12, "#424242", bold=True),
    }
    if offer.list_price_krw:
        price["dcRate"] = _text(f"{percent_off(offer.list_price_krw, offer.price_krw)}%", 13, "#DA120D")
        price["beforePrice"] = _text(won(offer.list_price_krw), 11, "#9E9E9E")
        price["beforePriceUnit"] = _text("원", 11, "#9E9E9E")
    if offer.coupon_krw:
        price["couponPrice"] = _text(won(offer.coupon_krw), 12, "#DA120D")
    return price


def _text(text: str, size: int, color: str, *, bold: bool = False) -> dict[str, Any]:
    return {"text": text, "size": size, "color": color, "isBold": bold, "fontType": 0}
