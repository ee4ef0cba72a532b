"""What a product cost: numbers, chart, table, CSV."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from model import Product
from store.prices import PricePoint
from tests.web import rows
from tests.web.test_pages import KNOWN, text_of
from web import chart

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.conftest import Database

START = datetime(2026, 11, 1, tzinfo=UTC)


def point(day: int, by_mall: dict[str, int]) -> PricePoint:
    """One search on one day."""
    final = min(by_mall.values())
    source = min(by_mall, key=lambda mall: by_mall[mall])
    return PricePoint(START + timedelta(days=day), None, None, final, source, by_mall, "j")


def test_a_product_shows_its_prices(client: FlaskClient, db: Database) -> None:
    """Newest first, with lowest and highest; any code that can be stored can be opened."""
    product = Product(code="A/B ?#1", name="x", specification="")
    dearer = rows.decision(rows.offer("x", 30000, shipping_krw=0))
    for decision in (dearer, KNOWN):
        job_id = rows.finished(db, [decision], product=product)
    link = re.search(r'href="(/products/[^"]+)"', client.get(f"/jobs/{job_id}").text)
    assert link
    seen = text_of(client.get(link[1]).text)
    assert re.search("지금 26,900원 .*▼ 3,100원 기간 최저 26,900원 .*기간 최고 30,000원 .*검색 횟수 2", seen)


def test_the_history_is_a_file_that_runs_no_formula(client: FlaskClient, db: Database) -> None:
    """UTF-8 with a BOM for a Korean Excel; a code that begins like a formula is quoted in the name."""
    rows.finished(db, [KNOWN], product=Product(code="=1+1", name="x"))
    answer = client.get("/products/=1+1?format=csv")
    assert ("text/csv; charset=utf-8", b"\xef\xbb\xbf") == (answer.content_type, answer.data[:3])
    [head, line] = csv.reader(io.StringIO(answer.data.decode("utf-8-sig")))
    assert (["시각", "최저가", "최저가 몰", "네이버", "쿠팡"], ["26900", "쿠팡", "", "26900"]) == (head[:5], line[1:5])
    assert 'attachment; filename="history.csv"' in answer.headers["Content-Disposition"]


def test_the_chart_leaves_a_gap_where_a_mall_is_missing() -> None:
    """Two stretches for three searches with the middle one blocked; the dot alone is still there."""
    days = [{"naver": 100, "coupang": 90}, {"naver": 95}, {"naver": 97, "coupang": 80}, {"naver": 99, "coupang": 85}]
    drawn = chart.draw([point(n, by_mall) for n, by_mall in enumerate(days)])
    assert drawn
    lines = {line.name: line for line in drawn.lines}
    assert ["naver", "coupang", "final"] == list(lines)
    assert (1, 1, 1) == tuple(len(lines[name].paths) for name in ("naver", "coupang", "final"))
    assert (4, 3) == (len(lines["naver"].dots), len(lines["coupang"].dots))
    assert lines["coupang"].paths[0].startswith(f"M{lines['coupang'].dots[1].x:g} ")


def test_a_long_history_keeps_its_lowest_price_and_its_last() -> None:
    """The chart draws no more than can be told apart, and never hides the best price."""
    points = [point(n, {"naver": 1000 + n % 7}) for n in range(5000)]
    points[777] = point(777, {"naver": 5})
    thin = chart.thinned(points)
    assert chart.MAX_POINTS >= len(thin) > chart.MAX_POINTS / 2
    assert points[777] in thin
    assert points[-1] is thin[-1]


def test_one_price_is_no_chart(client: FlaskClient, db: Database) -> None:
    """The page says what is missing instead of drawing a dot; two equal prices draw a flat line."""
    rows.finished(db, [KNOWN])
    page = client.get("/products/RICE24").text
    assert "두 번 이상 검색하면" in page
    assert "<circle" not in page
    rows.finished(db, [KNOWN])
    page = client.get("/products/RICE24").text
    assert re.search(r"<title>[^<]+쿠팡 26,900원</title>", page)
    assert len(page.encode()) < 60_000


def test_a_period_can_be_chosen(client: FlaskClient, db: Database) -> None:
    """Older searches leave the numbers and the table; an unknown period is all of it."""
    rows.finished(db, [KNOWN])
    db.rows("UPDATE price_history SET triggered_at = triggered_at - interval '40 days', final_lowest = 1")
    rows.finished(db, [KNOWN])
    assert "기간 최저 26,900원" in text_of(client.get("/products/RICE24?days=30").text)
    assert "기간 최저 1원" in text_of(client.get("/products/RICE24?days=31").text)
