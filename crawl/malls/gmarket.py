"""Gmarket: `/n/search?keyword=`, rendered by the server; every card stands in `__NEXT_DATA__`.

About half of the cards are ads (`buyboxtype=ad` in the link, `adTier` in the click log); the strip of power items above
the list is advertising too. Used goods are mixed in, told by the tag 중고상품 or by the title alone.
"""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote_plus

from crawl import esm
from crawl.card import gather
from crawl.dom import tree
from crawl.mall import Mall, Parsed, Ready
from crawl.shell import Shell, ends_early, signs

SITE = "https://www.gmarket.co.kr/n/search"
_SHELL = Shell(
    brand=re.compile(r"G마켓|지마켓|gmarket", re.IGNORECASE),
    lists=".box__component-list",
    evidence="#section__inner-content-body-container, [class*=section__inner-content], .box__component-itemcard",
    products="a[href*='goodscode=' i]",
    inputs="input[name=keyword]",
    titles=re.compile(r"검색\s*결과|-\s*G마켓\s*검색"),
)


def search_url(base_url: str, query: str) -> str:
    """The first result page, the mall's own order."""
    return f"{base_url}/n/search?keyword={quote_plus(query)}"


def parse(page: str, url: str = "") -> Parsed:
    """All cards, from the embedded data, or from the markup when those do not hold them."""
    return read("gmarket", page, url or SITE, _SHELL)


def read(mall: str, page: str, base: str, shell: Shell) -> Parsed:
    """Both ESM malls are read alike."""
    data = esm.next_data(page)
    found = esm.modules(data)
    embedded = gather(mall, base, esm.data_cards(found), search_page=True)
    if embedded.healthy:
        return embedded
    root, cut = tree(page), ends_early(page)
    # A page that breaks off in its data has shown all of its cards before.
    shown = gather(
        mall,
        base,
        map(esm.markup_card, esm.markup_cards(root)),
        search_page=shell.branded(root, page),
        truncated=cut and not esm.has_data(page),
    )
    best = shown if shown.healthy or shown.cards > embedded.cards else embedded
    if best.cards:
        return replace(best, truncated=cut)
    said = signs(shell, root, page)
    nothing = said.no_result or (said.search_page and esm.says_nothing(data, found))
    waiting = said.loading or found == []
    return Parsed(search_page=said.search_page, no_result=nothing, loading=waiting and not nothing, truncated=cut)


MALL = Mall(
    name="gmarket",
    home_url="/",
    search_url=search_url,
    page_url=search_url,
    parse=parse,
    ready=Ready(cards=esm.CARDS, settled=".box__no-result, [class*=no-result]", whole=esm.DATA),
)
