"""/metrics: every name from the first day, right after any restart, and never set back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from store import metrics
from tests.tasks.causes import CAUSES

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.conftest import Database


def scraped(client: FlaskClient) -> dict[tuple[str, str], float]:
    """(sample, its label values joined) → value."""
    answer = client.get("/metrics")
    assert 200 == answer.status_code
    assert answer.content_type.startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.get_data(as_text=True))
    return {(s.name, "/".join(s.labels.values())): s.value for family in families for s in family.samples}


def test_a_counter_that_nothing_has_raised_is_there(client: FlaskClient, db: Database) -> None:
    """Zero rather than absent: an alert on it works from the first day."""
    found = scraped(client)
    for key in (
        ("lps_jobs", "dead"),
        ("lps_queue_oldest_seconds", "coupang"),
        ("lps_queue_oldest_seconds", "canary"),
        ("lps_stage_attempts_total", "done/match"),
        ("lps_stage_duration_seconds_count", "naver"),
        ("lps_blocks_total", "gmarket"),
        ("lps_cost_usd_total", "ai"),
        ("lps_notify_attempts_total", "sent"),
        ("lps_alert_state", "blocks"),
        ("lps_workers", "lost"),
        ("lps_searches_total", "found"),
    ):
        assert found[key] == 0, key
    assert 1 == sum(value for (name, _), value in found.items() if name == "lps_build_info")


def test_what_happened_is_counted_once_however_often_it_is_added_up(client: FlaskClient, db: Database) -> None:
    """Added up by the hour or not yet: the sum is the same, and deleting old rows takes nothing from it."""
    for rule in ("blocks", "deadline", "cost"):
        db.rows(CAUSES[rule][0])
    db.rows(
        "INSERT INTO attempt (stage, try, message_id, worker, started_at, ended_at, outcome)"
        " SELECT 'match', 1, gen_random_uuid(), 'w', at - interval '18 s', at, 'done'"
        " FROM (SELECT lps.now() - interval '10 minutes' AS at) AS before"
    )
    before = scraped(client)
    assert 80 == before["lps_blocks_total", "coupang"]
    assert 4 == before["lps_searches_total", "done"]
    assert (1, 18) == (
        before["lps_stage_attempts_total", "done/match"], round(before["lps_stage_duration_seconds_sum", "match"])
    )  # fmt: skip
    assert [0, 1] == [before["lps_stage_duration_seconds_bucket", f"{le}/match"] for le in ("15", "60")]
    for _ in range(3):
        with db.pool.transaction() as cur:
            metrics.fold(cur)
    assert before == scraped(client)
    db.rows("DELETE FROM attempt WHERE ended_at < lps.now() - interval '5 minutes'")
    assert before == scraped(client)
