"""The words by which malls mark a card: used, from abroad, sold out, announced, an advertisement. Pure.

Titles get stricter patterns than labels: "중고등학생", "슬리퍼" and "품절대란" are titles too.
"""

from __future__ import annotations

import re
from functools import lru_cache

_USED_LABEL = re.compile(
    r"중고(?:\s*상품|품|제품)?|리퍼(?:비시|브)?(?:\s*상품)?|반품\s*(?:상품|마켓)?|전시\s*상품|USED", re.IGNORECASE
)
_USED_TITLE = re.compile(
    r"(?<![가-힣])중고(?!등|생|교|딩|차|나라|장터|음|령|도|급)"
    r"|(?<![가-힣])리퍼(?:비시|브|폰|상품|제품|노트북|급)?(?![가-힣])|리퍼비시|리퍼브|refurb"
    r"|(?<!무료)(?<!무료 )반품\s*(?:상품|제품|샵|[-–]\s*(?:최상|상|중|미개봉))|전시\s*(?:상품|제품|품)(?![가-힣])",
    re.IGNORECASE,
)
_OVERSEAS = re.compile(
    r"해외\s*(?:직구|구매|배송|직배송|쇼핑|직송)|(?:로켓|항공|미국|일본|독일|중국|유럽|아마존)\s*직구|구매\s*대행|직구\s*상품|[\[(]직구[\])]"
)
_SOLD_OUT = re.compile(
    r"(?:현재\s*|상품\s*)?(?:일시\s*)?품절(?:\s*되었습니다|\s*상품|\s*입니다|됨)?|매진|sold\s*-?out|재입고\s*(?:알림|예정)(?:\s*신청)?"
    r"|판매\s*(?:종료|중지|중단|완료)|구매\s*불가|(?:임시|일시)\s*품절",
    re.IGNORECASE,
)
_PREORDER = re.compile(r"예약\s*(?:판매|구매|주문|발송|배송|상품)|사전\s*예약|(?:출시|판매|발매)\s*예정", re.IGNORECASE)
_LEAST = re.compile(
    r"최소\s*(?:구매|주문)?\s*(?:수량|개수)?\s*:?\s*(\d{1,4})\s*(?:개|박스|세트|병|봉|팩)(?:\s*(?:이상|부터))?"
)
_PREORDER_TITLE = re.compile(r"[\[(<]\s*(?:" + _PREORDER.pattern + ")")
_AD = re.compile(r"광고|AD|Sponsored|스폰서|파워\s*(?:클릭|상품|링크)|프라임\s*상품", re.IGNORECASE)


_LABELS = {"used": _USED_LABEL, "sold_out": _SOLD_OUT, "preorder": _PREORDER, "ad": _AD}


@lru_cache(maxsize=4096)
def _means(label: str) -> frozenset[str]:
    """What a label of its own says; remembered, because cards repeat them."""
    said = {mark for mark, words in _LABELS.items() if words.fullmatch(label)}
    return frozenset(said | ({"overseas"} if _OVERSEAS.search(label) else set()))


def used(name: str, labels: list[str]) -> bool:
    """Whether the goods were someone's before, or a display piece, or refurbished."""
    return bool(_USED_TITLE.search(name)) or any("used" in _means(label) for label in labels)


def overseas(name: str, labels: list[str]) -> bool:
    """Whether it is sent, or bought, from abroad."""
    return bool(_OVERSEAS.search(name)) or any("overseas" in _means(label) for label in labels)


def sold_out(labels: list[str]) -> bool:
    """Whether a label of its own says so; "품절임박" does not."""
    return any("sold_out" in _means(label) for label in labels)


def preorder(name: str, labels: list[str]) -> bool:
    """Whether it is announced, not yet to be had."""
    return bool(_PREORDER_TITLE.search(name)) or any("preorder" in _means(label) for label in labels)


def min_order(name: str, labels: list[str]) -> int | None:
    """How many must be ordered at least, when a label, or brackets in the title, say so."""
    told = [found for label in labels if "최소" in label and (found := _LEAST.fullmatch(label))]
    if "최소" in name:
        told += [
            found
            for words in re.findall(r"[\[(]([^\])]{1,40})[\])]", name)
            if (found := _LEAST.fullmatch(words.strip()))
        ]
    return max((int(found[1]) for found in told if int(found[1]) > 1), default=None)


def advertised(labels: list[str]) -> bool:
    """Whether a label of its own calls the card an advertisement."""
    return any("ad" in _means(label) for label in labels)
