"""The operator's commands on a real database: dead letters, queues, malls, workers, jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.cli.conftest import Checkout
    from tests.conftest import Database


@pytest.fixture
def lps(checkout: Checkout, db: Database) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`lps …` on this test's database."""
    name = db.url.rsplit("/", 1)[1]
    return lambda *words: checkout.run(*words, LPS_DATABASE__URL=db.url, LPS_DATABASE__NAME=name, COLUMNS="200")


def _dead(db: Database, error: str) -> str:
    message_id = str(uuid4())
    db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, attempts, last_error, message)"
        " VALUES (%s, 'outbox', 'rejected', 5, %s, jsonb_build_object('actor_name', 'outbox', 'args', '[]'::jsonb,"
        " 'kwargs', '{}'::jsonb, 'options', '{}'::jsonb, 'message_timestamp', 1))",
        message_id, error,
    )  # fmt: skip
    return message_id


def test_dead_letters_are_seen_and_dealt_with(
    lps: Callable[..., subprocess.CompletedProcess[str]], db: Database
) -> None:
    """Groups, one letter, a dry run, a replay, a second click, a discard with its reason."""
    first, second = _dead(db, "UpstreamDown: no answer in 17 s"), _dead(db, "UpstreamDown: no answer in 3 s")
    group = lps("dead", "groups").stdout.splitlines()[1].split()
    assert ["outbox", "2"] == group[1:3]
    shown = lps("dead", "show", first[:8]).stdout
    assert first in shown
    assert "no answer in 17 s" in shown
    assert "would be replayed: 2 of 2" in lps("dead", "replay", "-g", group[0], "--dry-run").stdout
    done = lps("dead", "replay", first[:8], "--who", "kim")
    assert (0, "replayed: 1 of 1\n") == (done.returncode, done.stdout)
    assert "replayed: 0 of 0" in lps("dead", "replay", first[:8]).stdout
    assert 2 == lps("dead", "discard", second).returncode
    assert 0 == lps("dead", "discard", second, "--reason", "closed").returncode
    assert [("kim", "replay"), ("discard",)] == [
        row if row[1] == "replay" else row[1:] for row in db.rows("SELECT who, action FROM audit ORDER BY audit_id")
    ]


def test_which_ones_must_be_said(lps: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Nothing is replayed by leaving something out."""
    for words in (("replay",), ("discard", "--reason", "x"), ("replay", "--all", "-q", "naver"), ("replay", "zz")):
        assert 2 == lps("dead", *words).returncode, words


def test_malls_queues_jobs_and_workers(lps: Callable[..., subprocess.CompletedProcess[str]], db: Database) -> None:
    """Paused with a reason and shown; what is unknown is an error."""
    assert 0 == lps("mall", "pause", "coupang", "--reason", "blocks us", "--who", "kim").returncode
    db.rows("INSERT INTO mall_drift (mall, sign, text) VALUES ('auction', 'price', 'half of them')")
    status = lps("mall", "status").stdout
    assert ("by kim: blocks us" in status, "half of them" in status) == (True, True)
    assert "paused by kim" in lps("queue", "stats").stdout
    assert "goes on" in lps("queue", "resume", "coupang").stdout
    assert (1, 1) == (lps("queue", "pause", "x", "--reason", "y").returncode, lps("jobs", "cancel", "x").returncode)
    assert "state" in lps("worker", "list").stdout
    assert 1 == lps("worker", "drain", "--all").returncode
