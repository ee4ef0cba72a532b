"""`lps crawl`, `lps robots` and `lps replay`: one request, the rules for it, and a second look at what came."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from model import MALLS

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.cli.conftest import Checkout
    from tests.conftest import Database


@pytest.fixture
def lps(checkout: Checkout, db: Database, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`lps …` on this test's server, evidence in a folder of its own."""
    name = db.url.rsplit("/", 1)[1]
    env = {"LPS_DATABASE__URL": db.url, "LPS_DATABASE__NAME": name, "LPS_EVIDENCE__DIR": str(tmp_path)}
    return lambda *words: checkout.run(*words, **env, COLUMNS="200")


def test_one_request_says_all_there_is_to_say(lps: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Outcome, time, bytes, cards by field, offers in the form of `lps parse`, and where the page lies."""
    ran = lps("crawl", "st11", "햇반 백미밥 210g", "--json")
    told = json.loads(ran.stdout)
    assert (0, "st11", "ok") == (ran.returncode, told["mall"], told["outcome"])
    (answer,) = told["answers"]
    assert (200, answer["cards"]) == (answer["status"], len(told["offers"]))
    assert answer["wire_bytes"] > answer["body_bytes"] > 1000
    assert told["offers"][0]["price_krw"] > 0
    (file,) = told["evidence"]
    assert b'"sandbox":true' in gzip.decompress(Path(file).read_bytes())


def test_nothing_found_and_failure_have_their_own_status(
    lps: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """3 and 2, and words for people."""
    nothing = lps("crawl", "naver", "없는상품 ZZZ-9999")
    assert (3, True) == (nothing.returncode, nothing.stdout.startswith("naver  empty  0 offers"))
    assert 2 == lps("crawl", "lotte", "x").returncode


def test_robots_are_asked_and_shown(lps: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """All malls, or those that are named."""
    found = [json.loads(line) for line in lps("robots", "--json").stdout.splitlines()]
    assert [*MALLS, "st11"] == [one["mall"] for one in found]
    ran = lps("robots", "auction")
    assert (0, True) == (ran.returncode, "FORBIDDEN" in ran.stdout)


def test_a_search_of_which_nothing_is_kept_is_said(lps: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Exit status 1, and what is missing."""
    ran = lps("replay", "00000000-0000-0000-0000-000000000000")
    assert (1, True) == (ran.returncode, "there is no job" in ran.stderr)
    assert 1 == lps("replay", "nonsense").returncode
