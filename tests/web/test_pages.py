"""The pages: the form, a search in every state, its offers, a product's prices."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import config
from model import MALLS, Product, Reason, Same, SourceOutcome
from store import jobs
from tests.web import rows
from tests.web.conftest import Counter
from web import create_app
from web.pages.home import EXAMPLES

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from model import Decision
    from tests.conftest import Database

WINNER = rows.decision(
    rows.offer("햇살 백미밥 210g 24개입", 21800, seller="행복마트", ad=True, used=True, overseas=True),
    unit_price="100g당 492원",
    matched=("햇살", "24개"),
)
KNOWN = rows.decision(rows.offer("24입 무료배송", 26900, mall="coupang", shipping_krw=0))
UNSURE = rows.decision(rows.offer("옵션 선택", 9900), Same.UNSURE, Reason.OPTION, missing=("24개",))
OTHER = rows.decision(rows.offer("12개", 9000, shipping_krw=2500), Same.DIFFERENT, Reason.COUNT)


def text_of(page: str) -> str:
    """What a reader sees: no tags, no folded white space."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_the_form_leads_to_the_search(client: FlaskClient, db: Database) -> None:
    """303 to the page of the new search; sending it twice joins the first."""
    sent = {"product_name": "라면", "specification": "5개", "product_code": "R5"}
    first, second = client.post("/search", data=sent), client.post("/search", data=sent)
    assert (303, 303) == (first.status_code, second.status_code)
    assert second.location == first.location + "?note=joined"
    assert "이미 검색하고 있어" in client.get(second.location).text


def test_an_empty_start_page_says_what_to_do(client: FlaskClient, db: Database) -> None:
    """No search yet: a hint instead of an empty table, and examples that fill the form."""
    page = client.get("/").text
    assert "아직 검색한 적이 없습니다" in page
    example = re.search(r'href="(/\?product_name=[^"]+)"', page)
    assert example
    filled = client.get(html.unescape(example[1])).text
    assert re.search(r'name="product_name" value="[^"]+"', filled)


def test_every_example_is_sold_in_the_sandbox() -> None:
    """A newcomer's first click finds something."""
    root = Path(__file__).parent.parent.parent
    text = "".join(path.read_text(encoding="utf-8") for path in (root / "sandbox/catalogue/data").glob("*.toml"))
    for name, specification in EXAMPLES:
        assert f'name = "{name}"\nspecification = "{specification}"\n' in text


def test_the_start_page_lists_the_last_searches(client: FlaskClient, db: Database) -> None:
    """Each with its state and, when found, its price; the newest first."""
    rows.finished(db, [WINNER])
    rows.submitted(db, Product(code="B", name="우유", specification=""))
    seen = text_of(client.get("/").text)
    assert re.search(r"우유 대기 – .* 햇살 백미밥 210g 24개 찾음 24,800원", seen)


def test_a_running_search_works_without_javascript(client: FlaskClient, db: Database) -> None:
    """The page reloads itself, and shows each source and stage that has ended."""
    job_id = rows.submitted(db)
    rows.close(db, job_id, rows.report("naver", count=7))
    page = client.get(f"/jobs/{job_id}").text
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page
    seen = text_of(page)
    assert "네이버 읽음 7 0.4" in seen
    assert "쿠팡 읽는 중 – –" in seen
    assert "네이버 · 읽음 0.4초" in seen


def test_a_finished_search_stops_reloading(client: FlaskClient, db: Database) -> None:
    """Neither refresh nor polling once it is final."""
    page = client.get(f"/jobs/{rows.finished(db, [WINNER])}").text
    assert "http-equiv" not in page
    assert "data-poll" not in page
    assert "<script" not in page


