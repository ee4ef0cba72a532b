"""Reads what Korean malls write: money, shipping lines, unit prices, charsets. Pure.

An amount is never taken for a price by its look alone: the words before and after it say what it is
("월 9,900원" is an instalment, "100g당 412원" a unit price, "30,000원 이상" a threshold). Whole KRW throughout.
"""

from __future__ import annotations

import codecs
import html
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKUP = re.compile(r"</?(?:b|br|em|strong|i|span|font|mark)\b[^<>]{0,200}>", re.IGNORECASE)
_FOLD = str.maketrans("，．～〜∼＋％", ",.~~~+%")
_SPLIT_NUMBER = re.compile(r"(?<=\d)\s*,\s*(?=\d{3}(?!\d))")
_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\x00"))


def clean(text: str) -> str:
    """One line of readable text: control and invisible characters gone, spaces collapsed."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text.translate(_UNSEEN))
    return unicodedata.normalize("NFC", " ".join(text.split()))


def plain(markup: str) -> str:
    """Readable text of an API string that may hold highlighting tags and entities."""
    return clean(html.unescape(_MARKUP.sub("", markup)))


class Role(StrEnum):
    """What an amount of money on a card is."""

    PRICE = "price"
    LIST = "list"
    UNIT = "unit"
    MONTHLY = "monthly"
    SHIPPING = "shipping"
    THRESHOLD = "threshold"
    COUPON = "coupon"
    CARD = "card"
    MEMBER = "member"
    BENEFIT = "benefit"
    ADDON = "addon"
    VAGUE = "vague"


@dataclass(frozen=True, slots=True)
class Amount:
    """One amount of money: whole KRW, what it is, and whether it is only the lowest of a range."""

    krw: int
    role: Role = Role.PRICE
    open_ended: bool = False


_N = r"\d{1,3}(?:[,.]\d{3})+(?!\d)|\d+(?:\.\d+)?"
_BODY = (
    rf"(?:(?P<eok>{_N})\s*억\s*)?(?:(?P<man>{_N})\s*만\s*)?(?:(?P<chun>{_N})\s*천\s*)?"
    rf"(?:(?P<baek>{_N})\s*백\s*)?(?P<rest>{_N})?"
)
_WON = re.compile(rf"(?<![\d.,])(?P<sign>[-\u2212]\s*)?(?:(?P<mark>[₩￦]|KRW)\s*)?(?=\d){_BODY}\s*(?P<won>원|KRW)?")
_BARE = re.compile(rf"(?:[₩￦]|KRW)?\s*(?=\d){_BODY}\s*(?:원|KRW)?\s*(?P<open>~|부터)?\s*")
_MARKED = re.compile(r"원|[₩￦]|KRW")
_SCALES = (("eok", 10**8), ("man", 10**4), ("chun", 10**3), ("baek", 100), ("rest", 1))
LONGEST = 2000
"""Characters of a card's text that are looked at for money."""
_MAX_KRW = 2_000_000_000
"""More than this is a misread number; it also is what the database can hold."""

_COUNTER = (
    r"(?:kg|mg|g|ml|mL|ML|l|L|cm|m|개입|개|매|정|포|장|병|캔|팩|봉|입|롤|켤레|구|환|알|박스|세트|회분|회|일분|일|인분|"
    r"티백|스틱|캡슐|조각|권|자루|줄|벌|쌍|컵|통|미|수|단|평)"
)


def _table(rows: tuple[tuple[str, Role], ...], frame: str) -> tuple[tuple[re.Pattern[str], Role], ...]:
    return tuple((re.compile(frame.format(words), re.IGNORECASE), role) for words, role in rows)


