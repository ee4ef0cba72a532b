"""The page behind an offer's link: name, price, shipping, JSON-LD as the malls embed it."""

from __future__ import annotations

import json
import re
from html import escape
from typing import TYPE_CHECKING

from sandbox import markup
from sandbox.answer import Answer, Ask, html
from sandbox.malls import MALLS
from sandbox.markup import won

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.catalogue import SandboxOffer

_NUMBER = re.compile(r"\d{10}")


def page(ask: Ask, offers: Mapping[str, SandboxOffer]) -> Answer:
    """The offer's page; 404 for a number that is no offer, a plain hand-over page for an ad's click counter."""
    brand = MALLS[ask.mall].BRAND
    asked = _NUMBER.search(ask.path + "|" + "|".join(ask.query.get(name, "") for name in ("goodscode", "itemno")))
    if not asked:
        return html(markup.page(ask.mall, brand, "<main>광고 상품으로 이동합니다.</main>", base=ask.base))
    offer = offers.get(asked.group())
    if offer is None:
        return html(markup.page(ask.mall, brand, "<main>판매가 종료된 상품입니다.</main>", base=ask.base), status=404)
    data = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": offer.title,
        "sandbox": True,
        "offers": {
            "@type": "Offer",
            "price": offer.price_krw,
            "priceCurrency": "KRW",
            "availability": "OutOfStock" if offer.sold_out else "InStock",
        },
    }
    script = f'<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>'
    body = (
        f'<main><h1>{escape(offer.title)}</h1><img src="{ask.base}/img/{offer.offer_id}.png" alt="" '
        'width="48" height="48">'
        f"<p><strong>{won(offer.price_krw)}원</strong> · {_shipping(offer)} · 판매자 {escape(offer.seller)}</p></main>"
    )
    return html(markup.page(ask.mall, offer.title, body + markup.footer(brand), base=ask.base, script=script))


def _shipping(offer: SandboxOffer) -> str:
    if offer.shipping_krw is None:
        return "배송비는 결제 단계에서 확인됩니다"
    return "무료배송" if offer.shipping_krw == 0 else f"배송비 {won(offer.shipping_krw)}원"