def test_the_winner_shows_what_its_price_is_made_of(client: FlaskClient, db: Database) -> None:
    """Item + shipping, that shipping is assumed, unit price, confidence, why; and the best with known shipping."""
    seen = text_of(client.get(f"/jobs/{rows.finished(db, [WINNER, KNOWN])}").text)
    assert "24,800원 상품 21,800원 + 배송비 3,000원 (추정)" in seen
    assert "3,000원으로 어림했습니다" in seen
    assert "배송비가 확인된 최저가 쿠팡 26,900원" in seen
    assert "추정 최저가보다 2,100원 비쌉니다" in seen
    assert all(part in seen for part in ("행복마트", "100g당 492원", "93 %", "모든 조건이 맞음 · 일치: 햇살, 24개"))


def test_offers_stand_cheapest_first_with_their_reasons(client: FlaskClient, db: Database) -> None:
    """One table; marks and reasons beside each; what was rejected is folded away."""
    page = client.get(f"/jobs/{rows.finished(db, [KNOWN, OTHER, WINNER, UNSURE])}").text
    table, folded = page.split("<details", 1)
    table = table[table.index('id="offers"') :]
    assert ["12,900원", "24,800원", "26,900원"] == re.findall(r"<b>([\d,]+원)</b>", table)
    assert all(word in text_of(table) for word in ("광고", "중고", "해외", "확인 필요", "옵션에 따라", "24개"))
    assert "제외한 상품 1건" in folded
    assert "수량이 다름" in folded
    assert 1 == page.count('class="won"')


def test_a_long_list_of_rejected_offers_opens_on_demand(client: FlaskClient, db: Database) -> None:
    """The page stays light; all of them are one click away."""
    many = [rows.decision(rows.offer(f"다른 {n}", 1000 + n), Same.DIFFERENT, Reason.COUNT) for n in range(120)]
    address = f"/jobs/{rows.finished(db, [WINNER, *many])}"
    short, full = client.get(address).text, client.get(address + "?all=1").text
    assert (20, 120) == (short.count("다른 상품</span>"), full.count("다른 상품</span>"))
    assert "제외한 상품 120건" in short
    assert '<a href="?all=1">120건 모두 보기</a>' in short
    assert len(short.encode()) < 60_000


def test_a_result_with_three_hundred_offers_stays_light(client: FlaskClient, db: Database) -> None:
    """60 kB at most, with titles and addresses as long as malls make them; the winner is always named."""
    url = "https://www.coupang.com/vp/products/123456789?itemId=987654321&vendorItemId=" + "1" * 10
    name = "햇살 백미밥 210g 24개입 무료배송 당일출고"
    same = [rows.decision(rows.offer(f"{name} {n}", 20000 + n, url=url, rank=n, seller="행복마트")) for n in range(150)]
    other = [
        rows.decision(rows.offer(f"{name} 다른 {n}", 9000 + n, url=url, rank=n), Same.DIFFERENT, Reason.COUNT)
        for n in range(150)
    ]
    address = f"/jobs/{rows.finished(db, [*same, *other])}"
    page = client.get(address)
    assert len(page.data) <= 60_000
    assert "150건 모두 보기" in text_of(page.text)
    assert "비교한 상품 300건" in text_of(page.text)
    assert 300 == client.get(address + "?all=1").text.count("data-price=")


def test_missing_sources_are_said_aloud(client: FlaskClient, db: Database) -> None:
    """A result without one mall says which, and why."""
    reports = [
        rows.report("naver"),
        rows.report("coupang", SourceOutcome.BLOCKED, 0, kind="akamai", error="no display"),
    ]
    seen = text_of(client.get(f"/jobs/{rows.finished(db, [WINNER], reports=reports)}").text)
    assert "읽지 못한 곳이 있습니다. 쿠팡: 차단됨 (akamai)." in seen
    assert "차단됨 akamai 다시 조회 쿠팡 0 – 0.4 no display" in seen
    assert "11번가 묻지 않음" in seen


