"""11st: home, the web shop's JSON (`/search/api/tab`) and its page (`/pc/total-search`), product pages.

The JSON never states shipping; the page does for some cards. Ads are widgets of their own and lead through a click
counter, so that their links carry no product number.
"""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from sandbox import markup
from sandbox.answer import JSON, Answer, Ask, View, html
from sandbox.markup import percent_off, when, won

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.catalogue import SandboxOffer

BRAND = "11번가"
OPEN_API = "/openapi/OpenApiService.tmall"
SEARCH_PATHS = ("/search/api/tab", "/search/api/tab/", "/pc/total-search", "/Search.tmall", OPEN_API)
PRODUCT_PATHS = ("/products/", "/adoffice/click", "/catalog/")
COOKIES = ("PCID=17000000000000000000", "WMONID=sandbox", "TT=sandbox")
NO_RESULT = "검색결과가 없습니다"
_SOLD = '<span class="c-card-item__soldout">품절</span>'
_AD = '<span class="c-badge-ad">광고</span>'
LOADING = "데이터를 로딩 중입니다."
BANNED = (
    '<div class="captcha"><h1>비정상적인 접근</h1><p>보안 확인이 필요합니다.</p>'
    '<form action="/captcha" method="post"><input name="answer"></form></div>'
)
PREFIXES = {
    "c-search-list": "c-goods-grid",
    "c-card-item": "c-tile",
    '"groupName"': '"collection"',
    '"finalPrc"': '"dscPrc"',
    "ProductName>": "PrdNm>",
}


def keyword(ask: Ask) -> str:
    """What is searched for."""
    return ask.query.get("kwd") or ask.query.get("keyword", "")


def search(ask: Ask, hits: Sequence[SandboxOffer], view: View) -> Answer:
    """The first result page, as JSON or as a page."""
    if ask.path == OPEN_API:
        return _open_api(ask, hits, view)
    if "/api/" not in ask.path:
        return _page(ask, hits, view)
    body = json.dumps(_tab(ask, hits, view), ensure_ascii=False, separators=(",", ":"))
    return Answer(body=body.encode(), content_type=JSON)


def _tab(ask: Ask, hits: Sequence[SandboxOffer], view: View) -> dict[str, Any]:
    shown = [] if view.banned or view.loading else hits
    items = [_item(ask.base, one, view, place) for place, one in enumerate(shown, 1)]
    ads = [item for item in items if item["adProduct"]]
    data: list[dict[str, Any]] = [{"groupName": "searchKeyword", "type": "SearchKeyword", "items": []}]
    if ads:
        data.append({"groupName": "topAd", "type": "PowerProduct", "title": "파워상품", "items": ads[:4]})
    if items:
        data.append({"groupName": "list", "type": "CommonProduct", "totalCount": len(items), "items": items})
        data.append(
            {"groupName": "recommend", "type": "RecommendProduct", "title": "함께 본 상품", "items": items[-2:]}
        )
    elif not view.banned and not view.loading:
        data.append(
            {"groupName": "noResult", "type": "NoResult", "text": f"'{keyword(ask)}'에 대한 {NO_RESULT}.", "items": []}
        )
    return {
        "sandbox": True,
        "isBanned": view.banned,
        "kwd": keyword(ask),
        "tabId": ask.query.get("tabId", "TOTAL_SEARCH"),
        "totalCount": len(items),
        "totalPage": 1 if items else 0,
        "pageNo": 1,
        "nextCollectionIndex": 0,
        "prdMoreStartShowCnt": len(items),
        "data": [] if view.banned or view.loading else data,
    }


def _item(base: str, offer: SandboxOffer, view: View, place: int) -> dict[str, Any]:
    draw = markup.shelf(offer.offer_id)
    sold = offer.sold_out or view.sold_out
    item: dict[str, Any] = {
        "id": offer.offer_id,
        "title": offer.title,
        "finalPrc": offer.price_krw,
        "selPrc": offer.list_price_krw or offer.price_krw,
        "unitTxt": "원~" if offer.option_range else "원",
        "discountRate": percent_off(offer.list_price_krw, offer.price_krw) if offer.list_price_krw else 0,
        "linkUrl": _link(base, offer),
        "imageUrl": f"{base}/img/{offer.offer_id}.png",
        "sellerNickName": offer.seller,
        "adProduct": offer.ad,
        "isSoldOut": sold,
        "soldOut": sold,
        "satisfactionScore": draw.choice((4.3, 4.7, 4.9, None)),
        "reviewCountText": won(draw.randrange(1, 4000)),
        "brandEngNm": "",
        "isOverseas": offer.overseas,
        "isUsed": offer.used,
    }
    if offer.catalogue:
        item["catalogProduct"] = True
    if view.no_price and place % 3 == 0:
        del item["finalPrc"], item["selPrc"]
    return item


def _link(base: str, offer: SandboxOffer) -> str:
    if offer.ad:
        return f"{base}/adoffice/click?ctgr=search&trc=S{offer.offer_id % 7919}"
    return f"{base}/{'catalog' if offer.catalogue else 'products'}/{offer.offer_id}"


