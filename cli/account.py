"""`lps account`: who may sign in to the pages, and the link that lets a person in once."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from cli import place, running, units
from cli.db import used
from cli.operator import me, table
from cli.options import world_options
from errors import Setup
from store import access, accounts, keys, migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cli.place import Place, World
    from store.accounts import Role
    from store.pool import Cursor

ROLES = ("viewer", "buyer", "operator", "admin")
KEY_NAME = "lps up"
KEY_FILE = "api.key"


@click.group()
def account() -> None:
    """People who may sign in: viewer reads, buyer searches, operator runs LPS, admin also gives access."""


@contextlib.contextmanager
def opened(world: World) -> Iterator[tuple[Place, Cursor]]:
    """A transaction on the world's database, whose schema fits."""
    with used(world) as here, contextlib.closing(place.pool(here.settings, "lps access")) as pool:
        migrate.check(pool, here.settings.origin)
        with pool.transaction() as cur:
            yield here, cur


@account.command("list")
@world_options
def list_(*, world: World) -> int:
    """List accounts."""
    with opened(world) as (_, cur):
        rows = accounts.listed(cur)
    table(
        ("name", "role", "password", "last sign-in", "state"),
        [(one.name, one.role, "yes" if one.password_hash else "no", one.last_login_at, _state(one)) for one in rows],
    )
    return 0


def _state(one: accounts.Account) -> str:
    return "disabled" if one.disabled_at else "locked" if one.locked_until else ""


@account.command()
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="viewer", show_default=True)
@world_options
def add(name: str, role: Role, *, world: World) -> int:
    """Make an account and print the link that signs it in once."""
    if not name.strip() or not name.isprintable() or len(name) > 100:
        raise click.UsageError("NAME: 1 to 100 printable characters")
    with opened(world) as (here, cur):
        if not access.add_account(cur, name, role, who=me()):
            raise Setup(f"there is an account {name} already")
        print(link(here, cur, name))
    return 0


@account.command()
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@world_options
def role(name: str, role: Role, *, world: World) -> int:
    """Give an account another role."""
    with opened(world) as (_, cur):
        if not access.set_role(cur, name, role, who=me()):
            raise _nobody(name)
    return 0


@account.command()
@click.argument("name")
@click.option("--undo", is_flag=True, help="Let the person in again.")
@world_options
def disable(name: str, *, undo: bool, world: World) -> int:
    """Keep an account out; whoever is signed in with it is out at once."""
    with opened(world) as (_, cur):
        if not access.set_disabled(cur, name, disabled=not undo, who=me()):
            raise _nobody(name)
    return 0


@account.command("login-link")
@click.argument("name", default=access.ADMIN)
@world_options
def login_link(name: str, *, world: World) -> int:
    """Print a link that signs NAME (admin) in once, within a day."""
    with opened(world) as (here, cur):
        access.first_admin(cur, who=me())
        print(link(here, cur, name))
    return 0


def link(here: Place, cur: Cursor, name: str) -> str:
    """The address that signs this person in.

    Raises:
        Setup: there is no such account, or it is disabled.
    """
    token = access.login_link(cur, name, who=me())
    if token is None:
        raise _nobody(name)
    return f"{units.address(here.settings)}/login/link?t={token}"


def _nobody(name: str) -> Setup:
    return Setup(f"there is no account {name} that may sign in; lps account list shows them")


@contextlib.contextmanager
def local_access(here: Place) -> Iterator[str]:
    """For the time of `lps up`: a key in .lps/api.key for programs of this user; gives an admin's login link."""
    file = place.STATE / KEY_FILE
    with contextlib.closing(place.pool(here.settings, "lps access")) as pool:
        with pool.transaction() as cur:
            access.first_admin(cur, who=me())
            address = link(here, cur, access.ADMIN) if _enabled(cur) else ""
            access.revoke_named(cur, KEY_NAME, who=me())
            wanted = keys.Wanted(name=KEY_NAME, scopes=("submit", "read", "ops"))
            _, secret = access.new_key(cur, wanted, who=me())
        running.private(file, secret)
        try:
            yield address
        finally:
            file.unlink(missing_ok=True)


def _enabled(cur: Cursor) -> bool:
    admin = accounts.one(cur, access.ADMIN)
    return admin is not None and admin.disabled_at is None
