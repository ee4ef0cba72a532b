"""Statements that a connection keeps, and the transaction that opens with its first statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from store import prepared
from store.pool import DatabaseError, Pool
from store.prepared import BEGIN, INDEXED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Database

NOTE = "INSERT INTO audit (who, action, subject) VALUES (%(who)s, 'noted', %(who)s || '%%')"


@pytest.fixture
def pool(db: Database) -> Iterator[Pool]:
    """One connection, so that a second use meets what the first has left on it."""
    pool = Pool(db.url, size=1, timeout_s=1)
    yield pool
    pool.close()


def _note(cur: Any, who: str = "kim", before: str = "") -> None:
    prepared.execute(cur, "test_note", NOTE, {"who": who}, before)


def test_a_statement_is_prepared_once_on_each_connection(db: Database, pool: Pool) -> None:
    """The second run only executes; parameters, repeated ones too, and a percent sign arrive as they are."""
    for who in ("kim", "o'lee"):
        with pool.autocommit() as cur:
            _note(cur, who)
            assert cur.rowcount == 1
            cur.execute("SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE name = 'test_note'")
            assert cur.fetchone()[0] == (1 if who == "kim" else 2)
    assert db.rows("SELECT subject FROM audit ORDER BY audit_id") == [("kim%",), ("o'lee%",)]


def test_what_keeps_a_plan_on_the_indexes_does_not_outlive_it(pool: Pool) -> None:
    """Other statements of the connection are planned as ever."""
    with pool.autocommit() as cur:
        prepared.execute(cur, "test_one", "SELECT 1 WHERE %(yes)s::bool", {"yes": True}, INDEXED)
        assert cur.fetchall() == [(1,)]
        cur.execute("SELECT current_setting('enable_seqscan'), current_setting('plan_cache_mode')")
        assert cur.fetchone() == ("on", "auto")


def test_an_opened_transaction_commits_at_the_end_and_not_before(db: Database, pool: Pool) -> None:
    """Its first statement brought the BEGIN along; the connection can be used again."""
    count = "SELECT count(*)::int FROM audit"
    with pool.opened(lambda cur: _note(cur, before=BEGIN)) as cur:
        cur.execute(count)
        assert cur.fetchone() == (1,)
        assert db.rows(count) == [(0,)]
    assert db.rows(count) == [(1,)]
    with pool.transaction() as cur:
        cur.execute(count)


def test_an_opened_transaction_leaves_nothing_when_it_fails(db: Database, pool: Pool) -> None:
    """Whatever is raised in it, also by its first statement, rolls back, and the connection is clean."""
    with pytest.raises(ZeroDivisionError), pool.opened(lambda cur: _note(cur, before=BEGIN)):
        raise ZeroDivisionError

    def refused(cur: Any) -> None:
        _note(cur, before=BEGIN)
        raise KeyError

    with pytest.raises(KeyError), pool.opened(refused):
        raise AssertionError
    assert db.rows("SELECT count(*)::int FROM audit") == [(0,)]
    with pool.autocommit() as cur:
        _note(cur)
    assert db.rows("SELECT count(*)::int FROM audit") == [(1,)]


def test_a_commit_that_rolled_back_is_an_error(db: Database, pool: Pool) -> None:
    """An error that somebody swallowed inside must not look like success."""

    def swallow(cur: Any) -> None:
        with pytest.raises(DatabaseError):
            cur.execute("SELECT 1 / 0")

    with (
        pytest.raises(DatabaseError, match="nothing was committed"),
        pool.opened(lambda cur: _note(cur, before=BEGIN)) as cur,
    ):
        swallow(cur)
    assert db.rows("SELECT count(*)::int FROM audit") == [(0,)]
