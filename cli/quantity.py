"""`lps quantity`: what a title sells, without database, queue or network."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ai.quantity import parse
from cli.lines import Complaints, say

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command()
@click.argument("titles", nargs=-1, required=True, metavar="TITLE…|-")
def quantity(titles: tuple[str, ...]) -> int:
    """Read size, count and total from titles; - reads one title a line.

    Lines that are no UTF-8 are named on stderr, the rest is read, exit 1.
    """
    complaints = Complaints()
    for title in _lines(complaints) if titles == ("-",) else titles:
        if title.strip():
            say({"title": title, **parse(title).to_json()})
    return complaints.status


def _lines(complaints: Complaints) -> Iterator[str]:
    for number, raw in enumerate(sys.stdin.buffer, 1):
        try:
            title = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            complaints.name(f"line {number}", "not UTF-8")
        else:
            yield title.rstrip("\r\n")
