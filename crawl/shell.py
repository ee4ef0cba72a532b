"""Tells a mall's search page by what surrounds its cards: is it one, does it say "nothing found", is it still loading.

Each mall gives its own `Shell`; an answer that is not the mall's search page can never mean "nothing found".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawl.dom import attribute, says, text

if TYPE_CHECKING:
    from crawl.dom import Tree

NOTHING = re.compile(
    r"검색\s*결과(?:가\s*(?:없습니다|없어요)|\s*없음)|검색(?:된|하신)\s*상품이\s*(?:없습니다|없어요)"
    r"|일치하는\s*(?:상품|결과)(?:이|가)\s*(?:없습니다|없어요)|다른\s*검색어를\s*입력하시거나\s*철자"
    r"|에\s*대한\s*(?:검색\s*)?(?:상품|결과)(?:이|가)\s*(?:없습니다|없어요)"
)
"""How Korean malls say that nothing was found; "결과가 없어 …로 검색한 결과" is not it."""
_OF_A_QUERY = re.compile(r"에\s*대한\s*(?:검색\s*)?(?:상품|결과)(?:이|가)\s*(?:없습니다|없어요)")
_LOADING = re.compile(r"로딩\s*중|불러오(?:는|고)\s*(?:중|있)|잠시만\s*기다려")
_WAITING = "[class*=skeleton i], [class*=shimmer i]"
SEVERAL = 3
"""Different product links that make a page one with a list."""
_ROOTS = "#__next, #root, #App, #app"


@dataclass(frozen=True, kw_only=True, slots=True)
class Shell:
    """What a mall's search page always has."""

    brand: re.Pattern[str]
    """Found in the page's title or early in its source."""
    lists: str
    """The containers of result cards: there, but empty, means not rendered."""
    evidence: str
    """Elements that only its search page has, cards aside."""
    products: str
    """Links to its products: several of them without a card that reads are cards in a new dress."""
    inputs: str
    """Its search box, filled in with the query on a search page only."""
    titles: re.Pattern[str]
    """The title of a search page."""

    def branded(self, tree: Tree, page: str) -> bool:
        """Whether the page belongs to this mall at all."""
        return bool(self.brand.search(text(tree.css_first("title"))) or self.brand.search(page[:20000]))

    def is_search(self, tree: Tree) -> bool:
        """Whether the page is a result page, given that it is the mall's."""
        filled = any(attribute(box, "value") for box in tree.css(self.inputs))
        return (
            filled
            or tree.css_first(f"{self.evidence}, {self.lists}") is not None
            or bool(self.titles.search(text(tree.css_first("title"))))
            or len({attribute(link, "href") for link in tree.css(self.products)}) >= SEVERAL
        )

    def loading(self, tree: Tree) -> bool:
        """Whether the cards are still to come; asked only of a page without any."""
        if tree.body is None or tree.css_first(_WAITING) is not None:
            return True
        containers = [*tree.css(self.lists), *tree.css(_ROOTS)]
        return any(next(box.iter(), None) is None and not text(box) for box in containers)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """What a page without cards says of itself (see mall.Parsed)."""

    search_page: bool
    no_result: bool = False
    loading: bool = False


def signs(shell: Shell, tree: Tree, page: str) -> Signs:
    """Read a page that has no result cards."""
    branded = shell.branded(tree, page)
    if not branded:
        return Signs(search_page=False)
    # A page that still loads may hold the words it would say in the end.
    loading = says(tree.body, _LOADING)
    nothing = not loading and says(tree.body, NOTHING)
    return Signs(
        search_page=shell.is_search(tree) or (nothing and says(tree.body, _OF_A_QUERY)),
        no_result=nothing,
        loading=loading or (not nothing and shell.loading(tree)),
    )


def ends_early(page: str) -> bool:
    """Whether an HTML page stops before its end tag."""
    tail = page[-400:].lower()
    return "<html" in page[:2000].lower() and "</html" not in tail and "</body" not in tail
