"""`lps robots`: what the malls' robots.txt say about the pages LPS asks for."""

from __future__ import annotations

import time
from dataclasses import asdict

import click
import orjson

from cli import place, running
from cli.fetching import market
from cli.operator import table
from cli.options import world_options
from crawl import robots as rules
from crawl.http import HttpFetcher
from model import MALLS

WAIT_S = 15.0


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(MALLS), metavar="[MALL]...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
@world_options
def robots(names: tuple[str, ...], *, as_json: bool, world: place.World) -> int:
    """Fetch each mall's robots.txt and say what it says about LPS's search addresses.

    Nothing else is fetched, whether or not a mall is enabled. The rules are shown, not enforced: docs/crawling.md says
    what an operator has to check. Exit status 1 when one could not be fetched.
    """
    found: list[rules.Verdict] = []
    http = HttpFetcher()
    up = running.find()
    try:
        with market(up.place if up and up.world == world else None, world) as settings:
            for mall in names or MALLS:
                found += rules.ask(http, mall, settings.mall(mall), time.monotonic() + WAIT_S)
    finally:
        http.close()
    if as_json:
        for one in found:
            print(orjson.dumps(asdict(one)).decode())
    else:
        rows = [
            (v.mall, "allowed" if v.allowed else "FORBIDDEN", v.why, ", ".join(v.agents), v.delay_s, v.robots_url)
            for v in found
        ]
        table(("mall", "search", "by", "for", "delay", "robots.txt"), rows)
    return 1 if any(one.status is None for one in found) else 0
