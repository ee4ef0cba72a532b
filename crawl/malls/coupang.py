"""Coupang: `/np/search?q=`, in two markups.

The React one (2025 on) has `li[class*=ProductUnit_productUnit]` under `#product-list`, the former one
`li.search-product` under `#productList`. Ads are told by a mark, or by `sourceType=srp_product_ads` or `korePlacement=`
in the link.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from crawl.card import Card, gather, labels_of
from crawl.dom import attribute, href, one, outermost, pieces, text, tree
from crawl.mall import Mall, Parsed, Ready
from crawl.shell import Shell, ends_early, signs
from crawl.text import Amount, Role, amounts, of_role, price, unit_price, won

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

SITE = "https://www.coupang.com/np/search"
LISTS = "#product-list, #productList"
CARDS = (
    "li[class*=ProductUnit_productUnit], #product-list > li[data-id], "
    "li.search-product, #productList > li[data-product-id]"
)
_WIDGET = re.compile(r"best-?seller|recently-viewed|carousel", re.IGNORECASE)
_STRUCK = "del, s, strike, [class*=line-through], [class*=basePrice], [class*=base-price]"
_SALE = "[class*=Price_priceValue], strong.price-value, em.sale strong, [class*='fw-text-[20px]']"
_AREA = ("[class*=PriceArea_priceArea]", ".price-area", ".price-wrap", "[class*=sale-price]", ".price")
_FEES = ("[class*=TextBadge_feePrice]", "[data-badge-type=feePrice]", ".fee-price", "[class*=BenefitBadge]")
_AD_MARKS = "[class*=AdMark], .ad-badge, .ad-badge-text, [class*=adBadge]"
_GONE = "[class*=soldOut], [class*=SoldOut], .out-of-stock"
_SHELL = Shell(
    brand=re.compile(r"쿠팡|coupang", re.IGNORECASE),
    lists=LISTS,
    evidence="#searchOptionForm, .search-query-result, [class*=srp_], [class*=search-no-result]",
    products="a[href*='/vp/products/']",
    inputs="input[name=q], #headerSearchKeyword",
    titles=re.compile(r"^쿠팡!\s*\||-\s*쿠팡!$"),
)


def search_url(base_url: str, query: str) -> str:
    """The first result page, most relevant first."""
    return f"{base_url}/np/search?q={quote_plus(query)}&channel=user"


def parse(page: str, url: str = "") -> Parsed:
    """All cards of a result page of either markup, ads included, widgets left out."""
    root = tree(page)
    found = [card for card in outermost(root.css(CARDS)) if not _WIDGET.search(attribute(card, "class"))]
    cut = ends_early(page)
    if not found:
        said = signs(_SHELL, root, page)
        return Parsed(search_page=said.search_page, no_result=said.no_result, loading=said.loading, truncated=cut)
    if not any(_listed(card) for card in found):
        said = signs(_SHELL, root, page)
        if said.no_result:  # what the mall recommends instead is no search result
            return Parsed(search_page=said.search_page, no_result=True, truncated=cut)
    return gather("coupang", url or SITE, map(_card, found), search_page=_SHELL.branded(root, page), truncated=cut)


def _listed(card: LexborNode) -> bool:
    parent = card.parent
    return parent is not None and attribute(parent, "id") in ("product-list", "productList")


def _card(node: LexborNode) -> Card:
    name = text(one(node, "[class*=ProductUnit_productName]", "div.name"))
    link = href(node, 'a[href*="/vp/products/"]', "a.search-product-link")
    area = one(node, *_AREA)
    return Card(
        name=name,
        price=_sale(area if area is not None else node) or _left(area),
        url=link,
        item_id=_item_id(node, link),
        list_price_krw=won(text((area if area is not None else node).css_first(_STRUCK), gap="")),
        unit_price=unit_price(text(one(node, ".unit-price") or area, gap="")),
        member_price_krw=of_role(text(area, gap=""), Role.MEMBER),
        labels=labels_of(node, *_FEES, without=(name,)),
        ad=_is_ad(node, link),
        overseas=node.css_first("img[src*=jikgu]") is not None,
        sold_out=node.css_first(_GONE) is not None,
    )


def _sale(area: LexborNode) -> Amount | None:
    """The price in an element that is made for it: not struck out, not a membership's."""
    struck = {text(node, gap="") for node in area.css(_STRUCK)}
    members = {amount.krw for amount in amounts(text(area, gap="")) if amount.role is Role.MEMBER}
    for node in area.css(_SALE):
        shown = text(node, gap="")
        found = price(shown)
        if found is not None and shown not in struck and found.krw not in members:
            return Amount(found.krw, Role.PRICE, found.open_ended or _open(node, shown))
    return None


def _left(area: LexborNode | None) -> Amount | None:
    """The last price that the price area says besides those it strikes out: no unit price, no benefit, no fee."""
    if area is None:
        return None
    rest = text(area, gap="")
    for node in area.css(_STRUCK):
        rest = rest.replace(text(node, gap=""), " ", 1)
    prices = [amount for amount in amounts(rest) if amount.role is Role.PRICE and amount.krw]
    return prices[-1] if prices else None


def _open(node: LexborNode, shown: str) -> bool:
    """Whether "~" follows the number outside its own element."""
    around = text(node.parent, gap="")
    return bool(re.search(re.escape(shown) + r"\s*원?\s*(?:~|부터)", around))


def _item_id(node: LexborNode, link: str) -> str:
    """The offer's own number (vendorItemId): one product page has several sellers and options."""
    own = attribute(node, "data-vendor-item-id") or attribute(node, "data-id")
    found = re.search(r"vendorItemId=(\d+)", link) or re.search(r"/vp/products/(\d+)", link)
    return own or (found[1] if found else "")


def _is_ad(node: LexborNode, link: str) -> bool:
    return (
        "srp_product_ads" in link
        or "korePlacement=" in link
        or "ad-badge" in attribute(node, "class")
        or node.css_first(_AD_MARKS) is not None
        or any(piece in ("광고", "AD") for piece in pieces(node))
    )


MALL = Mall(
    name="coupang",
    home_url="/",
    search_url=search_url,
    page_url=search_url,
    parse=parse,
    ready=Ready(cards=CARDS, settled=".search-no-result, [class*=NoResult], .no-result"),
)
