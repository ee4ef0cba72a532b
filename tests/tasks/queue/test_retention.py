"""How much is in the queue, and what leaves it when."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from dramatiq.errors import QueueJoinTimeout

if TYPE_CHECKING:
    from tests.tasks.queue.conftest import Rig


def _rows(rig: Rig, state: str, n: int, *, days: float = 0, eta_s: float = 0) -> None:
    owned = state == "consumed"
    rig.db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, mtime, eta, owner, lease_until)"
        " SELECT gen_random_uuid(), 'naver', %s, lps.now() - %s * interval '1 day', lps.now() + %s * interval '1 s',"
        " CASE WHEN %s THEN gen_random_uuid() END, CASE WHEN %s THEN lps.now() END FROM generate_series(1, %s)",
        state, days, eta_s, owned, owned, n,
    )  # fmt: skip


def test_only_what_is_past_its_time_is_purged_in_batches(rig: Rig) -> None:
    """Done after 7 days, dead after 90, what waits or runs never."""
    for state in ("done", "rejected", "queued", "consumed"):
        _rows(rig, state, 5, days=100)
    _rows(rig, "done", 3, days=6)
    _rows(rig, "rejected", 3, days=89)
    assert rig.broker().purge(done_days=7, dead_days=90, batch=2) == 10
    left = rig.db.rows("SELECT state::text, count(*) FROM dramatiq.queue GROUP BY state ORDER BY 1")
    assert left == [("consumed", 5), ("done", 3), ("queued", 5), ("rejected", 3)]


def test_the_numbers_tell_waiting_from_delayed_running_and_dead(rig: Rig) -> None:
    """Finished rows are not counted: they may be a million."""
    _rows(rig, "queued", 2, eta_s=-30)
    _rows(rig, "queued", 3, eta_s=60)
    _rows(rig, "consumed", 1)
    _rows(rig, "rejected", 4)
    _rows(rig, "done", 9)
    [stats] = rig.broker().stats()
    assert (stats.name, stats.ready, stats.delayed, stats.running, stats.dead) == ("naver", 2, 3, 1, 4)
    assert 30 <= stats.oldest_s < 40


def test_a_queue_is_flushed_of_what_waits_and_joined_when_dry(rig: Rig) -> None:
    """What runs is not touched; joining waits for it, as long as it is told."""
    broker = rig.broker()
    broker.declare_queue("naver")
    _rows(rig, "queued", 3)
    _rows(rig, "consumed", 1)
    assert broker.flush_all() == 3
    began = time.monotonic()
    with pytest.raises(QueueJoinTimeout):
        broker.join("naver", timeout=200)
    assert 0.2 <= time.monotonic() - began < 1
    rig.db.rows("DELETE FROM dramatiq.queue")
    broker.join("naver", timeout=200)
