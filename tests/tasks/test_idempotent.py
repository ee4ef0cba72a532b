"""Actors that say they may run twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tasks.conftest import WATER, ScriptedMarket

if TYPE_CHECKING:
    from tests.conftest import Database


def _rows(db: Database) -> dict[str, str]:
    """A fingerprint of every table, the queue included."""
    tables = db.rows(
        "SELECT format('%%I.%%I', schemaname, tablename) FROM pg_tables"
        " WHERE schemaname IN ('public', 'dramatiq', 'lps')"
    )
    return {
        str(name): str(db.rows(f"SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {name} t")[0][0])
        for (name,) in tables
    }


def test_whatever_is_declared_idempotent_changes_nothing_the_second_time(market: ScriptedMarket, db: Database) -> None:
    """An overdue search, an expired lease, an old message: the first run cares for them, the second finds nothing."""
    import tasks
    from tasks.submit import submit

    submit(WATER, deadline_s=0.01)
    db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, mtime, owner, lease_until, attempts) VALUES"
        " (gen_random_uuid(), 'ops', 'done', lps.now() - interval '1 year', NULL, NULL, 1),"
        " (gen_random_uuid(), 'ops', 'consumed', lps.now(), gen_random_uuid(), lps.now() - interval '1 s', 1)"
    )
    # Past the search's deadline, and not about to begin a new minute, which is a new one for the alert rules.
    db.rows("SELECT pg_sleep(CASE WHEN extract(second FROM lps.now()) > 55 THEN 6 ELSE 0.05 END)")
    actors = [actor for actor in tasks.broker.actors.values() if actor.options.get("idempotent")]
    assert {actor.actor_name for actor in actors} == {"reap", "watch", "prune"}
    before = _rows(db)
    for actor in actors:
        actor.fn()
    once = _rows(db)
    assert once != before
    for actor in actors:
        actor.fn()
    assert _rows(db) == once
    assert [] == market.asked
