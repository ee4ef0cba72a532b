"""How another seller lists the same goods: shop names, and decorations that change nothing about the goods."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_SHOPS = {
    "naver": ("알뜰창고", "오늘의장터", "한가득마켓", "다온스토어", "새벽상회", "푸른나무샵", "바른유통", "든든상점"),
    "coupang": ("로켓장보기", "성원유통", "해담상사", "우리동네도매", "제이원몰", "가온물산"),
    "gmarket": ("도매의신", "창고대방출", "모아유통", "초록장터", "행복한집", "대한종합물류", "스마일상회", "늘푸른몰"),
    "auction": ("옥이네창고", "정직한상회", "한빛도매", "만물유통", "좋은날샵", "동방상사"),
    "st11": ("십일유통", "슈팅스토어", "한결마켓", "나래상회", "온누리도매", "바로유통"),
}
_BEFORE = ("", "", "", "[당일발송]", "[오늘출발]", "(당일출고)", "[국내배송]", "[인기]", "★추천★", "<특가>")
_AFTER = ("", "", "", " 당일배송", " / 빠른배송", " 인기상품", " 추천", " 행사", " 생필품")


def relist(draw: random.Random, title: str, mall: str) -> tuple[str, str]:
    """The title and the shop of another listing of the same goods."""
    before, after = draw.choice(_BEFORE), draw.choice(_AFTER)
    glue = " " if before and draw.random() < 0.7 else ""
    if not before and not after:
        after = draw.choice((" 당일발송", " 오늘출발"))
    return f"{before}{glue}{title}{after}", draw.choice(_SHOPS[mall])
