"""`lps match`, `lps quantity`, `lps pairs`: the deciders offline, without database, queue or network."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TextIO

import click

from ai import pairs as title_pairs
from ai.match import decide
from ai.quantity import parse
from model import Decision, Match, Offer, Product

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ASSUMED_SHIPPING_KRW = 3000
_LINES = click.File("r", encoding="utf-8", errors="surrogateescape")


class Bad(Exception):
    """A line of the input cannot be read; its text says why."""


class Complaints:
    """Names bad lines on stderr and remembers that there were some."""

    def __init__(self) -> None:
        self.count = 0

    def say(self, where: str, why: object) -> None:
        """Name one bad line."""
        self.count += 1
        print(f"lps: {where}: {why}", file=sys.stderr)

    @property
    def status(self) -> int:
        """The exit status: 1 when anything was bad."""
        return 1 if self.count else 0


def _lines(stream: TextIO, complaints: Complaints) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every readable JSON object with its line number, from 1; blank lines are passed over."""
    for number, line in enumerate(stream, 1):
        if not line.strip():
            continue
        try:
            line.encode()
            row = json.loads(line)
        except UnicodeEncodeError:
            complaints.say(f"line {number}", "not UTF-8")
            continue
        except (ValueError, RecursionError) as error:
            complaints.say(f"line {number}", f"not JSON ({error})")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            complaints.say(f"line {number}", "not a JSON object")


def _say(row: dict[str, Any]) -> None:
    line = json.dumps(row, ensure_ascii=False)
    # A title may hold half a character (a lone surrogate), which no encoding can print as it is.
    sys.stdout.write((line if line.isprintable() else json.dumps(row)) + "\n")


def _field(row: dict[str, Any], name: str, kind: type[str | list[Any]], default: object = None) -> Any:
    value = row.get(name, default)
    if not isinstance(value, kind):
        raise Bad(f'"{name}" must be a {"text" if kind is str else "list"}')
    return value


def _money(row: dict[str, Any], name: str) -> int | None:
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15 or value != int(value):
        raise Bad(f'"{name}" must be whole won or null')
    return int(value)


def _offer(row: object, rank: int) -> tuple[str | int, Offer]:
    """The id and the offer of one input line; a missing price is 0, which never wins."""
    if not isinstance(row, dict):
        raise Bad("an offer must be a JSON object")
    key = row.get("id")
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise Bad('"id" must be a text or a number')
    title = _field(row, "title", str)
    price, shipping = _money(row, "price_krw") or 0, _money(row, "shipping_krw")
    return key, Offer(mall="", rank=rank, name=title, price_krw=price, shipping_krw=shipping, url=str(rank))


def _answer(key: str | int, decision: Decision) -> dict[str, Any]:
    return {
        "id": key,
        "verdict": decision.verdict.value,
        "reason": decision.reason.value,
        "confidence": decision.confidence,
        "effective_price_krw": decision.effective_price_krw,
        "unit_price": decision.unit_price,
        "source": decision.source,
    }


def _decide(product: Product, offers: list[tuple[str | int, Offer]], shipping: int, stamp: dict[str, Any]) -> Match:
    """Decide and print one request; `stamp` opens every line."""
    match = decide(product, [offer for _, offer in offers], shipping=lambda _offer: shipping)
    keys = {offer.url: key for key, offer in offers}
    for decision in match.decisions:
        _say(stamp | _answer(keys[decision.offer.url], decision))
    winner = keys[match.winner.offer.url] if match.winner else None
    _say(stamp | {"winner": winner, "outcome": match.outcome.value, "mode": match.mode})
    return match


def _read_offers(rows: Sequence[tuple[str, object]], complaints: Complaints) -> list[tuple[str | int, Offer]]:
    offers = []
    for rank, (where, row) in enumerate(rows, 1):
        try:
            offers.append(_offer(row, rank))
        except Bad as bad:
            complaints.say(where, bad)
    return offers


def _request(number: int, row: dict[str, Any], shipping: int, complaints: Complaints) -> None:
    try:
        product = _product(_field(row, "name", str), _field(row, "spec", str, ""))
        rows = _field(row, "offers", list)
    except Bad as bad:
        complaints.say(f"line {number}", bad)
        return
    offers = _read_offers([(f"line {number}, offer {at}", one) for at, one in enumerate(rows, 1)], complaints)
    _decide(product, offers, shipping, {"request_id": row.get("request_id", number)})


def _product(name: str, specification: str) -> Product:
    if not name.strip():
        raise Bad('"name" must not be empty')
    return Product(code="", name=name, specification=specification)


@click.command()
@click.option("--name", help="Product name, as a buyer writes it.")
@click.option("--spec", default="", help="Specification: size, count, colour.")
@click.option("--offers", type=_LINES, help="JSON lines {id, title, price_krw, shipping_krw}.")
@click.option("--requests", type=_LINES, help="JSON lines {request_id, name, spec, offers}.")
@click.option(
    "--ai", type=click.Choice(["off", "on"]), default="off", show_default=True, help="Ask an AI what rules cannot tell."
)
@click.option(
    "--assumed-shipping",
    type=click.IntRange(min=0),
    default=ASSUMED_SHIPPING_KRW,
    show_default=True,
    help="KRW for unknown shipping.",
)
def match(
    name: str | None, spec: str, offers: TextIO | None, requests: TextIO | None, ai: str, assumed_shipping: int
) -> int:
    """Judge titles against a product as LPS does.

    Prints one JSON line an offer, then the winner. Bad lines are named on stderr, the rest is decided, exit 1.
    """
    if ai == "on":
        raise click.UsageError("--ai on: this version decides by rules alone; leave it off")
    if (offers is None) == (requests is None):
        raise click.UsageError("give either --name with --offers, or --requests")
    complaints = Complaints()
    if requests is not None:
        for number, row in _lines(requests, complaints):
            _request(number, row, assumed_shipping, complaints)
    elif offers is not None:
        if not name or not name.strip():
            raise click.UsageError("--offers needs --name")
        rows = [(f"line {number}", row) for number, row in _lines(offers, complaints)]
        _decide(_product(name, spec), _read_offers(rows, complaints), assumed_shipping, {})
    return complaints.status


@click.command()
@click.argument("titles", nargs=-1, required=True, metavar="TITLE…|-")
def quantity(titles: tuple[str, ...]) -> int:
    """Read size, count and total from titles; - reads one title a line."""
    lines = (raw.decode("utf-8", "surrogateescape").rstrip("\r\n") for raw in sys.stdin.buffer)
    given = lines if titles == ("-",) else titles
    for title in given:
        if title.strip():
            _say({"title": title, **parse(title).to_json()})
    return 0


@click.command()
@click.argument("file", type=_LINES)
def pairs(file: TextIO) -> int:
    """Say of every pair {left, right} whether it is one product."""
    complaints = Complaints()
    rows = []
    for number, row in _lines(file, complaints):
        try:
            rows.append((row, (_field(row, "left", str), _field(row, "right", str))))
        except Bad as bad:
            complaints.say(f"line {number}", bad)
    for (row, _), found in zip(rows, title_pairs.label([pair for _, pair in rows]), strict=True):
        kept = {key: row[key] for key in ("id", "pair_id", "left", "right") if key in row}
        verdict = {
            "verdict": found.verdict.value,
            "label": int(found.verdict.value == "same"),
            "reason": found.reason.value,
        }
        _say(kept | verdict | {"score": round(found.score, 3), "confidence": found.confidence, "source": "rule"})
    return complaints.status
