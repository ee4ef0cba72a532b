"""Making and dropping databases, on a real server."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from errors import DatabaseDown
from store import databases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAME = f"lps_test_made_{os.getpid()} Ünïcode \"'%"


@pytest.fixture
def dsn(server_url: str) -> Iterator[Callable[[str], str]]:
    """The address of a database by its name; the one that the test makes is dropped."""
    from urllib.parse import quote

    def address(name: str) -> str:
        return f"{server_url.rsplit('/', 1)[0]}/{quote(name, safe='')}"

    yield address
    databases.drop(address, NAME)


def test_it_makes_a_missing_database_once(dsn: Callable[[str], str]) -> None:
    """Whatever its name holds; the second call finds it."""
    assert [True, False] == [databases.ensure(dsn, NAME), databases.ensure(dsn, NAME)]
    assert [NAME] == databases.beginning_with(dsn, NAME)


def test_several_starts_at_once_make_one(dsn: Callable[[str], str]) -> None:
    """Whoever comes second takes it as it is, and nobody fails."""
    made: list[bool] = []
    threads = [threading.Thread(target=lambda: made.append(databases.ensure(dsn, NAME))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [False, False, False, True] == sorted(made)


def test_a_refused_login_is_said_as_it_is(server_url: str) -> None:
    """A wrong password is not taken for a missing database."""
    address = server_url.replace("//postgres:", "//postgres:not")
    with pytest.raises(DatabaseDown, match="password authentication failed"):
        databases.ensure(lambda _: address, "x")


def test_it_drops_what_is_not_there_without_complaint(dsn: Callable[[str], str]) -> None:
    """Dropping is for cleaning up, so twice is fine."""
    databases.ensure(dsn, NAME)
    databases.drop(dsn, NAME)
    databases.drop(dsn, NAME)
    assert [] == databases.beginning_with(dsn, NAME)
