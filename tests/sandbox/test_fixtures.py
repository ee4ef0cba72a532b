"""Saved real bodies in the malls' place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from sandbox.fixtures import NoFixtures
from sandbox.server import serve
from tests.sandbox.conftest import Visitor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = "<html><title>실제</title>그대로\n</html>".encode()
ITEMS = [
    {"title": "가벼운 노트북 & 파우치 15인치", "lprice": "1000", "mallName": "가게", "productId": "1"},
    {"title": "노트북 받침대", "lprice": "2000", "mallName": "네이버", "productId": "2"},
]


@pytest.fixture
def saved(tmp_path: Path) -> Iterator[Visitor]:
    """A market that serves a small saved folder."""
    (tmp_path / "gmarket").mkdir()
    (tmp_path / "gmarket/page.html").write_bytes(PAGE)
    (tmp_path / "naver").mkdir()
    (tmp_path / "naver/items.json").write_text(json.dumps(ITEMS[:1]), encoding="utf-8")
    whole = {"total": 1, "items": [{**ITEMS[1], "title": "<b>노트북</b> 받침대"}]}
    (tmp_path / "naver/answer.json").write_text(json.dumps(whole), encoding="utf-8")
    with serve(fixtures=tmp_path) as market:
        yield Visitor(market)


def test_the_real_page_comes_byte_for_byte(saved: Visitor) -> None:
    """For 노트북; only the header says sandbox."""
    reply = saved.search("gmarket", "노트북")
    assert reply.body == PAGE
    assert "1" == reply.headers["x-lps-sandbox"]


def test_naver_items_are_those_with_every_word(saved: Visitor) -> None:
    """Lists and whole answers alike, wrapped as the API answers."""
    both = saved.search("naver", "노트북").json()
    assert (2, 2) == (both["total"], len(both["items"]))
    (one,) = saved.search("naver", "노트북 파우치").json()["items"]
    assert "가벼운 <b>노트북</b> &amp; <b>파우치</b> 15인치" == one["title"]


@pytest.mark.parametrize("mall", ["coupang", "auction", "st11"])
def test_other_malls_answer_their_empty_page(saved: Visitor, mall: str) -> None:
    """Nothing real is at hand for them."""
    assert "검색결과가 없습니다" in saved.search(mall, "노트북").text


def test_other_words_find_nothing(saved: Visitor) -> None:
    """Also what the catalogue would have."""
    assert 0 == saved.search("naver", "햇반").json()["total"]
    assert "검색 결과가 없습니다" in saved.search("gmarket", "햇반").text


def test_scenarios_work_on_saved_bodies_too(saved: Visitor) -> None:
    """A block is a block."""
    saved.market.set_scenario("gmarket", "block403")
    assert 403 == saved.search("gmarket", "노트북").status


def test_a_folder_without_bodies_is_refused(tmp_path: Path) -> None:
    """At the start, by name."""
    with pytest.raises(NoFixtures, match=r"gmarket/\*\.html"):
        serve(fixtures=tmp_path)


def test_the_real_folder_is_served(shared: Path) -> None:
    """The saved Gmarket page and the saved Naver items."""
    with serve(fixtures=shared / "fixtures") as market:
        visit = Visitor(market)
        real = next((shared / "fixtures/gmarket").glob("*.html")).read_bytes()
        assert real == visit.search("gmarket", "노트북").body
        items = visit.search("naver", "노트북", display="100").json()["items"]
        assert len(items) >= 5
        assert all("노트북" in item["title"] for item in items)
