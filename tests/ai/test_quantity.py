"""The quantity grammar: every form of facts and every trap, on titles made up for it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.quantity import parse
from bench import match as measured

FORMS = """
가람 사과즙 100ml 30포 2박스|100 ml 60 6000
가람 사과즙 100mlx30포x2박스|100 ml 60 6000
가람 사과즙 30포 (100ml x 30포)|100 ml 30 3000
들샘 생수 ５００ｍｌ×２０병|500 ml 20 10000
들샘 생수 2리터 6병 2팩|2000 ml 12 24000
들샘 생수 2L, 6개입, 4개|2000 ml 24 48000
들샘 생수 1,500ml 12입|1500 ml 12 18000
들샘 생수 500ml, 40개 (총 20L)|500 ml 40 20000
들샘 생수 2L 12병 (6병x2)|2000 ml 12 24000
들샘 탄산수 350ml 24캔 + 350ml 24캔|350 ml 48 16800
들샘 탄산수 20캔+10캔|None 개 30 30
들샘 탄산수 350ml 12+12|350 ml 24 8400
가온 쌀 10kg (5kg x 2포)|5000 g 2 10000
가온 쌀 10kg(5kg+5kg)|5000 g 2 10000
모아 김 4g x 3봉 x 24팩|4 g 72 288
모아 소시지 980g (14g x 70개) 2봉, 980g, 2개|14 g 140 1960
모아 견과 600g (20gx30봉)|20 g 30 600
모아 젤리 (50개입500g)|None g None 500
모아 젤리 660g 약 60개입|None g None 660
모아 고구마 총 3kg|None g None 3000
모아 소시지 15g 총200개|15 g 200 3000
하늘 물티슈 100매 10팩 (총 1000매)|None 개 1000 1000
하늘 물티슈 70매20팩|None 개 1400 1400
하늘 화장지 3겹 27m27롤 3팩|None 개 81 81
하늘 화장지 30롤, 30롤, 2팩|None 개 60 60
하늘 치약 120g8|120 g 8 960
온결 샴푸 500ml 1+1|500 ml 2 1000
온결 샴푸 500ml 2+1|500 ml 3 1500
[1+1] 온결 샴푸 500mlX2개|500 ml 2 1000
온결 세럼 30ml+10ml|30 ml 1 40
온결 세럼 30ml+10ml (4세트)|30 ml 4 160
온결 세럼 30ml+30ml, 1개|30 ml 2 60
온결 바디워시 900ml+리필 900ml|900 ml None None
도담 세트 (젖병 2개 + 젖꼭지 2개)|None 개 None None
온결 크림 50ml + 토너 20ml 증정|50 ml 1 50
온결 크림 50ml 사은품 샘플 5매|50 ml 1 50
[파우치증정]온결 크림 50ml|50 ml 1 50
온결 크림 25ml 30병 쇼핑백증정|25 ml 30 750
1박스(20병) 들샘 차 500ml|500 ml 20 10000
커피믹스 12g 400T 2박스|12 g 800 9600
양말 두켤레 세트|None 개 2 2
주스 1L/1.5L 6개|None ml None None
모아 파이 600g 20개입 (30g x 20)|30 g 20 600
온결 팩 1매 25ml 10개|25 ml 10 250
햇살 사과 5kg 10~12개|None g None 5000
햇살 사과 5kg(10~12개입)|None g None 5000
모아 라면 120g 5입 x 8|120 g 40 4800
모아 유정란 30구 2판|None 개 60 60
모아 김 50g 10+2봉|50 g 12 600
하늘 비누 100g 4+1|100 g 5 500
들샘 생수 2리터x6x2|2000 ml 12 24000
들샘 사이다 1.25L 12pet|1250 ml 12 15000
들샘 주스 190ml 30개입 X 2|190 ml 60 11400
들샘 생수 500미리 20개|500 ml 20 10000
가온 김치 3키로|3000 g 1 3000
가온 양갱 50g 10개 x 3박스 (총 30개)|50 g 30 1500
하늘 면봉 100개입 5통|None 개 500 500
가람 이름뿐인 상품|None 개 1 1
"""

TRAPS = """
온결 선크림 SPF50+ PA++++ 2개|None 개 2 2
루트 비타민 1000mg 180정 6개월분|None 개 180 180
루트 비타민 1일 2정 60정|None 개 60 60
새빛 RTX 4070 Ti SUPER 16GB|None 개 1 1
새빛 노트북 16G 512GB 15.6인치|None 개 1 1
새빛 스마트폰 5G 자급제|None 개 1 1
새빛 모니터 27GX93U 165Hz|None 개 1 1
새빛 마스크 KF94 100매 (12,900원/무료)|None 개 100 100
온결 앰플 10X 리페어 300ml|300 ml 1 300
온결 77 앰플 100 앰플 50ml(1.69fl oz)|50 ml 1 50
수납장 1000x2100 90x210cm|None 개 1 1
복사용지 A4 80g 500매 5권|None 개 2500 2500
토너 정품 검정 (2,000매)|None 개 1 1
들샘 캔음료 180m x 12캔|180 ml 12 2160
3단 우산 2세대 외 31종|None 개 1 1
온결 크림 50ml² 2개|50 ml 2 100
①100매 물티슈 10팩|None 개 1000 1000
모아 음료 당류 0g 0kcal 355ml 24캔|355 ml 24 8520
새빛 배터리 10000mAh 1개|None 개 1 1
수납장 10㎡ 350x250x200 2개|None 개 2 2
하늘 종이컵 6.5oz 1000개|None 개 1000 1000
루트 오메가 1,200mg x 60캡슐 x 2박스 (4개월분)|None 개 120 120
온결 선크림 50ml (25% 증량)|50 ml 1 50
"""


UNKNOWN = """
들샘 생수 2L 0개|2000 ml None None
들샘 생수 0개|None 개 None None
들샘 생수 총 0개|None 개 None None
모아 젤리 10g 123456789012개|10 g None None
모아 젤리 99999999999개|None 개 None None
모아 젤리 99999999999g|None 개 None None
모아 젤리 약 200개|None 개 None None
"""


def _table(text: str) -> list[tuple[str, str]]:
    return [(line.split("|")[0], line.split("|")[1]) for line in text.strip().splitlines()]


@pytest.mark.parametrize(("title", "expected"), _table(FORMS))
def test_it_reads_every_form_of_an_amount(title: str, expected: str) -> None:
    """Unit size, unit, count and total as the conventions say."""
    found = parse(title).to_json()
    assert expected == f"{found['unit_amount']} {found['unit']} {found['count']} {found['total']}"


@pytest.mark.parametrize(("title", "expected"), _table(TRAPS))
def test_it_takes_no_other_number_for_an_amount(title: str, expected: str) -> None:
    """Doses, models, standards, prices, lengths and paper weight count nothing."""
    found = parse(title).to_json()
    assert expected == f"{found['unit_amount']} {found['unit']} {found['count']} {found['total']}"


@pytest.mark.parametrize(("title", "expected"), _table(UNKNOWN))
def test_it_says_unknown_rather_than_guess(title: str, expected: str) -> None:
    """None of anything, more than anyone sells, about so many: neither count nor total."""
    found = parse(title).to_json()
    assert expected == f"{found['unit_amount']} {found['unit']} {found['count']} {found['total']}"
    assert "unknown" in found["flags"]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("가병개팩롤매증정총약 123050gmlLx×*+(),/[]&%-."), max_size=80) | st.text())
def test_it_never_fails_on_any_text(text: str) -> None:
    """Whatever a seller writes, there is an answer, and its numbers fit together."""
    found = parse(text)
    if found.unit_amount is not None and found.count is not None and not found.sizes:
        assert found.total == pytest.approx(found.unit_amount * found.count)


def test_it_is_as_sure_of_a_long_title_as_of_a_short_one() -> None:
    """What stands far behind the first 500 characters is not read; the start is."""
    assert 24 == parse("들샘 생수 2L 24병 " + "좋은 물 " * 3000).count


def test_it_does_not_see_what_nobody_sees() -> None:
    """Zero-width characters inside a number or a unit change nothing."""
    assert parse("들샘 생수 2L 24병") == parse("들샘 생수 2\u200bL\ufeff 2\u20604병")


@pytest.mark.usefixtures("cases")
def test_it_keeps_its_level_on_the_labelled_cases() -> None:
    """At least 99 % of the cases are exact."""
    exact, total, bad = measured.quantities()
    assert exact >= 0.99 * total, bad