# What the words right before an amount say; the first row that matches wins.
_BEFORE = _table(
    (
        (
            r"(?<![0-9가-힣])월(?:\s*납입금|\s*요금|\s*렌탈료)?|개월(?:\s*간)?\s*[x×*]?|할부금?|렌탈료|대여료|구독료",
            Role.MONTHLY,
        ),
        (rf"(?:{_COUNTER})\s*당", Role.UNIT),
        (r"반품\s*(?:배송)?비|도서\s*산간|제주|추가\s*배송비", Role.ADDON),
        (
            r"(?<!무료)(?:배송|택배|배달|운송|운반)\s*(?:비용|비|료|요금)|택배|운임|착불|선결제|배송비\s*유료",
            Role.SHIPPING,
        ),
        (r"쿠폰(?:\s*적용)?\s*(?:가격|가|할인가|시)?|혜택가|최대\s*할인가", Role.COUPON),
        (r"카드\s*(?:할인|혜택|결제|청구)?\s*(?:가격|가|할인가|시)?|청구\s*할인가?", Role.CARD),
        (r"(?:와우|wow|멤버십|멤버쉽|회원|클럽|유니버스)\s*(?:회원|전용|할인)?\s*(?:가격|가|할인가)?", Role.MEMBER),
        (r"정가|원가|정상가|소비자가격?|시중가|출시가", Role.LIST),
        (r"최대|할인|적립금?|캐시|포인트|마일리지|페이백|절약", Role.BENEFIT),
        (r"보험료?|보증(?:\s*연장)?|케어|연장|설치비|추가금?|옵션가?|각인|포장비?", Role.ADDON),
        (r"~", Role.VAGUE),
    ),
    r"(?:{})[\s:()\[\]|·]*$",
)
# What the words right after it say.
_AFTER = _table(
    (
        (r"[x×*]?\s*\d+\s*개월|/\s*월|[x×*]\s*월|씩", Role.MONTHLY),
        (r"/\s*\d*\s*" + _COUNTER + r"(?![가-힣])", Role.UNIT),
        (r"이상|초과|부터\s*무료", Role.THRESHOLD),
        (
            r"(?:즉시|추가|중복|쿠폰|바로|카드|상당)?\s*(?:할인|적립|캐시|포인트|절약|페이백|off|쿠폰|증정|인하|환급|상당)",
            Role.BENEFIT,
        ),
        (r"대(?![가-힣])|내외|안팎", Role.VAGUE),
    ),
    r"[\s)\]]*(?:{})",
)
_OPEN = re.compile(r"\s*(?:~|부터(?!\s*무료))")
_LOWEST = re.compile(r"(?:최저|최소)가?\s*$")


def _number(text: str, *, scaled: bool) -> float:
    """12,900 → 12900; 1.226 → 1226 (dots before three digits separate thousands) unless a scale word follows."""
    if "." in text and not scaled and re.fullmatch(r"\d{1,3}(?:[,.]\d{3})+", text):
        return float(re.sub(r"[,.]", "", text))
    try:
        return float(text.replace(",", ""))
    except ValueError:  # "1.234.567만": no number anyone would write
        return 0.0


def _total(match: re.Match[str]) -> int:
    total = sum(_number(match[name], scaled=scale > 1) * scale for name, scale in _SCALES if match[name])
    return int(total + 1e-6) if total <= _MAX_KRW else 0


def _role(match: re.Match[str], text: str) -> Role:
    if match["sign"]:
        return Role.BENEFIT
    after, before = text[match.end() : match.end() + 16], text[max(0, match.start() - 16) : match.start()]
    for pattern, role in _AFTER:
        if pattern.match(after):
            return role
    for pattern, role in _BEFORE:
        if pattern.search(before):
            return role
    return Role.PRICE


def _folded(text: str) -> str:
    return _SPLIT_NUMBER.sub(",", clean(text).translate(_FOLD))


@lru_cache(maxsize=4096)
def amounts(text: str) -> tuple[Amount, ...]:
    """Every amount that is marked as money (원 or ₩), with what it is, in the order of the text.

    Remembered, because cards repeat their small texts; LONGEST keeps that small.
    """
    text = _folded(text[:LONGEST])
    return tuple(_found(text)) if _MARKED.search(text) else ()


def _found(text: str) -> Iterator[Amount]:
    for match in _WON.finditer(text):
        if match["won"] or match["mark"]:
            lowest = _LOWEST.search(text[max(0, match.start() - 6) : match.start()])
            yield Amount(_total(match), _role(match, text), bool(lowest or _OPEN.match(text, match.end())))


