"""What a buyer does with a search: cancel it, ask a mall again, sort it, print its evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from model import SourceOutcome
from tests.web import rows
from tests.web.test_pages import KNOWN, OTHER, UNSURE, WINNER, text_of

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.conftest import Database

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def test_a_running_search_can_be_cancelled(client: FlaskClient, db: Database) -> None:
    """The button ends it, on record; pressed twice, the second changes nothing and says so."""
    job_id = rows.submitted(db)
    action = f"/jobs/{job_id}/cancel"
    assert f'action="{action}"' in client.get(f"/jobs/{job_id}").text
    first, second = client.post(action), client.post(action)
    assert ("cancelled", "ended") == (first.location.split("note=")[1], second.location.split("note=")[1])
    assert [(5,)] == db.rows("SELECT status FROM job")
    assert [("cancel", job_id)] == db.rows("SELECT action, subject FROM audit")
    assert "이미 끝난 검색이라" in client.get(second.location).text
    assert 404 == client.post(f"/jobs/{UNKNOWN}/cancel").status_code


def test_a_mall_that_failed_can_be_asked_again(client: FlaskClient, db: Database) -> None:
    """The search runs again with that mall alone; a mall that answered is refused with a reason."""
    reports = [rows.report("naver"), rows.report("st11", SourceOutcome.BLOCKED, 0)]
    job_id = rows.finished(db, [WINNER], reports=reports)
    assert client.post(f"/jobs/{job_id}/malls/naver").location.endswith("note=refused")
    assert "지금은 그 몰을 다시 읽을 수 없습니다" in client.get(f"/jobs/{job_id}?note=refused").text
    assert 404 == client.post(f"/jobs/{job_id}/malls/ebay").status_code
    db.rows("UPDATE job_source SET outcome = 'blocked' WHERE mall = 'naver'")
    assert client.post(f"/jobs/{job_id}/malls/naver").location.endswith("note=reread")
    assert [(2, 1)] == db.rows("SELECT status, round FROM job")
    assert [("naver",)] == db.rows("SELECT queue_name FROM dramatiq.queue")


@pytest.mark.parametrize(
    ("sort", "first"), [("price", "12,900원"), ("verdict", "24,800원"), ("mall", "12,900원"), ("x", "12,900원")]
)
def test_the_server_sorts_where_no_script_runs(client: FlaskClient, db: Database, sort: str, first: str) -> None:
    """The heads are links; the chosen one is marked for readers that cannot see the arrow."""
    page = client.get(f"/jobs/{rows.finished(db, [KNOWN, OTHER, WINNER, UNSURE])}?sort={sort}").text
    table = page[page.index('id="offers"') :]
    assert first == re.findall(r"<b>([\d,]+원)</b>", table)[0]
    chosen = "price" if sort == "x" else sort
    assert re.search(rf'aria-sort="ascending"><a href="\?sort={chosen}#offers"', table)


def test_the_sheet_holds_what_a_price_is_defended_with(client: FlaskClient, db: Database) -> None:
    """Who, when, what of which parts, each mall's answer, what was left out and why; the sandbox proves nothing."""
    reports = [rows.report("naver"), rows.report("coupang", SourceOutcome.BLOCKED, 0, kind="akamai")]
    job_id = rows.finished(db, [WINNER, KNOWN, OTHER, UNSURE], reports=reports)
    seen = text_of(client.get(f"/jobs/{job_id}/sheet").text)
    for part in (job_id, "24,800원", "상품 21,800원 + 배송비 3,000원 (추정)", "차단됨 (akamai)", "수량이 다름 1",
                 "옵션에 따라 가격이 달라짐 1", "견적 근거로 쓸 수 없습니다", "100g당 492원", "행복마트"):  # fmt: skip
        assert part in seen, part
    assert f'href="/jobs/{job_id}/sheet"' in client.get(f"/jobs/{job_id}").text


def test_the_sheet_of_a_search_that_found_nothing_says_so(client: FlaskClient, db: Database) -> None:
    """Nothing certain is evidence too; a search that runs has no sheet yet."""
    assert "확신할 수 있는 것이 없음" in client.get(f"/jobs/{rows.finished(db, [OTHER])}/sheet").text
    assert 404 == client.get(f"/jobs/{rows.submitted(db)}/sheet").status_code


def test_options_stay_with_a_search(client: FlaskClient, db: Database) -> None:
    """They are shown with the result, and "search again" sends them along."""
    job_id = rows.finished(db, [WINNER])
    db.rows('UPDATE job SET options = \'{"fallback": "always", "allow_used": true}\'')
    page = client.get(f"/jobs/{job_id}").text
    assert all(word in text_of(page) for word in ("항상 조회", "중고 포함"))
    sent = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    client.post("/search", data=sent)
    assert [("always", True)] == db.rows(
        "SELECT options->>'fallback', (options->>'allow_used')::bool FROM job WHERE status = 1"
    )


def test_every_try_stands_on_a_line(client: FlaskClient, db: Database) -> None:
    """Within the picture, however long it took; with its error."""
    job_id = rows.finished(db, [WINNER])
    rows.attempt(db, job_id, "coupang", "retry", error="slow")
    page = client.get(f"/jobs/{job_id}").text
    bars = [(float(x), float(width)) for x, width in re.findall(r'<rect x="([\d.]+)" width="([\d.]+)"', page)]
    assert len(bars) == 5
    assert all(0 <= x and x + width <= 100.01 and width > 0 for x, width in bars)
    assert "slow" in page


def test_a_verdict_is_corrected_with_a_word(client: FlaskClient, db: Database) -> None:
    """It is kept with who and why; a word of one's own is not demanded; an offer that is not there is said."""
    job_id = rows.finished(db, [WINNER, OTHER])
    links = re.findall(r'href="([^"]+/offers/\d)"', client.get(f"/jobs/{job_id}").text)
    assert [f"{job_id}/offers/2", f"{job_id}/offers/1"] == sorted(links, reverse=True)
    page = f"/jobs/{job_id}/offers/2"
    assert "수량이 다름" in text_of(client.get(page).text)
    sent = {"verdict": "same", "why": "12개들이 두 상자"}
    assert client.post(page, data=sent).location.endswith("note=corrected")
    client.post(f"/jobs/{job_id}/offers/1", data={"verdict": "different", "reason": "bundle"})
    noted = db.rows("SELECT detail->>'is', detail->>'why' FROM audit WHERE action = 'correct' ORDER BY audit_id")
    assert [("same", "12개들이 두 상자"), ("different", "다름")] == noted
    for wrong in (f"/jobs/{job_id}/offers/3", f"/jobs/{job_id}/offers/0", f"/jobs/{UNKNOWN}/offers/1"):
        assert (404, 404) == (client.get(wrong).status_code, client.post(wrong, data=sent).status_code), wrong
    assert 400 == client.post(page, data={"verdict": "unsure"}).status_code
