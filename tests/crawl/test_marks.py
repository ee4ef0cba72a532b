"""Labels and titles: what marks a card, and the words that only look like it."""

from __future__ import annotations

import pytest

from crawl import marks


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("[중고] 전기밥솥", True),
        ("LG 울트라PC 윈10 중고노트북", True),
        ("중고 노트북 15인치", True),
        ("아이폰 15 리퍼폰", True),
        ("맥북 리퍼비시 A급", True),
        ("반품-미개봉 청소기", True),
        ("전시상품 TV 65인치", True),
        ("중고등학생 책가방", False),
        ("중고차 세차용품", False),
        ("초중고 필독서", False),
        ("남성 슬리퍼 270", False),
        ("스트리퍼 공구", False),
        ("무료반품 원피스", False),
        ("반품가능 원피스", False),
    ],
)
def test_a_title_says_used_only_when_it_means_it(title: str, expected: bool) -> None:
    """Second-hand, refurbished and display goods; not schools, cars or slippers."""
    assert expected == marks.used(title, [])


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("일시품절", True),
        ("품절", True),
        ("SOLD OUT", True),
        ("재입고 알림 신청", True),
        ("품절임박", False),
        ("품절대란", False),
        ("품절되기 전에", False),
    ],
)
def test_sold_out_is_a_label_of_its_own(label: str, expected: bool) -> None:
    """A label that hurries the buyer is not one that turns him away."""
    assert expected == marks.sold_out([label])


@pytest.mark.parametrize(
    ("title", "labels", "expected"),
    [
        ("비타민 [해외직구]", [], True),
        ("비타민", ["해외직구"], True),
        ("비타민 구매대행", [], True),
        ("비타민", ["로켓직구"], True),
        ("야구 직구 연습공", [], False),
        ("비타민", ["무료배송"], False),
    ],
)
def test_overseas_is_told_by_label_or_title(title: str, labels: list[str], expected: bool) -> None:
    """A fast ball is not a parcel from abroad."""
    assert expected == marks.overseas(title, labels)


def test_an_advertisement_is_a_label_of_its_own() -> None:
    """A longer text that holds "광고" is a text about advertising."""
    assert marks.advertised(["무료배송", "광고"])
    assert not marks.advertised(["광고 안내 레이어 닫기", "무광고"])


def test_a_preorder_is_told_by_label_or_bracket() -> None:
    """Goods that are only announced are not to be had."""
    assert marks.preorder("[예약판매] 그릴", [])
    assert marks.preorder("그릴", ["사전예약"])
    assert not marks.preorder("예약 가능한 그릴", ["무료배송"])


@pytest.mark.parametrize(
    ("name", "labels", "expected"),
    [
        ("죽", ["최소구매 2개"], 2),
        ("죽", ["최소 구매수량: 3개 이상"], 3),
        ("죽 [최소주문 10개]", [], 10),
        ("죽", ["2개 이상 구매시 5% 할인"], None),
        ("죽", ["최소구매 1개"], None),
        ("최소 구매 부담 없는 죽 2개", [], None),
    ],
)
def test_a_least_order_is_read_where_it_is_told(name: str, labels: list[str], expected: int | None) -> None:
    """How many must be bought decides what one pays; a discount for more does not."""
    assert expected == marks.min_order(name, labels)
