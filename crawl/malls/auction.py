"""Auction: `/n/search?keyword=`, in two generations.

The former one has `.component--item_card` > `.section--itemcard` with `.text--title` and `.text--price_seller` (later
`.text__price-seller`); the newer one is Gmarket's. Paid places stand under `.section--advertisement`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from crawl import esm
from crawl.card import Card, gather, labels_of
from crawl.dom import href, one, outermost, text, tree
from crawl.mall import Mall, Parsed, Ready
from crawl.malls import gmarket
from crawl.shell import Shell, ends_early
from crawl.text import price, won

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from crawl.text import Amount

SITE = "https://www.auction.co.kr/n/search"
CARDS = ".component--item_card, .section--itemcard"
_ITEM_NO = re.compile(r"itemno=([A-Za-z0-9]+)", re.IGNORECASE)
_SHELL = Shell(
    brand=re.compile(r"옥션|auction\.co\.kr", re.IGNORECASE),
    lists=".box__component-list",
    evidence="#section--inner_content_body_container, .section--itemcard, .box__component-itemcard",
    products="a[href*='itemno=' i]",
    inputs="input[name=keyword]",
    titles=re.compile(r"검색\s*결과|옥션\s*-\s*\S"),
)


def search_url(base_url: str, query: str) -> str:
    """The first result page, the mall's own order."""
    return f"{base_url}/n/search?keyword={quote_plus(query)}"


def parse(page: str, url: str = "") -> Parsed:
    """All cards of either generation, paid places included."""
    if "section--itemcard" in page or "component--item_card" in page:
        root = tree(page)
        cards = map(_card, outermost(root.css(CARDS)))
        former = gather(
            "auction", url or SITE, cards, search_page=_SHELL.branded(root, page), truncated=ends_early(page)
        )
        if former.cards:
            return former
    return gmarket.read("auction", page, url or SITE, _SHELL)


def _card(node: LexborNode) -> Card:
    name = text(one(node, ".text--title", ".text__title", ".text--itemcard_title a"))
    link = href(node, ".area--itemcard_title a[href]", "a.link--itemcard[href]", "a[href*='itemno=' i]")
    number = _ITEM_NO.search(link)
    seller = text(one(node, ".section--itemcard_info_shop .text", "a.link--shop", ".text--seller", ".text__seller"))
    seller = seller.removeprefix("판매자").strip()
    return Card(
        name=name,
        price=_price(node),
        url=link,
        item_id=number[1] if number else "",
        list_price_krw=_list_price(node),
        seller=seller,
        labels=labels_of(node, ".text--addinfo", ".list--addinfo li", without=(name, seller)),
        ad="buyboxtype=ad" in link or esm.in_advertising(node),
        sold_out=node.css_first("[class*=soldout i]") is not None,
    )


def _price(node: LexborNode) -> Amount | None:
    value = one(node, ".text--price_seller", ".text__price-seller", ".price_seller strong", ".box__price-seller strong")
    if value is None:
        return None
    # "원~" stands in an element of its own, right behind the number.
    unit = value.next
    while unit is not None and not text(unit):
        unit = unit.next
    behind = text(unit, gap="")
    shown = text(value, gap="")
    return price(shown + (behind if re.match(r"원", behind) and "원" not in shown else ""))


def _list_price(node: LexborNode) -> int | None:
    struck = one(
        node, ".text--price_original", ".text__price-original", ".text--price_before", ".price_original", "del"
    )
    digits = re.search(r"\d[\d,]*", text(struck, gap=""))
    return won(digits[0]) if digits else None


MALL = Mall(
    name="auction",
    home_url="/",
    search_url=search_url,
    page_url=search_url,
    parse=parse,
    ready=Ready(
        cards=f"{CARDS}, {esm.CARDS}",
        settled=".section--no_result, .box__no-result, [class*=no-result]",
        whole=esm.DATA,
    ),
)
