"""The card that Gmarket and the newer Auction share: `.box__item-container`."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sandbox import markup
from sandbox.markup import percent_off, when, won

if TYPE_CHECKING:
    from sandbox.answer import View
    from sandbox.catalogue import SandboxOffer

_SOLD = '<span class="text__soldout">일시품절</span>'


def tags(offer: SandboxOffer) -> list[str]:
    """The words in the delivery line, in the shops' order."""
    said = []
    if offer.used:
        said.append("중고상품")
    if offer.overseas:
        said.append("해외직구")
    if offer.shipping_krw == 0:
        said.append("무료배송")
    elif offer.shipping_krw:
        said.append(f"배송비 {won(offer.shipping_krw)}원")
    if offer.free_from_krw:
        said.append(f"{won(offer.free_from_krw)}원 이상 무료배송")
    return said


def benefits(offer: SandboxOffer) -> list[str]:
    """The small benefit tags: prices that need a coupon or a card, gifts."""
    said = []
    if offer.coupon_krw:
        said.append(f"쿠폰적용가 {won(offer.coupon_krw)}원")
    if offer.card_krw:
        said.append(f"카드할인가 {won(offer.card_krw)}원")
    if "증정" in offer.title or "사은품" in offer.title:
        said.append("사은품")
    return said


def card(base: str, offer: SandboxOffer, link: str, view: View, *, place: int) -> str:
    """The inside of one card; every third place is without a price when the view says so (place 0 never is)."""
    sold = offer.sold_out or view.sold_out
    href = escape(link)
    priced = not (view.no_price and place and place % 3 == 0)
    shown = "".join(
        f'<li class="list-item__tag"><span style="font-size:12px;font-weight:normal" class="text__tag">{tag}'
        "</span></li>"
        for tag in tags(offer)
    )
    brand = (
        f'<span class="box__brand"><span class="text__brand">{escape(offer.brand)}</span></span>' if offer.brand else ""
    )
    extra = "".join(f'<span class="box__tag box__tag-gift">{tag}</span>' for tag in benefits(offer))
    return (
        f'<div class="box__item-container"><div class="box__image"><a href="{href}" class="link__item '
        'montelena-post" target="_blank" '
        'rel="noreferrer"><div class="box__event-tag"></div><img class="image__item" '
        f'src="{base}/img/{offer.offer_id}.png" '
        f'alt="{escape(offer.title)}">{when(sold, _SOLD)}</a></div>'
        '<div class="box__information"><div class="box__information-major"><div class="box__item-title">'
        f'<span class="text__item-title text__item-title--ellipsis"><a id="item_{offer.offer_id}" '
        'class="link__item montelena-post" '
        f'href="{href}" target="_blank" rel="noreferrer">{brand}<span class="for-a11y">상품명 </span>'
        f'<span class="text__item" title="{escape(offer.title)}">{escape(offer.title)}</span></a></span></div>'
        f'{_price(offer) if priced else ""}<div class="box__item-arrival"><div class="box__information-tags">'
        f'<ul class="list__tags">{shown}</ul></div></div></div>'
        f'<div class="box__information-benefittags">{extra}</div>{_score(offer)}'
        '<div class="box__information_seller"><a class="link__shop montelena-post" '
        f'href="{base}/minishop/{offer.offer_id % 97}" '
        'target="_blank" rel="noreferrer"><span class="for-a11y">판매자</span><span '
        f'class="text__seller">{escape(offer.seller)}</span>'
        f"</a></div></div></div>"
    )


def _price(offer: SandboxOffer) -> str:
    before = off = ""
    if offer.list_price_krw:
        before = (
            '<div class="box__price-original" role="deletion"><span class="for-a11y">원가 </span>'
            f'<span class="text text__value">{won(offer.list_price_krw)}</span><span class="text text__unit">'
            "원</span></div>"
        )
        off = (
            '<div class="box__discount"><span class="for-a11y">할인률</span><span class="text text__value" '
            'style="color:#DA120D">'
            f"{percent_off(offer.list_price_krw, offer.price_krw)}%</span></div>"
        )
    unit = "원~" if offer.option_range else "원"
    return (
        f'<div class="box__item-price">{before}<div class="box__price-seller" role="deletion">{off}<span '
        'class="for-a11y">판매가</span>'
        f'<strong class="text text__value" style="color:#424242">{won(offer.price_krw)}</strong>'
        f'<span class="text text__unit" style="color:#424242">{unit}</span></div></div>'
    )


def _score(offer: SandboxOffer) -> str:
    draw = markup.shelf(offer.offer_id)
    rate, reviews, sold = draw.randrange(80, 101), draw.randrange(1, 900), draw.randrange(1, 9000)
    return (
        '<div class="box__information-score"><ul class="list__score"><li class="list-item list-item__awards">'
        f'<span class="image__awards-points" style="width:{rate}%"><span class="for-a11y">만족도 {rate}% '
        "입니다.</span></span></li>"
        '<li class="list-item list-item__feedback-count"><span class="for-a11y">상품평</span><span '
        f'class="text">(<!-- -->{reviews}<!-- -->)</span></li>'
        f'<li class="list-item list-item__pay-count"><span class="text">구매<!-- --> <!-- -->{won(sold)}</span>'
        "</li></ul></div>"
    )
