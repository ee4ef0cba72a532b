"""Migrations: run once, refuse what they do not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dramatiq_pg.schema import generate_init_sql

from errors import SchemaMismatch, WrongOrigin
from store import migrate
from store.pool import Pool
from tests.conftest import fresh_database

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def empty(server_url: str) -> Iterator[Pool]:
    """A pool on a database without any schema."""
    with fresh_database(server_url, "lps_test_migrate") as url:
        pool = Pool(url, size=2)
        yield pool
        pool.close()


def test_it_runs_each_migration_once(empty: Pool) -> None:
    """A second run has nothing to do."""
    assert [m.name for m in migrate.known()] == migrate.run(empty, "sandbox")
    assert [] == migrate.run(empty, "sandbox")
    migrate.check(empty, "sandbox")


def test_it_refuses_a_database_without_schema(empty: Pool) -> None:
    """The text says which command makes it."""
    with pytest.raises(SchemaMismatch, match="lps migrate"):
        migrate.check(empty, "sandbox")


def test_it_refuses_a_newer_database(empty: Pool) -> None:
    """An older program never touches a newer schema."""
    migrate.run(empty, "sandbox")
    with empty.transaction() as cur:
        cur.execute("INSERT INTO lps_migration (number, name, sha256) VALUES (9999, '9999_future', '')")
    for call in (migrate.check, migrate.run):
        with pytest.raises(SchemaMismatch, match="newer than this code"):
            call(empty, "sandbox")


def test_it_refuses_an_older_database(empty: Pool) -> None:
    """Workers do not start on a schema that lacks a migration."""
    migrate.run(empty, "sandbox")
    with empty.transaction() as cur:
        cur.execute("DELETE FROM lps_migration")
    with pytest.raises(SchemaMismatch, match="older than this code"):
        migrate.check(empty, "sandbox")


def test_it_refuses_a_migration_changed_after_it_ran(empty: Pool) -> None:
    """History is not rewritten."""
    migrate.run(empty, "sandbox")
    with empty.transaction() as cur:
        cur.execute("UPDATE lps_migration SET sha256 = 'other' WHERE number = 1")
    with pytest.raises(SchemaMismatch, match="changed after it ran"):
        migrate.check(empty, "sandbox")


def test_sandbox_and_live_never_mix(empty: Pool) -> None:
    """A database is stamped once; the other world is refused."""
    migrate.run(empty, "sandbox")
    for call in (migrate.check, migrate.run):
        with pytest.raises(WrongOrigin, match="'sandbox'"):
            call(empty, "live")


def test_the_queue_table_keeps_dramatiq_pgs_columns(empty: Pool) -> None:
    """What dramatiq-pg's own init SQL makes is still there, column by column, so its tools can read the table."""
    columns = "SELECT column_name, udt_name FROM information_schema.columns WHERE table_schema = 'dramatiq'"
    with empty.transaction() as cur:
        cur.execute(generate_init_sql())
        cur.execute(columns)
        stock = set(cur.fetchall())
        cur.execute("DROP SCHEMA dramatiq CASCADE")
    migrate.run(empty, "sandbox")
    with empty.transaction() as cur:
        cur.execute(columns)
        assert stock <= set(cur.fetchall())
