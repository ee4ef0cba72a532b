"""`lps replay JOB`: the kept pages of a search, read by today's parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import orjson

from cli.operator import operated
from errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model import Offer
    from tasks.reparse import MallRead, Reparsed


@click.command()
@click.argument("job", metavar="JOB")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@operated
def replay(*, job: str, as_json: bool, who: str) -> int:
    """Read what was kept of search JOB with today's parsers and print what would change.

    Offers that would be added, removed or read differently, and who would win under the rules alone. Nothing is
    asked of a mall, and nothing is stored. A mall whose pages are past their days keeps its stored offers.
    Exit status: 0 the winner stays, 3 another one would win, 1 nothing is kept of it.
    """
    del who
    from tasks.reparse import reparse  # noqa: PLC0415 - reads the settings as it is loaded

    try:
        found = reparse(job)
    except NotFound as error:
        click.echo(str(error), err=True)
        return 1
    print(orjson.dumps(_document(found)).decode() if as_json else "\n".join(_lines(found)))
    return 0 if found.same_winner else 3


def _document(found: Reparsed) -> dict[str, Any]:
    return {
        "job_id": found.job.job_id,
        "malls": {mall.mall: _mall(mall) for mall in found.malls},
        "winner": {
            "stored": found.stored,
            "was": found.was and found.was.to_json(),
            "now": found.now and found.now.to_json(),
        },
        "same_winner": found.same_winner,
    }


def _mall(mall: MallRead) -> dict[str, Any]:
    return {
        "complete": mall.complete,
        "pages": [
            {"query": p.query, "sha256": p.sha256, "was": p.was, "now": p.now, "error": p.error} for p in mall.pages
        ],
        "added": [offer.to_json() for offer in mall.added],
        "removed": [offer.to_json() for offer in mall.removed],
        "changed": [{"offer": offer.to_json(), "fields": fields} for offer, fields in mall.changed],
    }


def _lines(found: Reparsed) -> Iterator[str]:
    """For people."""
    for mall in found.malls:
        counts = f"{len(mall.added)} added, {len(mall.removed)} removed, {len(mall.changed)} changed"
        yield f"{mall.mall}: {counts if mall.complete else 'no page to read: the stored offers stand'}"
        for page in mall.pages:
            yield f"  page {page.sha256[:12]}  '{page.query}'  was {page.was}, {page.error or f'is {page.now}'}"
        yield from (f"  + {_offer(offer)}" for offer in mall.added)
        yield from (f"  - {_offer(offer)}" for offer in mall.removed)
        for offer, fields in mall.changed:
            said = "; ".join(f"{field} {then!r} → {now!r}" for field, (then, now) in fields.items())
            yield f"  ~ {_offer(offer)}: {said}"
    yield f"winner by the rules: {_offer(found.was)}"
    yield "  stays" if found.same_winner else f"  would be: {_offer(found.now)}"
    if found.stored:
        yield f"winner as stored: {found.stored['mall']} {found.stored['price']:,} KRW  {found.stored['title']}"


def _offer(offer: Offer | None) -> str:
    return f"{offer.mall} {offer.price_krw:,} KRW  {offer.name}" if offer else "none"
