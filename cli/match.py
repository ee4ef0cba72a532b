"""`lps match`: the decider offline, without database or queue; the network only with `--ai on`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

import click

import config
from ai.ask_alone import Alone
from ai.client import Client
from ai.match import decide
from cli.lines import FILE, Bad, Complaints, field, is_outcome, lines, offer, say
from model import Decision, Match, Offer, Product

if TYPE_CHECKING:
    from collections.abc import Sequence

ASSUMED_SHIPPING_KRW = 3000


@dataclass(frozen=True, slots=True)
class How:
    """How requests are decided."""

    shipping_krw: int
    counsel: Alone | None


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


def _counsel() -> Alone:
    """The model that the settings name.

    Raises:
        UsageError: they name none.
    """
    settings = config.load().ai
    if settings.why_off:
        raise click.UsageError(f"--ai on: {settings.why_off}; set OPENAI_API_KEY, and [ai] base_url for another server")
    return Alone(settings, Client(settings), thorough=True)


def _decide(product: Product, offers: list[tuple[str | int, Offer]], how: How, stamp: dict[str, Any]) -> Match:
    """Decide and print one request; `stamp` opens every line."""
    given = [offer for _, offer in offers]
    match = decide(product, given, shipping=lambda _offer: how.shipping_krw, counsel=how.counsel)
    keys = {offer.url: key for key, offer in offers}
    for decision in match.decisions:
        say(stamp | _answer(keys[decision.offer.url], decision))
    winner = keys[match.winner.offer.url] if match.winner else None
    end = {"winner": winner, "outcome": match.outcome.value, "mode": match.mode}
    say(stamp | end | ({"mode_reason": match.why} if how.counsel else {}))
    return match


def _read_offers(rows: Sequence[tuple[str, object]], complaints: Complaints) -> list[tuple[str | int, Offer]]:
    offers = []
    for rank, (where, row) in enumerate(rows, 1):
        try:
            offers.append(offer(row, rank))
        except Bad as bad:
            complaints.name(where, bad)
    return offers


def _request(number: int, row: dict[str, Any], how: How, complaints: Complaints) -> None:
    try:
        product = _product(field(row, "name", str), field(row, "spec", str, "") if row.get("spec") else "")
        rows = field(row, "offers", list)
    except Bad as bad:
        complaints.name(f"line {number}", bad)
        return
    offers = _read_offers([(f"line {number}, offer {at}", one) for at, one in enumerate(rows, 1)], complaints)
    _decide(product, offers, how, {"request_id": row.get("request_id", number)})


def _product(name: str, specification: str) -> Product:
    if not name.strip():
        raise Bad('"name" must not be empty')
    return Product(code="", name=name, specification=specification)


@click.command()
@click.option("--name", help="Product name, as a buyer writes it.")
@click.option("--spec", default="", help="Specification: size, count, colour.")
@click.option("--offers", type=FILE, help="JSON lines {id, title, price_krw, shipping_krw}, or those of `lps parse`.")
@click.option("--requests", type=FILE, help="JSON lines {request_id, name, spec, offers}.")
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
    if (offers is None) == (requests is None):
        raise click.UsageError("give either --name with --offers, or --requests")
    complaints, how = Complaints(), How(assumed_shipping, _counsel() if ai == "on" else None)
    if requests is not None:
        for number, row in lines(requests, complaints):
            _request(number, row, how, complaints)
    elif offers is not None:
        if not name or not name.strip():
            raise click.UsageError("--offers needs --name")
        rows = [(f"line {number}", row) for number, row in lines(offers, complaints) if not is_outcome(row)]
        _decide(_product(name, spec), _read_offers(rows, complaints), how, {})
    return complaints.status
