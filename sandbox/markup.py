"""What the pages of all malls share: the frame, the search box, numbers as shops write them."""

from __future__ import annotations

import random
import re
from html import escape

COMMENT = "<!-- LPS sandbox: invented goods, not a real mall -->"
_HASH = re.compile(r"\b([A-Z][A-Za-z]*_[A-Za-z0-9]+__)(\w{5})\b")


def won(amount: int) -> str:
    """12345 → "12,345"."""
    return f"{amount:,}"


def when(flag: object, text: str) -> str:
    """The text if the flag holds, else nothing."""
    return text if flag else ""


def percent_off(list_price: int, price: int) -> int:
    """How much cheaper, in whole percent."""
    return round(100 * (list_price - price) / list_price)


def shelf(offer_id: int) -> random.Random:
    """What decorates an offer's card (ratings, reviews): the same in every run."""
    return random.Random(offer_id)


def page(mall: str, title: str, body: str, *, base: str, script: str = "", body_class: str = "") -> str:
    """A whole document in the mall's frame."""
    return (
        f'<!DOCTYPE html><html lang="ko"><head>{COMMENT}<meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="{base}/static/{mall}.css">'
        f'<script src="{base}/static/site.js" defer></script></head>'
        f'<body class="{body_class}">{body}{script}</body></html>'
    )


def search_box(action: str, name: str, value: str, brand: str, home: str) -> str:
    """The head of a page with the search form."""
    return (
        f'<header class="site-header" role="banner"><a class="logo" href="{home}/">{escape(brand)}</a>'
        f'<form class="search-form" action="{action}" method="get">'
        f'<input type="text" name="{name}" value="{escape(value)}" title="검색어" '
        'placeholder="찾고 싶은 상품을 검색해보세요">'
        '<button type="submit">검색</button></form>'
        '<nav><a href="#login">로그인</a> <a href="#cart">장바구니</a></nav></header>'
    )


def footer(brand: str) -> str:
    """The foot of a page."""
    return (
        f'<footer class="site-footer"><p>{escape(brand)} · sandbox · 실제 쇼핑몰이 아닙니다.</p>'
        "<p>고객센터 0000-0000 · 무료배송 19,800원 이상 · 사업자등록번호 000-00-00000</p></footer>"
    )


def rehash(text: str) -> str:
    """The same markup after the shop's next build: other hash suffixes, same prefixes."""
    return _HASH.sub(lambda found: found[1] + found[2][::-1].swapcase(), text)
