"""Coupang: home, `/np/search?q=` in the React markup (hash suffixes) or, by switch, the former one, product pages.

Class prefixes are the ones public parsers of the real page agree on; the hash suffixes rotate and mean nothing.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from sandbox import markup
from sandbox.answer import Answer, Ask, View, html
from sandbox.malls import coupang_old
from sandbox.markup import percent_off, when, won

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.catalogue import SandboxOffer

BRAND = "쿠팡"
SEARCH_PATHS = ("/np/search",)
PRODUCT_PATHS = ("/vp/products/",)
COOKIES = ("_abck=sandbox~0~-1", "bm_sz=sandbox", "PCID=17000000000000000")
NO_RESULT = "검색결과가 없습니다"
_SOLD = '<div class="ProductUnit_soldOut__t5Zr2">일시품절</div>'
_SOLD_PRICE = '<div class="fw-text-red-700">일시품절</div>'
_AD = '<span class="AdMark_adMark__KPMsC">광고</span>'
PREFIXES = {
    "ProductUnit_": "GoodsCell_",
    "PriceArea_": "CostBox_",
    "product-list": "goods-grid",
    "search-product": "goods-cell",
}
"""What `drift_prefix` renames."""


def keyword(ask: Ask) -> str:
    """What is searched for."""
    return ask.query.get("q", "")


def search(ask: Ask, hits: Sequence[SandboxOffer], view: View) -> Answer:
    """The first result page."""
    query = keyword(ask)
    head = markup.search_box(f"{ask.base}/np/search", "q", query, BRAND, ask.base)
    if view.loading:
        inner = '<div id="searchOptionForm" data-list="pending"></div><ul id="product-list"></ul>'
    elif not hits:
        inner = _nothing(query)
    elif view.old:
        links = [_link(ask.base, query, place, one) for place, one in enumerate(hits, 1)]
        inner = coupang_old.result(ask.base, query, hits, view, links)
    else:
        cards = [_card(ask.base, query, place, one, view) for place, one in enumerate(hits, 1)]
        cards.insert(min(4, len(cards)), _best_sellers(ask.base, hits[0]))
        inner = (
            f'<div class="srp_resultHeader__Kq3Hw"><strong>{escape(query)}</strong>에 대한 검색결과</div>'
            f'<ul id="product-list" class="ProductList_productList__Lp3Xk">{"".join(cards)}</ul>'
        )
    body = f'{head}<main id="searchOptionForm">{inner}</main>{markup.footer(BRAND)}'
    return html(markup.page("coupang", f"쿠팡! | {query}", body, base=ask.base, body_class="srp"))


def _nothing(query: str) -> str:
    return (
        '<div class="no-result NoResult_noResult__h2Xw1 search-no-result">'
        f"<p><strong>'{escape(query)}'</strong>에 대한 {NO_RESULT}.</p>"
        "<p>다른 검색어를 입력하시거나 철자와 띄어쓰기를 확인해 보세요.</p></div>"
    )


def _best_sellers(base: str, offer: SandboxOffer) -> str:
    return (
        '<li class="best-seller"><h3>이 카테고리 베스트셀러</h3>'
        f'<a href="{base}/vp/products/{offer.offer_id}?itemId=1&amp;vendorItemId=2&amp;sourceType=srp_widget">'
        f'<div class="BestSeller_name__x81Kd">{escape(offer.title)}</div><em>{won(offer.price_krw)}원</em></a></li>'
    )


def _link(base: str, query: str, place: int, offer: SandboxOffer) -> str:
    """The card's link: relative to the host, ads told by two parameters."""
    kind = "srp_product_ads" if offer.ad else "search"
    more = "&korePlacement=15" if offer.ad else ""
    path = base[base.index("/", 8) :] if base.count("/") > 2 else ""
    return (
        f"{path}/vp/products/{offer.offer_id}?itemId={offer.offer_id + 7}&vendorItemId={offer.offer_id + 13}"
        f"&q={quote(query)}&sourceType={kind}&rank={place}{more}"
    )


