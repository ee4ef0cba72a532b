"""People and programs that may do something, made through the store as the command line makes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from store import access
from store.keys import Wanted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from flask import Flask
    from flask.testing import FlaskClient

    from store.accounts import Role
    from tests.conftest import Database


def link(db: Database, name: str = "alice", role: Role = "admin") -> str:
    """The secret of a login link of a new account."""
    with db.pool.transaction() as cur:
        access.add_account(cur, name, role, who="test")
        token = access.login_link(cur, name, who="test")
    assert token
    return token


def person(app: Flask, db: Database, role: Role = "admin", name: str = "alice") -> FlaskClient:
    """A browser in which someone of this role has signed in."""
    client = app.test_client()
    assert 303 == client.post("/login/link", data={"t": link(db, name, role)}).status_code
    return client


def csrf(db: Database) -> str:
    """The CSRF token of the newest session."""
    return str(db.rows("SELECT csrf FROM session ORDER BY created_at DESC LIMIT 1")[0][0])


def key(db: Database, *scopes: str, **more: Any) -> dict[str, str]:
    """The header of a program with a new key of these scopes."""
    wanted: Sequence[str] = scopes or ("submit", "read")
    with db.pool.transaction() as cur:
        _, secret = access.new_key(cur, Wanted(name="program", scopes=wanted, **more), who="test")
    return {"Authorization": f"Bearer {secret}"}


def form_token(page: str) -> str:
    """The CSRF token in a page's form."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found
    return found[1]
