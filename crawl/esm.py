"""The card that Gmarket and Auction (one company, ESM) share: as `__NEXT_DATA__` and as markup. Pure.

The page is rendered by the server: its data hold every card, so the markup is only read when they do not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from crawl.card import Card, labels_of
from crawl.dom import ancestors, attribute, href, one, outermost, text
from crawl.text import price, won

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

    from crawl.dom import Tree

_DATA = re.compile(r"<script[^>]*\bid=[\"']__NEXT_DATA__[\"'][^>]*>")
_ITEM_NO = re.compile(r"(?:goodscode|itemno)=([A-Za-z0-9]+)", re.IGNORECASE)
_AD_LOG = "a[data-montelena-atsclickurl*=adTier]"
_MINISHOP = re.compile(r"\s*미니샵")
_DEEPEST = 40
DATA = "script#__NEXT_DATA__"
CARDS = ".box__component-itemcard, .box__item-container"
_PATH = ("props", "pageProps", "initialStates", "curatorData", "regionsData", "content", "modules")


def has_data(page: str) -> bool:
    """Whether the page reaches its embedded data, whole or not."""
    return _DATA.search(page) is not None


def next_data(page: str) -> Any | None:
    """The page's embedded data, None when absent or cut off."""
    start = _DATA.search(page)
    end = page.find("</script>", start.end()) if start else -1
    if start is None or end < 0:
        return None
    try:
        return orjson.loads(page[start.end() : end].encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return None


def modules(data: Any) -> Any:
    """The content region of the embedded data, or None."""
    for key in _PATH:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def says_nothing(data: Any, found: Any) -> bool:
    """Whether the data themselves say that nothing was found: a row for it, or a count of zero."""
    names = [str(row.get("designName", "")) for row in _rows(found)]
    if any(re.search(r"no_?result|empty", name, re.IGNORECASE) for name in names):
        return True
    count = _first(data, "itemCount")
    return count in (0, "0")


def _rows(found: Any) -> Iterator[dict[str, Any]]:
    for module in found if isinstance(found, list) else ():
        rows = module.get("rows") if isinstance(module, dict) else None
        yield from (row for row in rows or () if isinstance(row, dict))


def _first(node: Any, key: str, depth: int = 0) -> Any:
    """The first value of `key` anywhere below `node`."""
    if depth > _DEEPEST or not isinstance(node, (dict, list)):
        return None
    if isinstance(node, dict) and key in node:
        return node[key]
    for child in node.values() if isinstance(node, dict) else node:
        found = _first(child, key, depth + 1)
        if found is not None:
            return found
    return None


def data_cards(node: Any, depth: int = 0) -> Iterator[Card]:
    """Every card below `node`, in page order: whatever has an item number and the common block is one."""
    if depth > _DEEPEST:
        return
    if isinstance(node, dict):
        if "itemNo" in node and isinstance(node.get("commonItemInfo"), dict):
            yield _data_card(node)
            return
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from data_cards(child, depth + 1)


def _text(node: Any, *path: str) -> str:
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    return str(node).strip() if isinstance(node, (str, int)) else ""


def _data_card(view: dict[str, Any]) -> Card:
    common = view["commonItemInfo"]
    item = common.get("item")
    unit = _text(common, "price", "priceUnit", "text") or "원"
    shown = _text(common, "price", "price", "text") or _text(common, "price", "binPrice")
    clicks = _text(item, "utsValue") + _text(view, "atsClickUrl")
    return Card(
        name=" ".join(_text(item, "text").split()),
        price=price(shown + unit) if shown else None,
        url=_text(item, "link"),
        item_id=_text(view, "itemNo"),
        list_price_krw=won(_text(common, "price", "beforePrice", "text")),
        seller=_text(view, "seller", "seller", "text"),
        labels=list(_data_labels(view, common)),
        ad="buyboxtype=ad" in _text(item, "link") or "adTier" in clicks,
        sold_out=view.get("isSoldOut") is True,
    )


def _data_labels(view: dict[str, Any], common: dict[str, Any]) -> Iterator[str]:
    for tag in _list(common, "deliveryTags"):
        yield _text(tag, "text", "text")
    yield from (tag for tag in _list(common, "tags") if isinstance(tag, str))
    for tag in _list(common, "benefitTags"):
        yield _text(tag, "tagContent")
    for tag in _list(view, "eventTags"):
        yield _text(tag, "tagText")
    if coupon := _text(common, "price", "couponPrice", "text"):
        yield f"쿠폰가 {coupon}원"


def _list(node: dict[str, Any], key: str) -> list[Any]:
    value = node.get(key)
    return value if isinstance(value, list) else []


def markup_cards(root: Tree) -> list[LexborNode]:
    """The nodes of every card: lists and the strip of power items above them."""
    return outermost(root.css(CARDS))


def markup_card(outer: LexborNode) -> Card:
    """One card; the heading of its section (which may say "광고") stands outside `.box__item-container`."""
    node = one(outer, ".box__item-container") or outer
    title = one(node, "span.text__item", ".text__item")
    name = attribute(title, "title") or text(title)
    link = href(node, ".box__item-title a[href]", "a.link__item[href]", "a[href*='goodscode=']", "a[href*='itemno=']")
    number = _ITEM_NO.search(link)
    shop = one(node, "a.link__shop")
    seller = text(one(node, ".text__seller")) or _MINISHOP.split(attribute(shop, "title"))[0]
    return Card(
        name=name,
        price=_markup_price(node),
        url=link,
        item_id=number[1] if number else "",
        list_price_krw=won(text(one(node, ".box__price-original .text__value"), gap="")),
        seller=seller,
        labels=labels_of(node, ".text__tag", ".box__tag", without=(name, seller, text(title))),
        ad="buyboxtype=ad" in link or node.css_first(_AD_LOG) is not None or in_advertising(node),
        sold_out=node.css_first("[class*=soldout i]") is not None,
    )


def in_advertising(node: LexborNode) -> bool:
    """Whether the card stands in a section of paid places."""
    return any(re.search(r"advertis|list__slot", attribute(parent, "class")) for parent in ancestors(node))


def _markup_price(node: LexborNode) -> Any:
    value = one(node, ".box__price-seller strong.text__value", ".box__price-seller strong", ".text__price-seller")
    if value is None:
        return None
    unit = one(node, ".box__price-seller .text__unit")
    return price(text(value, gap="") + (text(unit, gap="") or "원"))
