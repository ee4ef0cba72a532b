"""`lps quantity`: what a title sells, without database, queue or network."""

from __future__ import annotations

import sys

import click

from ai.quantity import parse
from cli.lines import say


@click.command()
@click.argument("titles", nargs=-1, required=True, metavar="TITLE…|-")
def quantity(titles: tuple[str, ...]) -> int:
    """Read size, count and total from titles; - reads one title a line."""
    lines = (raw.decode("utf-8", "surrogateescape").rstrip("\r\n") for raw in sys.stdin.buffer)
    given = lines if titles == ("-",) else titles
    for title in given:
        if title.strip():
            say({"title": title, **parse(title).to_json()})
    return 0
