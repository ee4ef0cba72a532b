"""JSON lines in and out of the offline deciders: every readable line counts, every bad one is named by its number."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TextIO

import click

from model import Offer

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = click.File("r", encoding="utf-8", errors="surrogateescape")
_MARK = "\ufeff"
"""What some editors write in front of a UTF-8 file."""
AMOUNTS = ("list_price_krw", "shipping_krw", "free_shipping_from_krw", "min_order")
FLAGS = ("ad", "used", "overseas", "sold_out", "preorder", "catalogue", "option_range")
"""What of a card an input line may say besides its title and price."""


class Bad(Exception):
    """A line of the input cannot be read; its text says why."""


class Complaints:
    """Names bad lines on stderr and remembers that there were some."""

    def __init__(self) -> None:
        self.count = 0

    def name(self, where: str, why: object) -> None:
        """Name one bad line."""
        self.count += 1
        print(f"lps: {where}: {why}", file=sys.stderr)

    @property
    def status(self) -> int:
        """The exit status: 1 when anything was bad."""
        return 1 if self.count else 0


def lines(stream: TextIO, complaints: Complaints) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every readable JSON object with its line number, from 1; blank lines are passed over."""
    for number, read in enumerate(stream, 1):
        line = read.removeprefix(_MARK) if number == 1 else read
        if not line.strip():
            continue
        try:
            line.encode()
            row = json.loads(line)
        except UnicodeEncodeError:
            complaints.name(f"line {number}", "not UTF-8")
            continue
        except (ValueError, RecursionError) as error:
            complaints.name(f"line {number}", f"not JSON ({error})")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            complaints.name(f"line {number}", "not a JSON object")


def say(row: dict[str, Any]) -> None:
    """Print one JSON line."""
    line = json.dumps(row, ensure_ascii=False)
    # A title may hold half a character (a lone surrogate), which no encoding can print as it is.
    sys.stdout.write((line if line.isprintable() else json.dumps(row)) + "\n")


def field(row: dict[str, Any], name: str, kind: type[str | list[Any]], default: object = None) -> Any:
    """A field of a line, checked for its kind.

    Raises:
        Bad: it is of another kind.
    """
    value = row.get(name, default)
    if not isinstance(value, kind):
        raise Bad(f'"{name}" must be a {"text" if kind is str else "list"}')
    return value


def money(row: dict[str, Any], name: str) -> int | None:
    """Whole won (or pieces), 0 and more; None where the line does not say.

    Raises:
        Bad: it is something else.
    """
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15 or value != int(value):
        raise Bad(f'"{name}" must be whole won or null')
    return int(value)


def flag(row: dict[str, Any], name: str) -> bool:
    """A yes or no of a card; absent or null is no.

    Raises:
        Bad: it is something else.
    """
    value = row.get(name) or False
    if not isinstance(value, bool):
        raise Bad(f'"{name}" must be true, false or null')
    return value


def is_outcome(row: dict[str, Any]) -> bool:
    """Whether it is the line that `lps parse` prints last, which is no offer."""
    return "outcome" in row and not row.keys() & {"title", "name"}


def offer(row: object, rank: int) -> tuple[str | int, Offer]:
    """The id and the offer of one line {id, title, price_krw, shipping_krw}, or of one that `lps parse` prints.

    What else a card says (used, sold_out, min_order, …) is read where it stands. A missing price is 0, which never
    wins.

    Raises:
        Bad: the line is no offer.
    """
    if not isinstance(row, dict):
        raise Bad("an offer must be a JSON object")
    parsed = "title" not in row and "name" in row
    key = row.get("id") if "id" in row or not parsed else row.get("mall_item_id") or row.get("url") or rank
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise Bad('"id" must be a text or a number')
    card = {
        "mall": "",
        "rank": rank,
        "name": field(row, "name" if parsed else "title", str),
        "url": str(rank),
        "price_krw": money(row, "price_krw") or 0,
    }
    said = {name: money(row, name) for name in AMOUNTS} | {name: flag(row, name) for name in FLAGS}
    return key, Offer.from_json(card | said)