def price(text: str) -> Amount | None:
    """The one price that `text` states, or None: no price, or several that contradict each other.

    Accepts a bare number ("12,900", "12,900~") only when it is all there is.
    """
    bare = _BARE.fullmatch(_folded(text))
    if bare:
        return Amount(_total(bare), Role.PRICE, bool(bare["open"])) if _total(bare) else None
    found = [a for a in amounts(text) if a.role is Role.PRICE and a.krw]
    if len({a.krw for a in found}) > 1:
        return None
    return found[0] if found else None


def won(text: str) -> int | None:
    """The whole KRW of the one price in `text`, or None."""
    found = price(text)
    return found.krw if found else None


def of_role(text: str, role: Role) -> int | None:
    """The first amount of that role, or None."""
    return next((a.krw for a in amounts(text) if a.role is role and a.krw), None)


@dataclass(frozen=True, slots=True)
class Shipping:
    """`krw`: 0 is free, None unknown. `free_from_krw`: order amount from which it is free."""

    krw: int | None = None
    free_from_krw: int | None = None


_FREE = re.compile(r"무료\s*배송|배송(?:비|료)?\s*:?\s*무료|무배(?![가-힣])|free\s*shipping", re.IGNORECASE)
_ONLY_SOME = re.compile(
    r"조건부|이상|멤버십|멤버쉽|와우|wow|클럽|유니버스|회원|카드\s*결제|첫\s*구매|일부", re.IGNORECASE
)


@lru_cache(maxsize=2048)
def shipping(text: str, *, labelled: bool = False) -> Shipping:
    """What a shipping line says; `labelled` when the element itself means shipping ("무료", "3,000원" suffice)."""
    text = clean(text[:LONGEST])
    found = [(a.role, a.krw) for a in amounts(text)]
    free_from = next((krw for role, krw in found if role is Role.THRESHOLD), None)
    meant = (Role.SHIPPING, Role.PRICE) if labelled else (Role.SHIPPING,)
    fee = next((krw for role, krw in found if role in meant), None)
    if "착불" in text and "배송비" not in text:
        return Shipping(None, free_from)
    if fee is not None:
        return Shipping(fee, free_from)
    if _FREE.search(text) or (labelled and text == "무료"):
        return Shipping(None if _ONLY_SOME.search(text) else 0, free_from)
    return Shipping(None, free_from)


_UNIT = re.compile(
    rf"(?<![가-힣])(?:\d[\d,.]*\s*)?{_COUNTER}\s*당\s*(?:{_N})\s*원|(?:{_N})\s*원\s*/\s*\d*\s*{_COUNTER}(?![가-힣])"
)


def unit_price(text: str) -> str | None:
    """A unit price as shown, e.g. "100g당 412원", or None."""
    found = _UNIT.search(_folded(text[:LONGEST])) if "당" in text or "/" in text else None
    return found[0].strip() if found else None


_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{3,20})|<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w-]{3,20})""",
    re.IGNORECASE,
)
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decode(body: bytes, charset: str | None = None) -> str:
    """Text of a page whose declared charset may be missing or wrong; never raises.

    Valid UTF-8 is believed before any declaration: CP949 text is practically never valid UTF-8 by accident.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace")
    declared = _DECLARED.search(body[:4096])
    said = charset or (declared and (declared[1] or declared[2]).decode("ascii", "replace")) or "utf-8"
    for name in ("utf-8", "cp949", said):
        if (text := _strict(body, name)) is not None:
            return text
    rough = (_rough(body, name) for name in ("utf-8", "cp949"))
    return min(rough, key=lambda text: text.count("\ufffd"))


def _strict(body: bytes, name: str) -> str | None:
    """Decoded without an error, a character cut in half at the very end forgiven."""
    try:
        decoder = codecs.getincrementaldecoder("cp949" if "kr" in name.lower() or "5601" in name else name)()
        return decoder.decode(body)
    except (UnicodeDecodeError, LookupError):
        return None


def _rough(body: bytes, name: str) -> str:
    return body.decode(name, "replace")
