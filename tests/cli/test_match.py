"""`lps match`, `lps quantity`, `lps pairs`: the forms that others measure with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from cli import lps

if TYPE_CHECKING:
    from click.testing import Result

OFFERS = """{"id":"a","title":"들샘 생수 2L 12개","price_krw":9000,"shipping_krw":null}
not json
{"id":2,"title":"들샘 생수 2L 6개","price_krw":4000,"shipping_krw":0}
{"id":3,"title":"들샘 생수 2L 12병","price_krw":"x","shipping_krw":0}
"""


def _run(*args: str, text: str = "") -> Result:
    return CliRunner().invoke(lps, args, input=text, standalone_mode=False)


def _rows(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_it_answers_a_line_an_offer_and_then_the_winner() -> None:
    """The fields and their order are the form."""
    rows = _rows(_run("match", "--name", "들샘 생수 2L", "--spec", "12개", "--offers", "-", text=OFFERS))
    fields = ["id", "verdict", "reason", "confidence", "effective_price_krw", "unit_price", "source"]
    assert fields == list(rows[0])
    assert ("a", "same", 12_000, "rule") == tuple(
        rows[0][key] for key in ("id", "verdict", "effective_price_krw", "source")
    )
    assert {"winner": "a", "outcome": "found", "mode": "rules"} == rows[-1]


def test_it_names_bad_lines_by_number_and_decides_the_rest() -> None:
    """Two of four lines are unreadable: exit 1, two answers."""
    result = _run("match", "--name", "들샘 생수 2L", "--spec", "12개", "--offers", "-", text=OFFERS)
    assert ["a", 2] == [row["id"] for row in _rows(result)[:-1]]
    assert 1 == result.return_value
    assert "line 2" in result.stderr
    assert "line 4" in result.stderr


def test_it_reads_what_lps_parse_prints() -> None:
    """Names and the mall's own numbers; what the card says counts; the last line is no offer."""
    cards = [
        {"rank": 1, "name": "들샘 생수 2L 12개", "price_krw": 9000, "shipping_krw": 0, "mall_item_id": "m1"},
        {"rank": 2, "name": "들샘 생수 2L 12개", "price_krw": 5000, "mall_item_id": "m2", "sold_out": True},
        {"rank": 3, "name": "들샘 생수 2L 6개", "price_krw": 4000, "shipping_krw": 0, "url": "u3", "min_order": 2},
        {"outcome": "ok", "kind": "", "cards": 3, "offers": 3},
    ]
    text = "\n".join(json.dumps(card) for card in cards)
    result = _run("match", "--name", "들샘 생수 2L", "--spec", "12개", "--offers", "-", text=text)
    assert ("", 0) == (result.stderr, result.return_value)
    *answers, last = _rows(result)
    assert [("m1", "ok"), ("m2", "sold_out"), ("u3", "ok")] == [(one["id"], one["reason"]) for one in answers]
    assert "u3" == last["winner"]


def test_it_decides_many_requests_in_one_process() -> None:
    """Every answer line carries its request."""
    lines = [
        {
            "request_id": "r1",
            "name": "들샘 생수 2L",
            "spec": "",
            "offers": [{"id": 1, "title": "들샘 생수 2L", "price_krw": 900}],
        },
        {"request_id": "r2", "name": "들샘 생수 2L", "spec": None, "offers": []},
        {"request_id": "r3", "name": "", "offers": []},
    ]
    result = _run("match", "--requests", "-", text="\n".join(json.dumps(line) for line in lines))
    assert [("r1", 1), ("r1", None), ("r2", None)] == [(row["request_id"], row.get("id")) for row in _rows(result)]
    assert ["found", "not_found"] == [row["outcome"] for row in _rows(result) if "outcome" in row]
    assert "line 3" in result.stderr


@pytest.mark.parametrize("args", [("--ai", "on", "--name", "x", "--offers", "-"), ("--name", "x"), ("--offers", "-")])
def test_it_refuses_what_it_cannot_do(args: tuple[str, ...]) -> None:
    """An AI that is not there, no offers, no name."""
    assert _run("match", *args).exception is not None


def test_quantity_reads_arguments_and_lines() -> None:
    """One JSON line a title, in the conventions of the cases."""
    expected = {"title": "들샘 생수 2L x 6", "unit_amount": 2000, "unit": "ml", "count": 6, "total": 12000, "flags": ""}
    assert [expected] == _rows(_run("quantity", "들샘 생수 2L x 6"))
    assert [expected] == _rows(_run("quantity", "-", text="들샘 생수 2L x 6\n\n"))


def test_the_mark_of_an_editor_is_no_part_of_the_first_line() -> None:
    """Windows writes it; broken lines are named and the rest is read."""
    rows = _rows(_run("match", "--name", "들샘 생수 2L", "--spec", "12개", "--offers", "-", text="\ufeff" + OFFERS))
    assert ["a", 2, None] == [row.get("id") for row in rows]
    text = "\ufeff들샘 생수 2L x 6\r\n".encode() + b"\xff\n" + "들샘 생수 2L".encode()
    result = CliRunner().invoke(lps, ["quantity", "-"], input=text, standalone_mode=False)
    assert ["들샘 생수 2L x 6", "들샘 생수 2L"] == [row["title"] for row in _rows(result)]
    assert (1, "lps: line 2: not UTF-8\n") == (result.return_value, result.stderr)


def test_pairs_keeps_what_names_a_pair() -> None:
    """Left, right and an id come back beside the label."""
    row = {"pair_id": "p1", "left": "acme radio rx520", "right": "acme rx-520 radio"}
    found = _rows(_run("pairs", "-", text=json.dumps(row)))[0]
    assert row | {"verdict": "same", "label": 1} == {key: found[key] for key in (*row, "verdict", "label")}


def test_no_bytes_and_no_number_stop_it() -> None:
    """Broken UTF-8, half characters, endless numbers and deep nesting are bad lines, or answered."""
    lines = [
        b'{"id":1,"title":"\xff","price_krw":1}',
        b'{"id":2,"title":"\\ud800 2L","price_krw":1}',
        b'{"id":3,"title":"a","price_krw":1e999}',
        b"[" * 100_000,
        b'{"id":5,"title":"a","price_krw":NaN}',
    ]
    args = ["match", "--name", "x", "--offers", "-"]
    result = CliRunner().invoke(lps, args, input=b"\n".join(lines), standalone_mode=False)
    assert [2] == [row["id"] for row in _rows(result)[:-1]]
    named = sorted(line.split(":")[1].strip() for line in result.stderr.splitlines())
    assert ["line 1", "line 3", "line 4", "line 5"] == named
