"""Money, shipping lines, unit prices and charsets, as tables of what malls really write."""

from __future__ import annotations

import pytest

from crawl.text import Amount, Role, Shipping, amounts, clean, decode, plain, price, shipping, unit_price, won

PRICES = [
    ("12,900원", 12900),
    ("12,900", 12900),
    ("12900", 12900),
    ("12,900 원", 12900),
    ("12 ,900원", 12900),
    ("1\uff0c290\uff0c000원", 1290000),
    ("₩12,900", 12900),
    ("1만 2,900원", 12900),
    ("1만2천9백원", 12900),
    ("123만원", 1230000),
    ("1.5만원", 15000),
    ("1.13만원", 11300),
    ("1억 2,000만원", 120000000),
    ("1.226원", 1226),
    ("2879.20원", 2879),
    ("12900.0", 12900),
    ("1,234,500원", 1234500),
    ("512GB 1,290,000원", 1290000),
    ("[9,900원]", 9900),
    ("판매가 648,000원", 648000),
    ("즉시할인가 9,900원", 9900),
    ("정가 15,000원 12,900원", 12900),
    ("23% 86,000원", 86000),
    ("23%86,000원", 86000),
    ("12,900원(1개당 340원)", 12900),
    ("12,900원 배송비 3,000원", 12900),
    ("무료배송 12,900원", 12900),
    ("5월 특가 12,900원", 12900),
    ("12,900원~", 12900),
    ("12,900원부터", 12900),
    ("10,000원 ~ 20,000원", 10000),
    ("최저 12,900원", 12900),
]
NO_PRICE = [
    "",
    "원",
    "무료",
    "0원",
    "23%",
    "512GB",
    "1,29",
    "월 9,900원",
    "월9,900원",
    "9,900원/월",
    "9,900원 x 12개월",
    "12개월 x 9,900원",
    "100g당 412원",
    "(1개당 340원)",
    "412원/100g",
    "배송비 3,000원",
    "무료배송 30,000원 이상",
    "30,000원 이상 무료배송",
    "-3,000원",
    "3,000원 할인",
    "3,000원 적립",
    "최대 645원 적립",
    "2,500원 쿠폰",
    "쿠폰가 9,900원",
    "카드할인가 11,900원",
    "와우할인가 8,900원",
    "회원가 8,900원",
    "정가 15,000원",
    "3년 보증 연장 39,000원",
    "설치비 50,000원",
    "3만원대",
    "15,000원 12,900원",
    "9999999999999원",
    "1" * 5000,
]


@pytest.mark.parametrize(("text", "expected"), PRICES)
def test_it_reads_a_price(text: str, expected: int) -> None:
    """Every form in which a price is written gives its whole KRW."""
    assert expected == won(text)


@pytest.mark.parametrize("text", NO_PRICE)
def test_it_takes_no_other_amount_for_a_price(text: str) -> None:
    """Instalments, unit prices, fees, thresholds, benefits and contradictions are no price."""
    assert won(text) is None


@pytest.mark.parametrize("text", ["12,900원~", "12,900~", "12,900원부터", "10,000원 ~ 20,000원", "최저 12,900원"])
def test_the_lowest_of_a_range_is_marked(text: str) -> None:
    """A price that is only the lowest of several options says so."""
    found = price(text)
    assert found is not None
    assert found.open_ended


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("월 9,900원", Role.MONTHLY),
        ("100g당 412원", Role.UNIT),
        ("배송비 3,000원", Role.SHIPPING),
        ("30,000원 이상", Role.THRESHOLD),
        ("쿠폰적용가 9,900원", Role.COUPON),
        ("삼성카드 할인가 9,900원", Role.CARD),
        ("와우회원가 9,900원", Role.MEMBER),
        ("정가 9,900원", Role.LIST),
        ("9,900원 할인", Role.BENEFIT),
        ("반품 배송비 5,000원", Role.ADDON),
        ("3만원대", Role.VAGUE),
    ],
)
def test_the_words_around_an_amount_say_what_it_is(text: str, role: Role) -> None:
    """An amount that is no price is known for what it is."""
    assert [role] == [amount.role for amount in amounts(text)]


