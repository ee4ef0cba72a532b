"""The five malls: a module each with the same names, found by the mall's one word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sandbox import markup
from sandbox.answer import Answer, Ask, View, html
from sandbox.malls import auction, coupang, gmarket, naver, st11

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sandbox.catalogue import SandboxOffer


class MallPages(Protocol):
    """What a mall's module has."""

    @property
    def BRAND(self) -> str:  # noqa: N802  (modules implement this: their constants are upper case)
        """The name that people know."""

    @property
    def SEARCH_PATHS(self) -> tuple[str, ...]:  # noqa: N802
        """Result pages."""

    @property
    def PRODUCT_PATHS(self) -> tuple[str, ...]:  # noqa: N802
        """How the paths behind an offer's link begin."""

    @property
    def COOKIES(self) -> tuple[str, ...]:  # noqa: N802
        """What a first visit is given."""

    @property
    def PREFIXES(self) -> Mapping[str, str]:  # noqa: N802
        """What `drift_prefix` renames."""

    def keyword(self, ask: Ask) -> str:
        """What is searched for."""

    def search(self, ask: Ask, hits: Sequence[SandboxOffer], view: View) -> Answer:
        """The first result page."""


MALLS: dict[str, MallPages] = {
    "naver": naver,
    "coupang": coupang,
    "gmarket": gmarket,
    "auction": auction,
    "st11": st11,
}
HOSTS = {
    "openapi.naver.com": "naver",
    "www.coupang.com": "coupang",
    "www.gmarket.co.kr": "gmarket",
    "item.gmarket.co.kr": "gmarket",
    "www.auction.co.kr": "auction",
    "itempage3.auction.co.kr": "auction",
    "apis.11st.co.kr": "st11",
    "openapi.11st.co.kr": "st11",
    "search.11st.co.kr": "st11",
    "www.11st.co.kr": "st11",
}
"""The real hosts, for a browser or proxy that resolves them all to the sandbox."""


def home(ask: Ask) -> Answer:
    """The mall's front page: the search form and the cookies that a first visit gets."""
    if ask.mall == "naver":
        return naver.home(ask)
    pages = MALLS[ask.mall]
    field = {"coupang": "q", "st11": "kwd"}.get(ask.mall, "keyword")
    target = "/pc/total-search" if ask.mall == "st11" else pages.SEARCH_PATHS[0]
    head = markup.search_box(f"{ask.base}{target}", field, "", pages.BRAND, ask.base)
    body = f"{head}<main><h1>{pages.BRAND}</h1><p>오늘의 특가를 만나보세요.</p></main>{markup.footer(pages.BRAND)}"
    cookies = tuple(("Set-Cookie", f"{cookie}; Path=/; SameSite=Lax") for cookie in pages.COOKIES)
    return html(markup.page(ask.mall, pages.BRAND, body, base=ask.base), headers=cookies)
