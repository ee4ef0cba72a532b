"""11st: the JSON its own search page asks for, that page's markup, and the open API's XML.

Only widgets with `groupName` "list" are the result; the others are paid places and recommendations. Most cards state no
shipping at all, which is unknown, not free. Paid cards lead through a click counter: their product number stands in the
data (`id`), or in the card's `data-log-body`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import orjson

from crawl.card import Card, first_shipping, gather, labels_of
from crawl.dom import attribute, href, one, outermost, text, tree
from crawl.mall import Mall, Parsed, Ready
from crawl.records import cut_short, json_of, xml_field, xml_records
from crawl.shell import NOTHING, Shell, ends_early, signs
from crawl.text import Amount, Role, plain, price, won

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

SITE = "https://www.11st.co.kr"
CARDS = "li.c-search-list__item, .c-card-item"
_ADS = re.compile(r"(?:power|focus|plus|ad)\w*Prd\w*List$", re.IGNORECASE)
API_ROWS = 50
"""Products one call of the open API brings."""
_TRUE = (True, "Y", "y", "true", 1)
_SHELL = Shell(
    brand=re.compile(r"11번가|11st\.co\.kr", re.IGNORECASE),
    lists=".c-search-list",
    evidence="#section_commonPrd, .l_search_content, .search_no_result, #section_noSearchData",
    products="a[href*='/products/']",
    inputs="input[name=kwd], input.search_text",
    titles=re.compile(r"검색\s*결과"),
)


def search_url(base_url: str, query: str) -> str:
    """The JSON of the first result page."""
    return f"{base_url}/search/api/tab?kwd={quote_plus(query)}&tabId=TOTAL_SEARCH&poc=pc"


def api_url(base_url: str, query: str, key: str) -> str:
    """The open API's search, in the mall's own order; by price its top is decoys."""
    asked = f"&apiCode=ProductSearch&keyword={quote_plus(query)}&pageSize={API_ROWS}&pageNum=1&sortCd=A"
    return f"{base_url}/openapi/OpenApiService.tmall?key={quote_plus(key)}{asked}"


def shop_url(base_url: str, query: str) -> str:
    """The page a person sees, for a browser."""
    return f"{base_url}/pc/total-search?kwd={quote_plus(query)}&tabId=TOTAL_SEARCH"


def parse(page: str, url: str = "") -> Parsed:
    """All cards of the JSON (bare, or in a browser's `<pre>`), of the page, or of the open API's XML."""
    site = _site(url)
    data = json_of(page)
    if isinstance(data, dict):
        return _read_json(data, site)
    if cut_short(page):
        return Parsed(truncated=True)
    if "<ProductSearchResponse" in page[:2000] or "<ErrorResponse" in page[:2000]:
        return _read_xml(page, site)
    return _read_page(page, site)


def _site(url: str) -> str:
    """Where products are shown: the real shop, or whatever stands in for it."""
    if not url or re.match(r"https?://[\w.]*11st\.co\.kr(?:[:/]|$)", url) or not url.startswith("http"):
        return SITE
    return re.split(r"/(?:search/api|pc/total-search|openapi)", url)[0].rstrip("/")


def _read_json(data: dict[str, Any], site: str) -> Parsed:
    if data.get("isBanned") in _TRUE:
        return Parsed(banned="banned", search_page=True)
    known = isinstance(data.get("data"), list) or any(key.endswith("PrdList") for key in data)
    found = gather("st11", f"{site}/", (_json_card(item, site, ad=ad) for item, ad in _items(data)), search_page=known)
    if found.cards:
        return found
    # No widget at all is an answer that never came to be, whatever its counters say.
    waiting = data.get("data") == []
    return Parsed(search_page=known, no_result=known and not waiting and _says_nothing(data), loading=waiting)


def _items(data: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    """Each item of the result, with whether its whole list is paid for."""
    groups = [group for group in data.get("data") or () if isinstance(group, dict)]
    named = [group for group in groups if group.get("groupName") == "list"]
    # A collection without any group name is how the smaller tabs answer.
    for group in named or [group for group in groups if "groupName" not in group]:
        yield from ((item, False) for item in _dicts(group.get("items")))
    for key, widget in data.items():
        if key.endswith("PrdList") and isinstance(widget, dict):
            yield from ((item, bool(_ADS.search(key))) for item in _dicts(widget.get("items")))


def _dicts(items: Any) -> Iterator[dict[str, Any]]:
    yield from (item for item in items if isinstance(item, dict)) if isinstance(items, list) else ()


def _says_nothing(data: dict[str, Any]) -> bool:
    if any(data.get(key) in (0, "0") for key in ("totalCount", "totalCnt", "searchResultCount")):
        return True
    groups = [group for group in data.get("data") or () if isinstance(group, dict)]
    if any(re.search(r"no_?(?:result|search)", str(group.get("groupName", "")), re.IGNORECASE) for group in groups):
        return True
    words = (value for group in [data, *groups] for value in group.values() if isinstance(value, str))
    return any(NOTHING.search(value) for value in words)


def _said(item: dict[str, Any], *keys: str) -> str:
    """The first of those fields that says anything."""
    return next((plain(str(item[key])) for key in keys if isinstance(item.get(key), (str, int, float))), "")


def _json_card(item: dict[str, Any], site: str, *, ad: bool) -> Card:
    number = _said(item, "id", "prdNo", "productNo", "contentNo")
    link = _said(item, "linkUrl", "productDetailUrl", "prdUrl")
    catalogue = any(item.get(key) in _TRUE for key in ("catalogProduct", "isCatalog", "catalogYn")) or (
        "/catalog/" in link
    )
    labels = list(_json_labels(item))
    delivery = _said(item, "deliveryDescription", "deliveryPriceText", "deliveryText")
    return Card(
        name=_said(item, "title", "prdNm", "productName"),
        price=_json_price(item),
        url=link if re.search(r"/(?:products|catalog)/\d", link) else (f"{site}/products/{number}" if number else link),
        item_id=number,
        list_price_krw=_list_price(item),
        seller=_said(item, "sellerNickName", "sellerNm", "sellerNickname"),
        shipping=first_shipping([delivery], labelled=True) if delivery else None,
        labels=labels,
        ad=ad or any(item.get(key) in _TRUE for key in ("adProduct", "isAd", "adYn", "advertYn")),
        used=any(item.get(key) in _TRUE for key in ("isUsed", "usedYn")),
        overseas=any(item.get(key) in _TRUE for key in ("isOverseas", "overseasYn", "globalYn", "isGlobal")),
        sold_out=any(item.get(key) in _TRUE for key in ("isSoldOut", "soldOut", "soldOutYn")),
        catalogue=catalogue,
    )


def _json_price(item: dict[str, Any]) -> Amount | None:
    shown = _said(item, "finalPrc", "finalPrice")
    if not shown:
        return None
    unit = _said(item, "unitTxt") + _said(item, "optPrcText")
    found = price(shown)
    if found is None:
        return None
    return Amount(found.krw, Role.PRICE, found.open_ended or "~" in unit or "부터" in unit)


def _list_price(item: dict[str, Any]) -> int | None:
    discount = item.get("maxDiscountInfo")
    before = _said(item, "selPrc") or (_said(discount, "sellPrice") if isinstance(discount, dict) else "")
    return won(before)


def _json_labels(item: dict[str, Any]) -> Iterator[str]:
    """Every short text below the item except its own fields: badges, flags, benefits, unit prices."""
    if unit := _said(item, "unitPrice", "unitPriceText"):
        yield unit
    stack: list[Any] = [value for value in item.values() if isinstance(value, (list, dict))]
    while stack:
        node = stack.pop()
        if isinstance(node, str) and len(node) < 60:
            yield plain(node)
        elif isinstance(node, (list, dict)):
            stack.extend(node.values() if isinstance(node, dict) else node)


def _read_page(page: str, site: str) -> Parsed:
    root = tree(page)
    cards = [_page_card(node, site) for node in outermost(root.css(CARDS))]
    if cards:
        branded = _SHELL.branded(root, page)
        return gather("st11", f"{site}/", cards, search_page=branded, truncated=ends_early(page))
    said = signs(_SHELL, root, page)
    return Parsed(
        search_page=said.search_page, no_result=said.no_result, loading=said.loading, truncated=ends_early(page)
    )


def _page_card(node: LexborNode, site: str) -> Card:
    for silent in node.css(".sr-only, .c-card-item__name dt"):
        silent.decompose()
    log = _log(one(node, "a.c-card-item__anchor[data-log-body]", "a[data-log-body]"))
    link = href(node, "a.c-card-item__anchor", "a[href]")
    own = re.search(r"/(?:products|catalog)/(\d+)", link)
    number = own[1] if own else str(log.get("content_no") or "")
    name = text(one(node, ".c-card-item__name dd", ".c-card-item__name"))
    seller = text(one(node, ".c-seller__name"))
    collection = log.get("collection_object")
    paid = str(collection.get("name", "") if isinstance(collection, dict) else collection or "")
    delivery = text(one(node, ".c-card-item__price-delivery", ".c-card-item__delivery"), gap=" ")
    labels = labels_of(node, ".c-card-item__benefit", without=(name, seller))
    catalogue = any(label.startswith("가격비교") for label in labels) or "/catalog/" in link
    return Card(
        name=name,
        price=_page_price(node),
        url=link if own or not number else f"{site}/products/{number}",
        item_id=number,
        list_price_krw=won(text(one(node, ".c-card-item__price-del .value", "del .value", "del"), gap="")),
        seller=seller,
        shipping=first_shipping([delivery], labelled=True) if delivery else None,
        labels=labels,
        ad=log.get("ad_yn") == "Y" or bool(re.search(r"(?:^|_)ad", paid, re.IGNORECASE)),
        sold_out=node.css_first("[class*=soldout i]") is not None,
        catalogue=catalogue,
    )


def _log(anchor: LexborNode | None) -> dict[str, Any]:
    try:
        found = orjson.loads(attribute(anchor, "data-log-body") or "{}")
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _page_price(node: LexborNode) -> Amount | None:
    box = one(node, ".c-card-item__price", ".c-card-item__lowest")
    return price(text(box, gap="")) if box is not None else None


def _read_xml(page: str, site: str) -> Parsed:
    if "<ErrorResponse" in page or "<Error>" in page:
        return Parsed(banned="key", search_page=True)
    rows = (
        Card(
            name=row.get("ProductName", ""),
            price=price(row.get("SalePrice", "") or row.get("ProductPrice", "")),
            url=row.get("DetailPageUrl", "") or f"{site}/products/{row.get('ProductCode', '')}",
            item_id=row.get("ProductCode", ""),
            list_price_krw=won(row.get("ProductPrice", "")),
            seller=row.get("SellerNick", ""),
            shipping=first_shipping([row.get("Delivery", "")], labelled=True),
        )
        for row in xml_records(page, "Product")
    )
    found = gather("st11", f"{site}/", rows, search_page=True, truncated="</ProductSearchResponse>" not in page)
    if found.cards:
        return found
    return Parsed(search_page=True, no_result=xml_field(page, "TotalCount") == "0", truncated=found.truncated)


MALL = Mall(
    name="st11",
    home_url="/",
    search_url=search_url,
    page_url=shop_url,
    parse=parse,
    ready=Ready(cards=CARDS, settled=".search_no_result, #section_noSearchData, pre"),
    headers=(("Accept", "application/json, text/plain, */*"), ("Referer", "https://search.11st.co.kr/")),
)