def _card(base: str, query: str, place: int, offer: SandboxOffer, view: View) -> str:
    sold = offer.sold_out or view.sold_out
    priced = not (view.no_price and place % 3 == 0)
    return (
        f'<li class="ProductUnit_productUnit__Qd6sv" data-id="{offer.offer_id + 13}">'
        f'<a href="{escape(_link(base, query, place, offer))}" target="_blank" rel="noreferrer">'
        f'<figure class="ProductUnit_productImage__Mqcg1">{when(sold, _SOLD)}'
        f'<img alt="{escape(offer.title)}" src="{base}/img/{offer.offer_id}.png" width="212" height="212"></figure>'
        f'<div class="ProductUnit_productInfo__1l0il">'
        f'<div class="ProductUnit_productNameV2__cV9cw">{escape(offer.title)}</div>'
        f"{_prices(offer, sold=sold) if priced else ''}{_delivery(base, offer)}{_rating(offer)}</div>"
        f"{when(offer.ad, _AD)}</a></li>"
    )


def _prices(offer: SandboxOffer, *, sold: bool) -> str:
    old = new = ""
    colour = "fw-text-bluegray-900"
    if offer.list_price_krw:
        off = percent_off(offer.list_price_krw, offer.price_krw)
        old = (
            '<div class="custom-oos fw-flex"><del class="custom-oos fw-line-through fw-text-[12px]">'
            f"{won(offer.list_price_krw)}<!-- -->원</del></div>"
        )
        new = f'<div class="custom-oos fw-mr-[2px] fw-font-bold">{off}<!-- -->%</div>'
        colour = "fw-text-red-700"
    tilde = "~" if offer.option_range else ""
    unit = f'<span class="custom-oos fw-text-[12px]">({offer.unit_price})</span>' if offer.unit_price else ""
    return (
        f'<div class="PriceArea_priceArea__NntJz">{old}<div class="custom-oos fw-flex fw-items-center">{new}'
        f'<div class="custom-oos fw-text-[20px]/[24px] fw-font-bold {colour}">{won(offer.price_krw)}<!-- -->'
        f"원{tilde}</div>"
        f"{unit}</div>{_benefits(offer)}{when(sold, _SOLD_PRICE)}</div>"
    )


def _benefits(offer: SandboxOffer) -> str:
    told = (
        ("와우회원가", offer.member_krw),
        ("쿠폰할인가", offer.coupon_krw),
        ("카드할인가", offer.card_krw),
    )
    return "".join(
        f'<div class="BenefitBadge_benefit__w9Qa1"><span>{name}</span> <span>{won(price)}<!-- -->원</span></div>'
        for name, price in told
        if price
    )


def _delivery(base: str, offer: SandboxOffer) -> str:
    parts = []
    if offer.overseas:
        parts.append(
            f'<div class="ImageBadge_default__JWaYp"><img src="{base}/img/jikgu_badge.png" alt="로켓직구"></div>'
        )
    elif offer.offer_id % 2:
        parts.append(
            f'<div class="ImageBadge_default__JWaYp"><img src="{base}/img/logo_rocket_large.png" alt="로켓배송"></div>'
        )
    if offer.free_from_krw:
        parts.append(f'<div class="TextBadge_feePrice__n_gta">배송비 {won(offer.shipping_krw or 0)}원</div>')
        parts.append(f"<span>조건부 무료배송 ({won(offer.free_from_krw)}원 이상)</span>")
    elif offer.shipping_krw:
        parts.append(f'<div class="TextBadge_feePrice__n_gta">배송비 {won(offer.shipping_krw)}원</div>')
    elif offer.shipping_krw == 0:
        parts.append('<span style="color:#454F5B">무료배송</span>')
    parts.append('<span style="color:#008C00">내일(수) 도착 보장</span>')
    return f'<div class="DeliveryInfo_delivery__pR3s9">{"".join(parts)}</div>'


def _rating(offer: SandboxOffer) -> str:
    draw = markup.shelf(offer.offer_id)
    stars, count = draw.choice(("4", "4.5", "5")), draw.randrange(3, 9000)
    return (
        f'<div class="ProductRating_productRating__jjf7W"><div aria-label="{stars}" class="fw-inline-flex"></div>'
        f'<span class="ProductRating_ratingCount__R0Vhz">(<!-- -->{won(count)}<!-- -->)</span></div>'
    )