def _page(ask: Ask, hits: Sequence[SandboxOffer], view: View) -> Answer:
    query = keyword(ask)
    head = markup.search_box(f"{ask.base}/pc/total-search", "kwd", query, BRAND, ask.base)
    if view.banned:
        return html(markup.page("st11", "11번가", BANNED, base=ask.base), status=403)
    if view.loading:
        inner = f'<div class="dim_wrap"><p class="loading">{LOADING}</p></div>'
    elif not hits:
        inner = (
            '<div class="search_no_result no-result"><p class="c-search-noresult__text">'
            f"<strong>'{escape(query)}'</strong>에 대한 {NO_RESULT}.</p></div>"
        )
    else:
        cards = "".join(_card(ask.base, one, view, place) for place, one in enumerate(hits, 1))
        rows = f'<ul class="c-search-list c-search-list__container">{cards}</ul>'
        inner = f'<section class="search_section" id="section_commonPrd">{rows}</section>'
    body = (
        f'<div id="App"><div id="wrapBody">{head}<div id="layBodyWrap"><div class="l_content"><div '
        'class="s_search s_search_tab">'
        f'<div class="l_search_content" role="main"><h2 class="sr-only">검색결과</h2>{inner}</div></div></div></div>'
        f"{markup.footer(BRAND)}</div></div>"
    )
    return html(markup.page("st11", "11번가 | 검색결과", body, base=ask.base, body_class="l_body"))


def _card(base: str, offer: SandboxOffer, view: View, place: int) -> str:
    log = {
        "content_type": "PRODUCT",
        "content_no": str(offer.offer_id),
        "ad_yn": "Y" if offer.ad else "N",
        "collection_object": "AD" if offer.ad else "COMMON",
    }
    sold = when(offer.sold_out or view.sold_out, _SOLD)
    compare = '<span class="c-badge">가격비교</span>' if offer.catalogue else ""
    price = "" if view.no_price and place % 3 == 0 else _card_price(offer)
    return (
        '<li class="c-search-list__item"><div class="c-card-item c-card-item--list">'
        f'<a class="c-card-item__anchor" href="{escape(_link(base, offer))}" '
        f'data-log-body="{escape(json.dumps(log))}">'
        '<span class="sr-only">상품 상세보기</span></a><div class="c-card-item__thumb"><img '
        f'src="{base}/img/{offer.offer_id}.png" '
        f'alt="{escape(offer.title)}">{sold}</div>'
        '<dl class="c-card-item__info"><div class="c-card-item__name"><dt><span class="sr-only">상품명</span>'
        f"</dt><dd>{escape(offer.title)}</dd></div>"
        f'{price}{_card_delivery(offer)}</dl>{compare}<div class="c-seller"><span class="sr-only">판매자</span>'
        f'<span class="c-seller__name">{escape(offer.seller)}</span></div>{when(offer.ad, _AD)}</div></li>'
    )


def _card_price(offer: SandboxOffer) -> str:
    before = ""
    if offer.list_price_krw:
        off = percent_off(offer.list_price_krw, offer.price_krw)
        before = (
            f'<dd class="c-card-item__rate"><span class="sr-only">할인율</span><span class="value">{off}</span>%</dd>'
            '<dd class="c-card-item__price-del"><del><span class="sr-only">정가</span><span '
            f'class="value">{won(offer.list_price_krw)}</span>원</del></dd>'
        )
    tilde = "~" if offer.option_range else ""
    return (
        f'<div class="c-card-item__price-info"><dt class="sr-only">가격</dt>{before}<dd class="c-card-item__price">'
        f'<span class="sr-only">판매가</span><span class="value">{won(offer.price_krw)}</span><span '
        f'class="unit">원{tilde}</span></dd></div>'
    )


def _card_delivery(offer: SandboxOffer) -> str:
    if offer.shipping_krw is None:
        return ""
    fee = "무료" if offer.shipping_krw == 0 else f"{won(offer.shipping_krw)}원"
    value = f'<span class="sr-only">배송비</span><span class="value">{fee}</span>'
    return f'<dd class="c-card-item__price-delivery">{value}</dd>'


def _open_api(ask: Ask, hits: Sequence[SandboxOffer], view: View) -> Answer:
    """The official interface, in UTF-8 here: `in_euckr` makes of it what is sent."""
    if not ask.query.get("key") or ask.query["key"].startswith("bad"):
        error = "<Error><Code>003</Code><Message>등록되지 않은 API 키입니다.</Message></Error>"
        return _xml(f"<ErrorResponse>{error}</ErrorResponse>")
    rows = "".join(_product(ask.base, one, view, place) for place, one in enumerate(hits, 1))
    total = f"<TotalCount>{len(hits)}</TotalCount>"
    return _xml(f"<ProductSearchResponse><Products>{total}{rows}</Products></ProductSearchResponse>")


def _product(base: str, offer: SandboxOffer, view: View, place: int) -> str:
    priced = not (view.no_price and place % 3 == 0)
    price = f"<SalePrice>{offer.price_krw}</SalePrice>" if priced else ""
    fee = "" if offer.shipping_krw is None else "무료" if not offer.shipping_krw else f"{won(offer.shipping_krw)}원"
    return (
        f"<Product><ProductCode>{offer.offer_id}</ProductCode><ProductName><![CDATA[{offer.title}]]></ProductName>"
        f"<ProductPrice>{offer.list_price_krw or offer.price_krw if priced else ''}</ProductPrice>"
        f"<SellerNick><![CDATA[{offer.seller}]]></SellerNick>"
        f"<DetailPageUrl><![CDATA[{base}/products/{offer.offer_id}]]></DetailPageUrl>{price}<Delivery>{fee}</Delivery></Product>"
    )


def _xml(body: str) -> Answer:
    head = '<?xml version="1.0" encoding="euc-kr" standalone="yes"?><!-- LPS sandbox -->'
    return Answer(body=(head + body).encode(), content_type="text/xml; charset=euc-kr")


def in_euckr(answer: Answer) -> Answer:
    """The answer in the charset that it declares."""
    return replace(answer, body=answer.body.decode(errors="replace").encode("cp949", "xmlcharrefreplace"))
