"""Migrations: run once, refuse what they do not know."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import pytest
from dramatiq_pg.schema import generate_init_sql

from errors import NoRights, SchemaMismatch, WrongOrigin
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


@pytest.mark.parametrize(
    "there", ["CREATE TABLE job (id int)", "CREATE SCHEMA lps; CREATE FUNCTION lps.now() RETURNS int RETURN 1"]
)
def test_it_refuses_the_tables_of_another_program(empty: Pool, there: str) -> None:
    """One line that says what is there already; nothing of ours is left beside it."""
    with empty.transaction() as cur:
        cur.execute(there)
    with pytest.raises(SchemaMismatch, match="0001_start meets what is there already"):
        migrate.run(empty, "sandbox")
    with empty.transaction() as cur:
        cur.execute("SELECT to_regclass('lps_migration'), to_regclass('worker')")
        assert cur.fetchone() == (None, None)


def test_it_refuses_a_ledger_that_lost_rows_or_is_not_ours(empty: Pool) -> None:
    """What ran cannot run again, and another program's table of that name is none."""
    migrate.run(empty, "sandbox")
    with empty.transaction() as cur:
        cur.execute("DELETE FROM lps_migration WHERE number <= 2")
    with pytest.raises(SchemaMismatch, match="without their record"):
        migrate.run(empty, "sandbox")
    with empty.transaction() as cur:
        cur.execute("DROP TABLE lps_migration; CREATE TABLE lps_migration (version text)")
    for call in (migrate.check, migrate.run):
        with pytest.raises(SchemaMismatch, match="is not LPS's"):
            call(empty, "sandbox")


def test_it_refuses_an_encoding_without_korean(server_url: str) -> None:
    """SQL_ASCII would store bytes and count them."""
    with Pool(server_url, size=1).autocommit() as cur:
        cur.execute("DROP DATABASE IF EXISTS lps_test_ascii")
        cur.execute("CREATE DATABASE lps_test_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
        pool = Pool(f"{server_url.rsplit('/', 1)[0]}/lps_test_ascii", size=1)
        for call in (migrate.check, migrate.run):
            with pytest.raises(SchemaMismatch, match="SQL_ASCII and cannot store Korean"):
                call(pool, "sandbox")
        pool.close()
        cur.execute("DROP DATABASE lps_test_ascii")


def test_a_role_without_rights_is_said(empty: Pool) -> None:
    """To make the tables, and to read them."""
    role = "lps_test_nobody"
    with empty.autocommit() as cur:
        cur.execute(f"DROP ROLE IF EXISTS {role}")
        cur.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'x'")
    parts = urlsplit(empty.dsn)
    host = parts.netloc.rpartition("@")[2]
    pool = Pool(urlunsplit(parts._replace(netloc=f"{role}:x@{host}")), size=1)
    with pytest.raises(NoRights, match="permission denied"):
        migrate.run(pool, "sandbox")
    migrate.run(empty, "sandbox")
    with pytest.raises(NoRights, match="permission denied"):
        migrate.check(pool, "sandbox")
    pool.close()
    with empty.autocommit() as cur:
        cur.execute(f"DROP ROLE {role}")
