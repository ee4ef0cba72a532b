"""`lps search` from the outside: real Chromium, its own stack or a running one, and nothing left behind."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from embedded.waiting import gone, until
from model import MALLS
from tests.cli.test_up import family, up

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Checkout

pytestmark = pytest.mark.browser
WANTED = ("search", "햇반 백미밥 210g", "--spec", "24개")


def left(checkout: Checkout) -> list[str]:
    """What still runs in the checkout."""
    found = psutil.process_iter(["cwd", "cmdline"])
    return [" ".join(one.info["cmdline"] or ()) for one in found if one.info["cwd"] == str(checkout.folder)]


def test_it_finds_the_right_pack_with_a_stack_of_its_own(checkout: Checkout) -> None:
    """The lowest price of the wanted count, five sources with their outcome, exit status 0, no process left."""
    done = checkout.run(*WANTED, "--json", "--again")
    assert 0 == done.returncode, done.stderr
    document = json.loads(done.stdout)
    assert "found" == document["outcome"]
    assert "24" in document["lowest"]["title"]
    assert document["lowest"]["price"] == document["lowest"]["item_price"] + document["lowest"]["shipping"]
    assert {"naver", "coupang"} <= set(document["sources"]) <= set(MALLS)
    assert {"ok"} == {row["outcome"] for row in document["sources"].values()}
    assert all(offer["verdict"] and offer["reason"] for offer in document["offers"])
    assert [] == left(checkout)
    assert [] == list((checkout.folder / ".lps").glob("search-*"))


def test_what_no_mall_has_is_not_found(checkout: Checkout) -> None:
    """All five are asked, exit status 3; the second time the answer is known."""
    done = checkout.run("search", "없는상품 ZZZ-9999", "--json", "--again")
    assert 3 == done.returncode, done.stderr
    document = json.loads(done.stdout)
    assert dict.fromkeys(MALLS, "empty") == {mall: row["outcome"] for mall, row in document["sources"].items()}
    again = json.loads(checkout.run("search", "없는상품 ZZZ-9999", "--json").stdout)
    assert (True, document["job_id"]) == (again["cached"], again["job_id"])


def test_it_uses_the_running_stack(checkout: Checkout) -> None:
    """No second worker is started, and people read the result."""
    with up(checkout) as process:
        done = checkout.run(*WANTED, "--again")
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(40)
    assert 0 == done.returncode, done.stderr
    assert "no lps up runs" not in done.stderr
    assert [mall for mall in ("naver", "coupang") if f"\n  {mall} " in done.stdout] == ["naver", "coupang"]


def test_real_saved_pages_stand_in_for_the_malls(checkout: Checkout, shared: Path) -> None:
    """The real Gmarket page and real Naver items of 노트북: many offers, ads and used goods marked, each judged."""
    done = checkout.run("search", "노트북", "--fixtures", str(shared / "fixtures"), "--json", "--again")
    assert done.returncode in (0, 3), done.stderr
    offers = json.loads(done.stdout)["offers"]
    assert len(offers) >= 60
    assert any(offer["ad"] for offer in offers)
    assert any(offer["used"] for offer in offers)
    assert all(offer["verdict"] and offer["reason"] for offer in offers)


@pytest.mark.chaos
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_search_leaves_nothing(checkout: Checkout, number: signal.Signals) -> None:
    """Neither process nor browser nor profile, and the next search of the same product is not held up."""
    with checkout.start(*WANTED, "--again") as process:
        assert process.stderr is not None
        assert "no lps up runs" in process.stderr.readline()
        started = until(lambda: len(family(process)) > 4, time.monotonic() + 10)
        pids = family(process)
        process.send_signal(number)
        process.communicate(timeout=30)
    assert started
    assert process.returncode in (1, 130, -number)
    assert until(lambda: all(map(gone, pids)), time.monotonic() + 15)
    assert until(lambda: not left(checkout), time.monotonic() + 15)
    assert 0 == checkout.run(*WANTED).returncode


def test_an_unusable_product_is_a_usage_error(checkout: Checkout) -> None:
    """The field is named, exit status 2, nothing is searched."""
    for name in (" ", "x" * 10_000, "a\tb"):
        done = checkout.run("search", name)
        assert (2, "") == (done.returncode, done.stdout)
        assert "product_name" in done.stderr
