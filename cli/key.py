"""`lps key`: what programs present to the API."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import click

from cli.account import opened
from cli.operator import me, table
from cli.options import world_options
from errors import Setup
from store import access, keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.place import World

SCOPES = ("submit", "read", "ops", "admin")


@click.group()
def key() -> None:
    """Keys of programs: made, listed, revoked."""


@key.command()
@click.argument("name")
@click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, default=("submit", "read"))
@click.option("--daily-quota", type=click.IntRange(min=1), help="Searches a day at most.")
@click.option("--daily-budget", type=click.FloatRange(min=0), help="Dollars a day at most.")
@click.option("--days", type=click.IntRange(1, 3650), help="Days until it expires.")
@world_options
def add(
    name: str,
    scopes: Sequence[str],
    daily_quota: int | None,
    daily_budget: float | None,
    days: int | None,
    *,
    world: World,
) -> int:
    """Make a key and print it, once."""
    budget = None if daily_budget is None else Decimal(str(daily_budget))
    wanted = keys.Wanted(name=name, scopes=scopes, daily_quota=daily_quota, daily_budget_usd=budget, days=days)
    with opened(world) as (_, cur):
        _, secret = access.new_key(cur, wanted, who=me())
    print(secret)
    return 0


@key.command("list")
@click.option("--all", "revoked", is_flag=True, help="Those that were revoked, too.")
@world_options
def list_(*, revoked: bool, world: World) -> int:
    """List keys, the newest first."""
    with opened(world) as (_, cur):
        rows = keys.listed(cur, revoked=revoked)
    table(
        ("id", "key", "name", "scopes", "today", "quota", "expires", "last used", "revoked"),
        [
            (
                one.api_key_id,
                f"{one.prefix}…",
                one.name,
                " ".join(one.scopes),
                one.used_today,
                one.daily_quota,
                one.expires_at,
                one.last_used_at,
                one.revoked_at,
            )
            for one in rows
        ],
    )
    return 0


@key.command()
@click.argument("key_id", type=int)
@world_options
def revoke(key_id: int, *, world: World) -> int:
    """Take a key away, for good."""
    with opened(world) as (_, cur):
        if not access.revoke_key(cur, key_id, who=me()):
            raise Setup(f"there is no key {key_id} that holds; lps key list shows them")
    return 0