def test_amounts_come_in_the_order_of_the_text() -> None:
    """A card's text may hold several amounts; each keeps its meaning."""
    text = "정가 20,000원 15,900원 (100g당 412원) 배송비 3,000원 (30,000원 이상 무료)"
    roles = [Role.LIST, Role.PRICE, Role.UNIT, Role.SHIPPING, Role.THRESHOLD]
    assert roles == [amount.role for amount in amounts(text)]
    assert Amount(15900) == price(text)


@pytest.mark.parametrize(
    ("text", "labelled", "expected"),
    [
        ("무료배송", False, Shipping(0)),
        ("배송비 무료", False, Shipping(0)),
        ("배송비무료", False, Shipping(0)),
        ("내일(금) 도착 보장 무료배송", False, Shipping(0)),
        ("배송비 0원", False, Shipping(0)),
        ("배송비 2,500원", False, Shipping(2500)),
        ("배송비 2,500원 조건부 무료배송", False, Shipping(2500)),
        ("배송비 3,000원 (30,000원 이상 무료)", False, Shipping(3000, 30000)),
        ("무료배송 30,000원 이상", False, Shipping(None, 30000)),
        ("19,800원 이상 무료배송", False, Shipping(None, 19800)),
        ("3만원 이상 무료배송", False, Shipping(None, 30000)),
        ("조건부 무료배송", False, Shipping()),
        ("와우회원 무료배송", False, Shipping()),
        ("무료반품", False, Shipping()),
        ("반품 배송비 5,000원", False, Shipping()),
        ("무료배송 12,900원", False, Shipping(0)),
        ("착불", True, Shipping()),
        ("착불 3,000원", True, Shipping()),
        ("무료", True, Shipping(0)),
        ("무료", False, Shipping()),
        ("3,000원", True, Shipping(3000)),
        ("3,000원", False, Shipping()),
        ("", True, Shipping()),
    ],
)
def test_it_reads_a_shipping_line(text: str, labelled: bool, expected: Shipping) -> None:
    """Free, a fee, conditional and unknown are four different things."""
    assert expected == shipping(text, labelled=labelled)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(100g당 412원)", "100g당 412원"),
        ("1정당 340원", "1정당 340원"),
        ("24,500원 (10ml당 1,234원)", "10ml당 1,234원"),
        ("412원/100g", "412원/100g"),
        ("개당 340원", "개당 340원"),
        ("해당 3,000원", None),
        ("24,500원", None),
    ],
)
def test_it_reads_a_unit_price_as_shown(text: str, expected: str | None) -> None:
    """A unit price is kept in the mall's words, and nothing else is taken for one."""
    assert expected == unit_price(text)


def test_text_is_cleaned_without_losing_anything_readable() -> None:
    """Invisible and control characters go; what looks like a tag in a title stays."""
    assert "가나 <New> 죽" == clean("가나\u200b \x00<New>\n\t 죽\ufeff")
    assert "가나 죽 & <김치>" == plain("<b>가나</b> 죽 &amp; &lt;김치&gt;")


@pytest.mark.parametrize("charset", [None, "utf-8", "euc-kr", "no-such-charset", "latin-1"])
def test_a_charset_label_may_lie(charset: str | None) -> None:
    """Korean text is read whether or not the label is right."""
    assert "전복죽 똠" == decode("전복죽 똠".encode("cp949"), charset)
    assert "전복죽 똠" == decode("전복죽 똠".encode(), charset)


def test_a_character_cut_in_half_at_the_end_spoils_nothing() -> None:
    """A body that ends inside a character is still read in its own charset."""
    assert decode("전복죽".encode()[:-1]).startswith("전복")
    assert decode("전복죽".encode("cp949")[:-1]).startswith("전복")


def test_a_broken_byte_spoils_one_character_only() -> None:
    """One bad byte in the middle does not turn the page into another charset."""
    assert "전복죽 \ufffd 10개" == decode("전복죽 ".encode() + b"\xff" + " 10개".encode())


def test_byte_order_marks_are_believed() -> None:
    """UTF-16 is read only when its mark says so."""
    assert "죽" == decode("죽".encode("utf-16"))
    assert "죽" == decode("죽".encode("utf-8-sig"))
