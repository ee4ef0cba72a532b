"""Coupang's former result list (until early 2025): `li.search-product` with plain class names."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sandbox import markup
from sandbox.markup import percent_off, when, won

_SOLD = '<div class="out-of-stock">일시품절</div>'

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.answer import View
    from sandbox.catalogue import SandboxOffer


def result(base: str, query: str, hits: Sequence[SandboxOffer], view: View, links: Sequence[str]) -> str:
    """The list with its heading; `links` are the cards' own, in their order."""
    cards = [_card(base, place, one, view, links[place - 1]) for place, one in enumerate(hits, 1)]
    widget = (
        f'<li class="search-product best-seller" data-product-id="0"><a class="search-product-link" href="#">'
        f'<div class="name">베스트셀러 모아보기</div>'
        f'<strong class="price-value">{won(hits[0].price_krw)}</strong></a></li>'
    )
    cards.insert(min(4, len(cards)), widget)
    return (
        f"<div class=\"search-query-result\">'{escape(query)}'에 대한 검색결과</div>"
        f'<ul id="productList" class="search-product-list">{"".join(cards)}</ul>'
    )


def _card(base: str, place: int, offer: SandboxOffer, view: View, link: str) -> str:
    sold = offer.sold_out or view.sold_out
    kind = "search-product search-product__ad-badge" if offer.ad else "search-product"
    ad = '<span class="ad-badge-text">AD</span>' if offer.ad else ""
    price = "" if view.no_price and place % 3 == 0 else _price(offer)
    return (
        f'<li class="{kind}" id="{offer.offer_id}" data-product-id="{offer.offer_id}" '
        f'data-item-id="{offer.offer_id + 7}" '
        f'data-vendor-item-id="{offer.offer_id + 13}">'
        f'<a class="search-product-link" href="{escape(link)}" target="_blank">'
        f'<dl class="search-product-wrap"><dt class="image">'
        f'<img class="search-product-wrap-img" alt="{escape(offer.title)}" '
        f'src="{base}/img/{offer.offer_id}.png"></dt>'
        f'<dd class="descriptions"><div class="descriptions-inner">{ad}<div class="name">{escape(offer.title)}</div>'
        f'{when(sold, _SOLD)}<div class="price-area">{price}</div>'
        f"{_delivery(base, offer)}{_rating(offer)}</div></dd></dl></a></li>"
    )


def _price(offer: SandboxOffer) -> str:
    before = ""
    if offer.list_price_krw:
        off = percent_off(offer.list_price_krw, offer.price_krw)
        before = (
            f'<span class="discount-percentage">{off}%</span><del class="base-price">{won(offer.list_price_krw)}</del>'
        )
    unit = f'<span class="unit-price">({offer.unit_price})</span>' if offer.unit_price else ""
    tilde = "~" if offer.option_range else ""
    beside = (("와우회원가", offer.member_krw), ("쿠폰할인가", offer.coupon_krw), ("카드할인가", offer.card_krw))
    wow = "".join(f'<span class="benefit-price">{name} {won(price)}원</span>' for name, price in beside if price)
    return (
        f'<div class="price-wrap">{before}<div class="price"><em class="sale">'
        f'<strong class="price-value">{won(offer.price_krw)}</strong>원{tilde}</em>{unit}</div>{wow}</div>'
    )


def _delivery(base: str, offer: SandboxOffer) -> str:
    rocket = ""
    if offer.overseas:
        rocket = f'<span class="badge rocket"><img src="{base}/img/jikgu_badge.png" alt="로켓직구"></span>'
    elif offer.offer_id % 2:
        rocket = f'<span class="badge rocket"><img src="{base}/img/logo_rocket_large.png" alt="로켓배송"></span>'
    fee = ""
    if offer.free_from_krw:
        threshold = f"<em>조건부 무료배송 ({won(offer.free_from_krw)}원 이상)</em>"
        fee = f'<span class="fee-price">배송비 {won(offer.shipping_krw or 0)}원</span> {threshold}'
    elif offer.shipping_krw:
        fee = f'<span class="fee-price">배송비 {won(offer.shipping_krw)}원</span>'
    elif offer.shipping_krw == 0:
        fee = '<em class="free">무료배송</em>'
    return f'<div class="delivery">{rocket}{fee}<span class="arrival-info">내일(수) 도착 보장</span></div>'


def _rating(offer: SandboxOffer) -> str:
    draw = markup.shelf(offer.offer_id)
    return (
        f'<div class="other-info"><em class="rating">{draw.choice(("4.0", "4.5", "5.0"))}</em>'
        f'<span class="rating-total-count">({draw.randrange(3, 9000)})</span></div>'
    )
