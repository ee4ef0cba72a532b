"""Patterns of the words that state a hard fact about an offer; the words themselves are in lexicon/facts.txt."""

from __future__ import annotations

import re

from ai import lexicon
from ai.text import fold


def _any(name: str) -> re.Pattern[str]:
    """Pattern of a list: `_` is an optional blank, a word behind `=` must not touch Hangul or Latin letters."""
    parts = []
    for word in lexicon.words("facts", name):
        body = re.escape(word.removeprefix("=")).replace("_", r"\s?")
        parts.append(rf"(?<![a-z가-힣]){body}(?![a-z가-힣])" if word.startswith("=") else body)
    return re.compile("|".join(parts))


USED = _any("used")
USED_NOT = re.compile(
    r"중고(?:차|등|생|나라)|중고[가-힣]*(?:아님|x)|(?:전시|반품)[가-힣]*(?:아님|불가)|하자보증|a급[가-힣]*재료|무하자|초중고"
    r"|(?:무료|무상|간편)\s?반품|반품\s?(?:가능|보장|비|무료|교환|환불)|파손\s?(?:보상|보장|방지|시|면책|없|주의)"
    r"|(?:마감|품절|매진|종료|한정|수량|행사|세일)\s?임박"
)
"""What looks like a condition and is none."""
NEAR_EXPIRY = _any("near_expiry")
OVERSEAS = _any("overseas")
OVERSEAS_NOT = re.compile(
    r"해외(?:여행|출장|유학|겸용|사용|에서|수출|인기|수상|로밍|유심|명화|축구)|비?병행\s?(?:사용|불가|섭취)|해외\s?배송\s?(?:x|불가|안)"
)
DOMESTIC = _any("domestic")
PREORDER = _any("preorder")
RENTAL = _any("rental")
SOLD_OUT = _any("sold_out")
SOLD_OUT_NOT = re.compile(r"(?:품절|매진)\s?(?:임박|대란|주의|직전|전|템)")
COUNTERFEIT = re.compile(_any("counterfeit").pattern + r"|(?<![가-힣])짭(?!짤|조|쪼)")
COMPATIBLE = _any("compatible")
COMPATIBLE_NOT = re.compile(
    r"호환성|재생지|재생\s?(?:크림|앰플|세럼|에센스|시간|연고|섬유|목록|플라스틱|펄프|용지|피부)|피부\s?재생"
)
COMPONENT = _any("component")
BARE = re.compile(r"베어툴|베어\s?타입|배터리\s?미포함|(?<![a-z])bare")
"""A tool asked for without its battery: "본체만" is what it is."""
BAIT = _any("bait")
COLOUR_CHOICE = re.compile(r"(?:색상|컬러|향|디자인)\s?(?:선택|택\s?1|랜덤)[가-힣]*")
REFILL = _any("refill")
REFILL_NOT = re.compile(r"리필\s?(?:가능|포함)")
MAIN_UNIT = _any("main_unit")
NUMBERED_SET = re.compile(r"[2-9]\s?색\s?세트|(?<!\d)(?:[2-9]|[1-9]\d)\s?종(?!류)(?:\s?세트|\s?구성|\s?기획)?(?!\s?택)")
WISHES = _any("condition_wishes")
ACCESSORY_ENDINGS = tuple(fold(word) for word in lexicon.words("facts", "accessory endings"))
ACCESSORY = frozenset(fold(word) for word in lexicon.words("facts", "accessory"))
CONSUMABLE = tuple(fold(word) for word in lexicon.words("facts", "consumable"))
"""Goods that are refills by nature: the word adds nothing to them."""
