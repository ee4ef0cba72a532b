"""What leaves the tables in time, and what stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store import sizes
from tests.tasks.causes import CAUSES

if TYPE_CHECKING:
    from tests.conftest import Database


def test_what_is_past_its_days_leaves_and_the_rest_stays(db: Database) -> None:
    """Searches with what hangs on them, refusals, payments, the audit; prices and what runs stay."""
    for rule in ("dead", "blocks", "budget_leak"):
        db.rows(CAUSES[rule][0])
    past = "lps.now() - interval '{} days'"
    db.rows(f"UPDATE job SET finished_at = {past.format(400)} WHERE job_id IN (SELECT job_id FROM job LIMIT 7)")
    db.rows("INSERT INTO job_source (job_id, mall, round) SELECT job_id, 'naver', 0 FROM job")
    db.rows(f"UPDATE bot_detection SET at = {past.format(91)} WHERE id IN (SELECT id FROM bot_detection LIMIT 30)")
    for at in (past.format(731), "lps.now()"):
        db.rows(f"INSERT INTO audit (who, action, subject, at) VALUES ('a', 'b', 'c', {at})")
    for settled, at in (("1", past.format(366)), ("NULL", "NULL")):
        db.rows(
            "INSERT INTO spend (kind, stage, reserved_usd, settled_usd, settled_at)"
            f" VALUES ('ai', 'match', 1, {settled}, {at})"
        )
    assert 7 == sizes.forget_jobs(db.pool, days=365)
    with db.pool.transaction() as cur:
        assert 32 == sizes.forget(cur, crawl_days=90, money_days=365, audit_days=730)
    for table, left in (
        ("job", 13),
        ("job_source", 13),
        ("bot_detection", 50),
        ("crawl_session", 1),
        ("audit", 1),
        ("spend", 1),
    ):
        assert [(left,)] == db.rows(f"SELECT count(*) FROM {table}"), table


def test_every_table_has_its_size(db: Database) -> None:
    """The queue's too, the largest first."""
    with db.pool.transaction() as cur:
        found = sizes.sizes(cur)
    assert {"public.job", "dramatiq.queue"} <= {one.table for one in found}
    assert found == sorted(found, key=lambda one: (-one.size_bytes, one.table))
