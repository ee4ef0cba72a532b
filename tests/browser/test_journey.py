"""A buyer's and an operator's day in a real Chromium, on the real queue, against the sandbox market."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import openpyxl
import pytest

from tasks import operate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import Page
    from tests.browser.stack import Stack

pytestmark = pytest.mark.browser
RICE, SPEC = "햇반 백미밥 210g", "24개"


def search(page: Page, name: str = RICE, spec: str = SPEC, **ticks: str) -> None:
    """Fill the form and send it."""
    page.open("/")
    page.write("product_name", name)
    page.write("specification", spec)
    for tick in ticks:
        page.see(f"//input[@name='{tick}']").click()
    page.press("최저가 찾기", "//form[@action='/search']")


def test_a_search_is_watched_to_its_result_and_printed(page: Page, stack: Stack) -> None:
    """Form → progress → winner; the table sorts in place; the sheet is one page; nothing breaks the policy."""
    search(page)
    assert re.fullmatch(r"[\d,]+원", page.see("//p[@class='big']").text)
    before = [row.text for row in page.driver.find_elements("css selector", "table.offers tbody tr")]
    page.press("몰", "//table[contains(@class, 'offers')]/thead")
    page.see("//th[@aria-sort][contains(., '몰')]")
    after = [row.text for row in page.driver.find_elements("css selector", "table.offers tbody tr")]
    assert sorted(before) == sorted(after)
    assert "sort=mall" in page.driver.current_url
    page.press("견적 근거")
    page.read("몰별 조사 결과")
    assert page.see("//button[@data-print]").is_displayed()
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    assert 1 == _pages(printed["data"])
    assert [] == page.complaints()


def _pages(pdf: str) -> int:
    import base64

    return len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(pdf)))


def test_a_blocked_mall_is_named_and_read_again(page: Page, stack: Stack) -> None:
    """The result says who is missing and why; one press asks that mall alone; the result is whole then."""
    stack.market.set_scenario("coupang", "block403")
    search(page)
    page.read("읽지 못한 곳이 있습니다")
    assert page.see("//h2[@id='winner']").text.startswith("확인한 곳 가운데 최저가")
    asked = stack.market.counts()["naver"]["searches"]
    stack.market.set_scenario("coupang", "ok")
    page.press("다시 조회", "//tr[@data-mall='coupang']")
    page.see("//h2[@id='winner'][starts-with(., '최저가')]")
    assert asked == stack.market.counts()["naver"]["searches"]
    assert [] == page.complaints()


def test_a_verdict_is_corrected_and_counts(page: Page, stack: Stack) -> None:
    """The winner is said to be another product: searched again, it does not win any more."""
    search(page)
    title = page.see("//section[contains(@class, 'winner')]//p[@class='title']").text
    row = "//table[contains(@class, 'offers')]//tr[@class='won']"
    page.press("맞음/다름", row)
    page.press("다름")
    page.read("판정을 고쳤습니다")
    page.follow("다시 검색", "//footer")
    page.see("//p[@class='big']")
    assert title != page.see("//section[contains(@class, 'winner')]//p[@class='title']").text


def test_a_running_search_is_cancelled(page: Page, stack: Stack) -> None:
    """The button ends it, and the page says so."""
    operate.pause("match", who="test", reason="so that it does not end")
    search(page)
    page.press("검색 취소")
    page.read("취소된 검색입니다")


def test_a_product_gathers_its_prices(page: Page, stack: Stack) -> None:
    """Searched twice, the product has a chart, a table that says the same, and a file."""
    search(page)
    page.see("//p[@class='big']")
    page.follow("다시 검색", "//footer")
    page.see("//p[@class='big']")
    page.press("가격 이력")
    assert page.driver.find_elements("css selector", "svg.chart circle")
    assert 2 == len(page.driver.find_elements("css selector", "section[aria-labelledby=prices] tbody tr"))
    page.press("7일")
    assert "7일" == page.see("//a[@aria-current='true']").text
    assert "format=csv" in (page.see("//a[contains(., 'CSV')]").get_attribute("href") or "")


def test_a_dead_letter_is_replayed(page: Page, stack: Stack) -> None:
    """A mall that fails for good leaves a letter; after a dry run it is replayed, and the search ends whole."""
    stack.market.set_scenario("coupang", "error500")
    search(page)
    page.read("읽지 못한 곳이 있습니다")
    stack.market.set_scenario("coupang", "ok")
    page.open("/ops")
    page.press("실패 메시지 1", "//ul[@class='troubles']")
    page.press("다시 넣기")
    page.press("1건 다시 넣기")
    page.read("넣음 1, 그대로 둠 0")
    page.open("/ops/jobs")
    page.press(RICE)
    page.press("결과 화면")
    page.see("//h2[@id='winner'][starts-with(., '최저가')]")
    assert [] == page.complaints()


def test_a_mall_is_paused_and_goes_on(page: Page, stack: Stack) -> None:
    """A search meanwhile leaves it out and says so; who, when and why stand in the audit."""
    page.open("/ops/queues")
    row = "//tr[contains(., 'coupang')]"
    page.write("reason", "새벽 점검", row)
    page.press("멈추기", row)
    page.read("새벽 점검")
    page.open("/ops")
    page.read("쿠팡 멈춰 둠")
    search(page)
    page.read("쿠팡: 일시 중지됨")
    page.open("/ops/queues")
    page.press("다시 시작", row)
    page.read("다시 시작했습니다")
    page.open("/ops/audit")
    page.read("reason=새벽 점검")


def test_a_key_is_made_shown_once_and_revoked(page: Page, stack: Stack) -> None:
    """Its secret is on the screen once; revoked, it is gone from the list."""
    page.open("/ops/keys")
    page.write("name", "ERP 연동")
    page.press("새 키 만들기", "//form")
    assert page.see("//code[@class='secret']").text.startswith("lps_")
    page.open("/ops/keys")
    page.read("ERP 연동")
    assert not page.driver.find_elements("css selector", "code.secret")
    page.press("없애기")
    page.read("키를 없앴습니다")
    page.read("키가 없습니다")


def test_an_alert_is_silenced(page: Page, stack: Stack) -> None:
    """With hours and a reason; the page then says until when, and ends it again."""
    page.open("/ops/alerts")
    row = "//tr[th[contains(., 'queue_lag')]]"
    page.write("reason", "새벽 배포", row)
    page.press("막기", row)
    page.read("새벽 배포")
    page.press("다시 알리기", row)
    page.read("다시 알립니다")


def sent(page: Page, path: Path, body: bytes) -> None:
    """Choose a file and send it."""
    path.write_bytes(body)
    page.open("/bulk")
    page.see("//input[@type='file']").send_keys(str(path))
    page.press("파일 확인")


def test_a_file_of_a_korean_spreadsheet_is_searched(page: Page, stack: Stack, tmp_path: Path) -> None:
    """CP949: checked first, started, followed to its end without a reload; the results are one press away."""
    lines = f"비고,상품명,규격\n1,{RICE},{SPEC}\n2,신라면 120g,40개\n3,{RICE},{SPEC}\n"
    sent(page, tmp_path / "견적.csv", lines.encode("cp949"))
    page.read("2건을 새로 검색합니다")
    page.press("검색 시작")
    page.read("3행 가운데 3행 끝남")
    page.see("//h1/span[.='끝']")
    assert "format=xlsx" in (page.see("//a[contains(., 'XLSX')]").get_attribute("href") or "")
    assert [] == page.complaints()


def test_a_workbook_is_searched_and_paused(page: Page, stack: Stack, tmp_path: Path) -> None:
    """XLSX: paused before it ends, then resumed."""
    book = openpyxl.Workbook()
    for line in (("상품명", "규격"), (RICE, SPEC), ("신라면 120g", "40개")):
        book.active.append(line)
    book.save(tmp_path / "a.xlsx")
    operate.pause("match", who="test", reason="so that nothing ends")
    sent(page, tmp_path / "b.xlsx", (tmp_path / "a.xlsx").read_bytes())
    page.press("검색 시작")
    page.press("멈추기")
    page.read("이어서 검색")
    operate.resume("match", who="test")
    page.press("이어서 검색")
    page.read("2행 가운데 2행 끝남")


def test_a_product_is_watched(page: Page, stack: Stack) -> None:
    """Target price and schedule from the product's page; the list shows it; watched no more, it is gone."""
    search(page)
    page.see("//p[@class='big']")
    page.press("가격 이력")
    page.write("target_krw", "25,000")
    page.press("지켜보기 시작")
    page.read("저장했습니다")
    page.press("지켜보기", "//header")
    page.press(RICE, "//main")
    page.press("그만 지켜보기")
    page.see("//button[.='지켜보기 시작']")
