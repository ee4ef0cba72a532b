"""Auction: home, `/n/search?keyword=` as Gmarket-like cards or, by switch, the former item cards, product pages."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sandbox import markup
from sandbox.answer import Answer, Ask, View, html
from sandbox.malls import esm
from sandbox.markup import when, won

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.catalogue import SandboxOffer

BRAND = "옥션"
SEARCH_PATHS = ("/n/search",)
PRODUCT_PATHS = ("/DetailView.aspx",)
COOKIES = ("pguid=21700000000000000001", "cguid=11700000000000000001", "jaehuid=sandbox")
NO_RESULT = "검색결과가 없습니다"
_SOLD = '<span class="text--soldout">일시품절</span>'
PREFIXES = {
    "box__": "cell__",
    "text__": "label__",
    "list__": "rows__",
    "section--": "part--",
    "component--": "piece--",
    "text--": "label--",
}


def keyword(ask: Ask) -> str:
    """What is searched for."""
    return ask.query.get("keyword", "")


def search(ask: Ask, hits: Sequence[SandboxOffer], view: View) -> Answer:
    """The first result page."""
    query = keyword(ask)
    head = markup.search_box(f"{ask.base}/n/search", "keyword", query, BRAND, ask.base)
    if view.loading:
        inner = '<div class="section--skeleton"></div>'
    elif not hits:
        inner = (
            '<div class="section--no_result no-result"><p class="text--no_result">'
            f"<strong>'{escape(query)}'</strong>에 대한 {NO_RESULT}.</p>"
            "<p>검색어의 철자와 띄어쓰기를 확인해 주세요.</p></div>"
        )
    else:
        inner = _old(ask.base, hits, view) if view.old else _new(ask.base, hits, view)
    frame = f'<div id="section--inner_content_body_container" class="section--content_body">{inner}</div>'
    body = f"{head}{frame}{markup.footer(BRAND)}"
    return html(markup.page("auction", f"옥션 - {query}", body, base=ask.base))


def _link(base: str, offer: SandboxOffer) -> str:
    return f"{base}/DetailView.aspx?itemno=B{offer.offer_id}" + ("&buyboxtype=ad" if offer.ad else "")


def _new(base: str, hits: Sequence[SandboxOffer], view: View) -> str:
    ads = [one for one in hits[8:] if one.ad][:3]
    ids = {one.offer_id for one in ads}
    strip = "".join(f'<li class="list-item">{esm.card(base, one, _link(base, one), view, place=0)}</li>' for one in ads)
    prime = (
        '<div class="section--advertisement"><p class="text__title">오늘의 프라임상품</p>'
        f'<ul class="list__slot">{strip}</ul></div>'
        if ads
        else ""
    )
    cards = "".join(
        '<div class="box__component box__component-itemcard box__component-itemcard--general">'
        f"{esm.card(base, one, _link(base, one), view, place=place)}</div>"
        for place, one in enumerate((hit for hit in hits if hit.offer_id not in ids), 1)
    )
    return f'{prime}<div class="box__component-list">{cards}</div>'


def _old(base: str, hits: Sequence[SandboxOffer], view: View) -> str:
    cards = [_old_card(base, one, view, place) for place, one in enumerate(hits, 1)]
    ads = "".join(card for card, one in zip(cards, hits, strict=True) if one.ad)
    plain = "".join(card for card, one in zip(cards, hits, strict=True) if not one.ad)
    prime = f'<div class="section--advertisement"><h3>오늘의 프라임상품</h3>{ads}</div>' if ads else ""
    return f'{prime}<div class="section--module box__component-list">{plain}</div>'


def _old_card(base: str, offer: SandboxOffer, view: View, place: int) -> str:
    sold = offer.sold_out or view.sold_out
    brand = f'<span class="text--brand">{escape(offer.brand)}</span>' if offer.brand else ""
    tilde = "원~" if offer.option_range else "원"
    before = (
        f'<span class="text--price_before"><del>{won(offer.list_price_krw)}</del></span>'
        if offer.list_price_krw
        else ""
    )
    price = (
        f'<span class="area--itemcard_price">{before}<span class="price_seller">'
        f'<strong class="text--price_seller">{won(offer.price_krw)}</strong>'
        f'<span class="text--unit">{tilde}</span></span></span>'
    )
    told = "".join(f'<span class="text--addinfo">{tag}</span>' for tag in esm.tags(offer))
    return (
        '<div class="component component--item_card type--general"><div class="itemcard"><div '
        'class="section--itemcard_box">'
        f'<div class="section--itemcard"><div class="itemcard--inner"><a href="{escape(_link(base, offer))}" '
        'class="link--itemcard">'
        f'<span class="section--itemcard_img"><img src="{base}/img/{offer.offer_id}.png" '
        f'class="image--itemcard" alt="{escape(offer.title)}">'
        f'{when(sold, _SOLD)}</span><span class="section--itemcard_info">'
        f'<span class="area--itemcard_title">{brand}<span class="text--title">{escape(offer.title)}</span></span>'
        f'{"" if view.no_price and place % 3 == 0 else price}<span class="section--itemcard_info_add">{told}</span>'
        f'<span class="section--itemcard_info_shop"><span class="text--seller">{escape(offer.seller)}</span></span>'
        "</span></a></div></div></div></div></div>"
    )
