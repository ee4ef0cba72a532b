"""The page that weighs what a real one weighs."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest

from sandbox import heavy
from sandbox.answer import Ask, html

if TYPE_CHECKING:
    from tests.sandbox.conftest import Visitor

RICE = "햇반 백미밥 210g"


def test_its_parts_weigh_what_was_measured(visit: Visitor) -> None:
    """Within one percent: the ratios of the byte measurements stand on them."""
    visit.market.set_scenario("coupang", "heavy")
    page = visit.search("coupang", RICE)
    pictures = re.findall(r'src="([^"]+/img/heavy-\d+\.png)"', page.text)
    sizes = {
        "html": (len(page.body), 126_000),
        "picture": (len(visit.get(pictures[0]).body), 24_000),
        "css": (len(visit.get("/coupang/static/heavy.css").body), 305_000),
        "script": (len(visit.get("/coupang/static/heavy.js").body), 1_070_000),
        "font": (len(visit.get("/coupang/static/heavy.woff2").body), 180_000),
    }
    assert 72 == len(set(pictures))
    assert 72 == page.text.count('<li class="ProductUnit_')
    for name, (seen, meant) in sizes.items():
        assert pytest.approx(meant, rel=0.01) == seen, name


def test_text_is_compressed_for_who_takes_it(visit: Visitor) -> None:
    """Page, style sheet and script, as every mall does; what comes out is the same."""
    visit.market.set_scenario("gmarket", "heavy")
    for path in ("/gmarket/n/search?keyword=x", "/gmarket/static/heavy.js", "/gmarket/static/heavy.css"):
        plain, packed = visit.get(path), visit.get(path, {"Accept-Encoding": "gzip, br"})
        assert "gzip" == packed.headers["content-encoding"]
        assert len(packed.body) < len(plain.body) / 2
        assert plain.body == gzip.decompress(packed.body)


def test_the_advertiser_is_another_host(visit: Visitor) -> None:
    """Here the machine's other name; a real advertiser's where the mall has its real name."""
    visit.market.set_scenario("coupang", "heavy")
    page = visit.search("coupang", RICE).text
    frame = re.search(r'<iframe src="http://localhost:\d+(/_ads/frame)"', page)
    assert frame
    assert 20 == visit.get(frame[1]).text.count(".png")
    assert "image/gif" == visit.get("/_ads/pixel-1.gif").headers["content-type"]
    asked = Ask(mall="coupang", path="/np/search", base="http://www.coupang.com")
    real = heavy.weighed(html("<head></head><body></body>"), asked, "")
    assert b'<iframe src="http://ad.doubleclick.net/_ads/frame"' in real.body