@pytest.mark.parametrize(
    ("decisions", "told"),
    [([], "확인한 몰에는 이 상품이 없습니다"), ([UNSURE, OTHER], "같은 상품이라고 확신할 수 있는 것이 없습니다")],
    ids=["nothing", "nothing safe"],
)
def test_a_search_without_a_winner_says_so(
    client: FlaskClient, db: Database, decisions: list[Decision], told: str
) -> None:
    """Not found and not certain are told apart, and nothing is called the lowest."""
    page = client.get(f"/jobs/{rows.finished(db, decisions)}").text
    assert told in page
    assert 'class="won"' not in page
    assert 'class="big"' not in page


def test_absent_everywhere_is_said_only_when_every_mall_says_so(client: FlaskClient, db: Database) -> None:
    """A mall that was blocked, or not asked, might have it: it is named, and can be asked again."""
    every = [rows.report(mall, SourceOutcome.EMPTY, 0) for mall in MALLS]
    assert "어느 몰에도 이 상품이 없습니다" in client.get(f"/jobs/{rows.finished(db, [], reports=every)}").text
    blocked = [*every[:1], rows.report("coupang", SourceOutcome.BLOCKED, 0, kind="akamai")]
    job_id = rows.finished(db, [], reports=blocked)
    page = client.get(f"/jobs/{job_id}").text
    assert "어느 몰에도" not in page
    assert "쿠팡, G마켓, 옥션, 11번가은(는) 확인하지 못했으니" in text_of(page)
    assert f'action="/jobs/{job_id}/malls/coupang"' in page
    assert f'action="/jobs/{job_id}/malls/naver"' not in page


def test_a_dead_search_tells_why(client: FlaskClient, db: Database) -> None:
    """Every mall failed: the page says so, with the reason and a way to try again."""
    job_id = rows.submitted(db)
    for mall in MALLS:
        rows.close(db, job_id, rows.report(mall, SourceOutcome.BLOCKED, 0))
    with db.pool.transaction() as cur:
        jobs.die(cur, job_id, "no source answered")
    page = client.get(f"/jobs/{job_id}").text
    assert all(part in page for part in ("검색이 실패했습니다", "no source answered", "하나도 없었습니다", "다시 검색"))


def test_a_cancelled_search_is_shown(client: FlaskClient, db: Database) -> None:
    """Cancelled is its own state."""
    job_id = rows.submitted(db)
    with db.pool.transaction() as cur:
        jobs.cancel(cur, job_id, "by hand")
    assert "취소된 검색입니다" in client.get(f"/jobs/{job_id}").text


def test_the_page_answers_in_english_and_remembers(client: FlaskClient, db: Database) -> None:
    """?lang=en switches, the cookie keeps it, ?lang=ko switches back; an unknown language changes nothing."""
    address = f"/jobs/{rows.finished(db, [WINNER, UNSURE])}"
    assert '<html lang="ko">' in client.get(address).text
    english = client.get(address + "?lang=en").text
    assert '<html lang="en">' in english
    assert "everything matches" in english
    assert "₩24,800" in english
    assert '<html lang="en">' in client.get(address).text
    assert '<html lang="en">' in client.get(address + "?lang=xx").text
    assert '<html lang="ko">' in client.get(address + "?lang=ko").text


def test_the_sandbox_is_named_on_every_page(client: FlaskClient, db: Database) -> None:
    """Nobody takes an invented price for a real one."""
    job_id = rows.finished(db, [WINNER])
    for address in ("/", f"/jobs/{job_id}", "/products/RICE24"):
        assert "샌드박스" in client.get(address).text
    live = create_app(config.load(env={}), db.pool, Counter(db)).test_client()
    assert "샌드박스" not in live.get(f"/jobs/{job_id}").text


def test_search_again_sends_the_same_product(client: FlaskClient, db: Database) -> None:
    """The button submits the very product, and asks not to use what is stored."""
    page = client.get(f"/jobs/{rows.finished(db, [WINNER])}").text
    sent = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    assert 303 == client.post("/search", data=sent).status_code
    assert [(True, "RICE24")] == db.rows("SELECT options->'again' = 'true', product_code FROM job WHERE status = 1")
