"""`lps crawl MALL QUERY`: one request to one mall, as a search would make it, and all there is to say about it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click
import orjson

import config
from cli import place
from cli.fetching import working
from cli.options import world_options
from cli.parse import FIELDS
from cli.ready import machine_ready
from crawl import parse_file
from errors import SourceFailure
from model import MALLS, SourceOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.place import World
    from config import Settings
    from crawl import Page, Seen

SHOWN = 5
EMPTY = 3


@click.command()
@click.argument("mall", type=click.Choice(MALLS))
@click.argument("query")
@click.option("--screenshot", is_flag=True, help="Keep a picture of the page too (malls that are read in a browser).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@world_options
def crawl(mall: str, query: str, *, screenshot: bool, as_json: bool, world: World) -> int:
    """Ask MALL for QUERY once, as a search would, and say what came: outcome, time, bytes, offers, evidence.

    Exit status: 0 offers, 3 nothing found, 1 anything else.
    """
    settings = place.base_settings(world)
    if getattr(settings.mall(mall), "fetcher", "http") == "browser":
        machine_ready(settings)
    with working(world) as found:
        config.adopt(found)
        told = _asked(mall, query, found, screenshot=screenshot)
    print(orjson.dumps(told).decode() if as_json else "\n".join(_lines(told)))
    return {SourceOutcome.OK.value: 0, SourceOutcome.EMPTY.value: EMPTY}.get(told["outcome"], 1)


def _asked(mall: str, query: str, settings: Settings, *, screenshot: bool) -> dict[str, Any]:
    from tasks import evidence  # noqa: PLC0415 - reads the settings as it is loaded
    from tasks.runtime import runtime  # noqa: PLC0415 - as above

    runtime.use(settings, role="cli")
    started = time.monotonic()
    deadline = started + settings.mall(mall).deadline_s
    try:
        told, seen = _fetched(runtime.crawler, mall, query, deadline, screenshot=screenshot)
        told["took_ms"] = round((time.monotonic() - started) * 1000)
        rows = evidence.observe(None, mall, query, seen)
        files = [str(evidence.folder().place(row.sha256)) for row in rows]
    finally:
        runtime.close()
    return {"mall": mall, "query": query, **told, "answers": [_answer(mall, one) for one in seen], "evidence": files}


def _fetched(
    crawler: Any, mall: str, query: str, deadline: float, *, screenshot: bool
) -> tuple[dict[str, Any], Sequence[Seen]]:
    how = {"screenshot": True} if screenshot else {}
    try:
        page: Page = crawler.fetch(mall, query, deadline, **how)
    except SourceFailure as error:
        return {"outcome": error.outcome.value, "kind": error.kind, "error": str(error), "offers": []}, error.seen
    offers = [{name: getattr(offer, name) for name in FIELDS} for offer in page.offers]
    return {"outcome": page.outcome.value, "kind": page.kind, "error": "", "offers": offers}, page.seen


def _answer(mall: str, one: Seen) -> dict[str, Any]:
    """One answer as it came, and how long reading it takes."""
    body, parsed = one.body, one.reading.parsed
    started = time.perf_counter()
    parse_file(mall, body.content, url=body.url, status=body.status, charset=body.charset)
    return {
        "outcome": one.reading.outcome.value,
        "kind": one.reading.kind,
        "url": body.url,
        "status": body.status,
        "wire_bytes": body.size_bytes,
        "body_bytes": len(body.content if isinstance(body.content, bytes) else body.content.encode("utf-8", "replace")),
        "parse_ms": round((time.perf_counter() - started) * 1000, 1),
        "ip_request_no": body.ip_request_no,
        "cards": parsed.cards,
        "having": parsed.having,
        "dropped": parsed.dropped,
    }


def _lines(told: dict[str, Any]) -> list[str]:
    """For people."""
    said = f"{told['outcome']} {told['kind']}".strip()
    lines = [f"{told['mall']}  {said}  {len(told['offers'])} offers in {told['took_ms']} ms"]
    lines += [f"  {told['error']}"] if told["error"] else []
    for one in told["answers"]:
        request = f", request {one['ip_request_no']} of this IP" if one["ip_request_no"] else ""
        lines += [
            f"  {one['url']}",
            f"    HTTP {one['status'] or '?'}, {one['outcome']} {one['kind']}".rstrip() + request,
            f"    {one['wire_bytes']:,} bytes on the wire, {one['body_bytes']:,} of page, read in {one['parse_ms']} ms",
            f"    {one['cards']} cards, having {_counts(one['having'])}; dropped {_counts(one['dropped'])}",
        ]
    cheap = sorted(told["offers"], key=lambda offer: offer["price_krw"])[:SHOWN]
    lines += [f"  {offer['price_krw']:>10,}  {_marks(offer)}{offer['name']}" for offer in cheap]
    lines += [f"  evidence  {file}" for file in told["evidence"]] or ["  evidence  nothing is kept"]
    return lines


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "nothing"


def _marks(offer: dict[str, Any]) -> str:
    marks = [mark for mark in ("ad", "used", "overseas", "sold_out", "catalogue") if offer[mark]]
    return f"[{' '.join(marks)}] " if marks else ""
