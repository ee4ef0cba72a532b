"""`lps parse MALL FILE|-`: read a saved page of a mall, exactly as a fetch would.

One JSON line per offer, then one with the outcome. A blocked, empty or unreadable page is a reading too: exit 0.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import orjson

import crawl
from errors import BadConfig

FIELDS = (
    "rank",
    "name",
    "price_krw",
    "list_price_krw",
    "shipping_krw",
    "unit_price",
    "seller",
    "url",
    "mall_item_id",
    "ad",
    "used",
    "overseas",
    "sold_out",
    "catalogue",
)
"""What a line holds; others measure LPS by it, so it only ever grows."""
MAX_BYTES = 64 * 1024 * 1024
"""A file larger than this is no page."""


@click.command()
@click.argument("mall")
@click.argument("file", metavar="FILE|-")
@click.option("--status", type=click.IntRange(100, 999), help="HTTP status the page came with.")
@click.option("--url", default="", help="Address the page came from; relative links are joined to it.")
@click.option("--charset", default=None, help="Charset that the answer's header declared.")
def parse(mall: str, file: str, status: int | None, url: str, charset: str | None) -> int:
    """Read a saved page of a mall (naver, coupang, gmarket, auction, st11) as LPS reads it.

    FILE is the page as received; "-" reads standard input. Prints one JSON line per offer, then the outcome.
    """
    try:
        crawl.malls.mall(mall)
    except BadConfig as error:
        raise click.UsageError(str(error)) from None
    try:
        body = _read(file)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror or error}") from None
    reading = crawl.parse_file(mall, body, url=url, status=status, charset=charset)
    out = sys.stdout.buffer
    for offer in reading.parsed.offers:
        out.write(_line({name: getattr(offer, name) for name in FIELDS}))
    counts = {"cards": reading.parsed.cards, "offers": len(reading.parsed.offers)}
    out.write(_line({"outcome": reading.outcome.value, "kind": reading.kind, **counts}))
    out.flush()
    return 0


def _read(file: str) -> bytes:
    if file == "-":
        body = sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        with Path(file).open("rb") as opened:
            body = opened.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise click.ClickException(f"{file} is larger than {MAX_BYTES >> 20} MB: that is no page")
    return body


def _line(row: dict[str, Any]) -> bytes:
    return orjson.dumps(row) + b"\n"
