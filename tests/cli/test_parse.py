"""`lps parse`, as others call it: a process, its lines and its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "tests" / "pages"
KEYS = ["rank", "name", "price_krw", "list_price_krw", "shipping_krw", "unit_price", "seller", "url", "mall_item_id"]
KEYS += ["ad", "used", "overseas", "sold_out", "catalogue"]


def lps(*args: str, stdin: bytes = b"") -> tuple[int, list[str], str]:
    """Exit status, lines of output, text of errors."""
    ran = subprocess.run(
        [sys.executable, "-m", "cli", "parse", *args], cwd=ROOT, input=stdin, capture_output=True, check=False
    )
    return ran.returncode, ran.stdout.decode().splitlines(), ran.stderr.decode()


def test_it_prints_a_line_per_offer_and_one_for_the_outcome() -> None:
    """The form others measure us by: exactly these keys, in this order, in UTF-8."""
    status, lines, _ = lps("coupang", str(PAGES / "coupang" / "result_react.html"))
    offers, last = [json.loads(line) for line in lines[:-1]], json.loads(lines[-1])
    assert 0 == status
    assert {"outcome": "ok", "kind": "", "cards": 7, "offers": 6} == last
    assert [KEYS] * 6 == [list(offer) for offer in offers]
    assert "전복죽" in lines[0]
    assert (2500, "100g당 875원") == (offers[0]["shipping_krw"], offers[0]["unit_price"])


@pytest.mark.parametrize(
    ("page", "outcome", "kind"),
    [("blocked_akamai", "blocked", "akamai"), ("no_result", "empty", ""), ("drift", "drift", "no_cards")],
)
def test_a_page_without_offers_is_a_reading_too(page: str, outcome: str, kind: str) -> None:
    """Blocked, empty and unreadable pages are what was asked about: exit 0, one line."""
    status, lines, _ = lps("coupang", str(PAGES / "coupang" / f"{page}.html"))
    assert (0, 1) == (status, len(lines))
    assert {"outcome": outcome, "kind": kind, "cards": 0, "offers": 0} == json.loads(lines[0])


def test_a_page_comes_from_standard_input_with_what_is_known_of_it() -> None:
    """Status, address and charset may be told of a page that "-" reads from a pipe."""
    name, price = '<div class="ProductUnit_productName__x">죽</div>', '<div class="PriceArea_priceArea__x">900원</div>'
    card = f'<li class="ProductUnit_productUnit__x"><a href="/vp/products/1">{name}{price}</a></li>'
    body = f'<ul id="product-list">{card}</ul>'
    args = ("coupang", "-", "--status", "200", "--url", "http://127.0.0.1:1/coupang/np/search", "--charset", "euc-kr")
    status, lines, _ = lps(*args, stdin=body.encode("cp949"))
    assert 0 == status
    assert ("죽", "http://127.0.0.1:1/vp/products/1") == tuple(json.loads(lines[0])[key] for key in ("name", "url"))
    assert "http_429" == json.loads(lps("st11", "-", "--status", "429", stdin=b"{}")[1][-1])["kind"]


@pytest.mark.parametrize(
    ("args", "status", "text"),
    [
        (("coupng", "x"), 2, "did you mean 'coupang'"),
        (("coupang",), 2, "FILE"),
        (("coupang", "-", "--status", "abc"), 2, "--status"),
        (("coupang", "/no/such/file"), 1, "/no/such/file cannot be read: No such file"),
        (("coupang", "."), 1, ". cannot be read: Is a directory"),
    ],
)
def test_a_mistake_gets_one_clear_line(args: tuple[str, ...], status: int, text: str) -> None:
    """Usage is 2, a file that cannot be read 1; never a traceback."""
    got, lines, error = lps(*args)
    assert (status, []) == (got, lines)
    assert text in error
    assert "Traceback" not in error


def test_the_real_gmarket_page_is_accounted_for(shared: Path) -> None:
    """115 cards and 5 power items: a line each, 56 of them ads, 7 used; nothing is dropped."""
    (page,) = shared.glob("fixtures/gmarket/*.html")
    status, lines, _ = lps("gmarket", str(page))
    offers, last = [json.loads(line) for line in lines[:-1]], json.loads(lines[-1])
    assert (0, {"outcome": "ok", "kind": "", "cards": 120, "offers": 120}) == (status, last)
    assert (120, 56, 7) == (len(offers), sum(one["ad"] for one in offers), sum(one["used"] for one in offers))
    assert [*range(1, 121)] == [one["rank"] for one in offers]
    assert all(one["price_krw"] > 0 and one["name"] and one["url"] and one["mall_item_id"] for one in offers)
