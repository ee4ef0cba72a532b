"""The real dramatiq command: killed, stopped, continued, ended in good order. One effect each, whatever happens."""

from __future__ import annotations

import signal
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

if TYPE_CHECKING:
    import psutil

    from tasks.queue import LpsBroker
    from tests.tasks.queue.conftest import Rig

pytestmark = pytest.mark.chaos

SLOW_ONCE = """
@dramatiq.actor(queue_name="naver", actor_name="naver")
def naver(job):
    message = current_message()
    note("begun", message.attempt)
    if message.attempt == 1:
        threading.Event().wait({seconds})
    try:
        with broker.effect() as cur:
            cur.execute("INSERT INTO audit (who, action, subject) VALUES ('', 'effect', %s)", (str(message.attempt),))
    except LeaseLost:
        note("refused", message.attempt)
        raise
"""
KILLER = """
import os

@dramatiq.actor(queue_name="naver", actor_name="naver")
def naver(job):
    note("begun", current_message().attempt)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _send(rig: Rig) -> LpsBroker:
    broker = rig.broker()
    broker.enqueue(broker.message("naver", job=uuid4()))
    return broker


def _worker_of(master: psutil.Process, rig: Rig) -> psutil.Process:
    """The process under dramatiq's master that has noted something."""
    pid = int(str(rig.notes("begun")[0][0]).split(":")[1].split("/")[0])
    return next(child for child in master.children() if child.pid == pid)


def _begun(rig: Rig) -> list[int]:
    return [int(str(subject)) for _, subject, _ in rig.notes("begun")]


def test_a_killed_workers_message_runs_again_after_its_lease(rig: Rig) -> None:
    """SIGKILL in the middle of a stage: another process takes it over, and the effect is there once."""
    actors = SLOW_ONCE.format(seconds=60)
    doomed = rig.process(actors, lease_s=1.5)
    _send(rig)
    rig.wait(lambda: _begun(rig))
    rig.process(actors, lease_s=1.5)
    rig.wait(lambda: rig.db.rows("SELECT count(*) FROM worker") == [(2,)])
    _worker_of(doomed, rig).kill()
    rig.wait(lambda: rig.states() == ["done"], 6)
    assert _begun(rig) == [1, 2]
    assert [subject for _, subject, _ in rig.notes("effect")] == ["2"]
    assert [str(row[0]) for row in rig.db.rows("SELECT outcome FROM attempt ORDER BY 1")] == ["done", "lost"]


def test_a_frozen_workers_late_effect_is_refused(rig: Rig) -> None:
    """SIGSTOP past the lease, then SIGCONT: the other's effect stands, the late one writes nothing."""
    actors = SLOW_ONCE.format(seconds=1)
    frozen = rig.process(actors, lease_s=1.5)
    _send(rig)
    rig.wait(lambda: _begun(rig))
    worker = _worker_of(frozen, rig)
    worker.suspend()
    rig.process(actors, lease_s=1.5)
    rig.wait(lambda: rig.states() == ["done"], 8)
    worker.resume()
    rig.wait(lambda: [subject for _, subject, _ in rig.notes("refused")] == ["1"])
    assert [subject for _, subject, _ in rig.notes("effect")] == ["2"]
    assert _begun(rig) == [1, 2]


def test_a_message_that_kills_its_worker_dies_after_its_tries(rig: Rig) -> None:
    """Deliveries count, not only exceptions: a killer does not take worker after worker with it for ever."""
    _send(rig)
    for _ in range(2):
        rig.process(KILLER, lease_s=0.9, max_attempts=2, min_backoff_s=0.1)
    reaping = rig.broker(max_attempts=2, min_backoff_s=0.1)
    rig.wait(lambda: len(_begun(rig)) == 2, 15)
    rig.wait(lambda: reaping.reap().dead or rig.states() == ["rejected"], 5)
    assert _begun(rig) == [1, 2]


def test_a_terminated_worker_finishes_what_it_has_begun(rig: Rig) -> None:
    """SIGTERM: the stage ends properly, nothing is left to reap, the process goes with exit code 0."""
    master = rig.process(SLOW_ONCE.format(seconds=1.5))
    _send(rig)
    rig.wait(lambda: _begun(rig))
    master.send_signal(signal.SIGTERM)
    assert master.wait(10) == 0
    assert rig.states() == ["done"]
    assert rig.db.rows("SELECT stopped_at IS NOT NULL FROM worker") == [(True,)]


def test_what_a_terminated_worker_cannot_finish_is_given_back(rig: Rig) -> None:
    """SIGTERM, and the stage is longer than the grace: queued again at once, without a lease to wait for."""
    master = rig.process(SLOW_ONCE.format(seconds=60), "-p", "1", "-t", "1", "--worker-shutdown-timeout", "300")
    _send(rig)
    rig.wait(lambda: _begun(rig))
    master.send_signal(signal.SIGTERM)
    master.wait(10)
    assert rig.db.rows("SELECT state::text, attempts FROM dramatiq.queue") == [("queued", 0)]
    assert rig.db.rows("SELECT outcome FROM attempt") == [("released",)]


def test_two_forked_processes_share_a_queue(rig: Rig) -> None:
    """`dramatiq -p 2`: every message once, both processes with their own hub and row."""
    actors = """
@dramatiq.actor(queue_name="naver", actor_name="naver")
def naver(job):
    note("begun", current_message().attempt)
    threading.Event().wait(0.05)
"""
    rig.process(actors, "-p", "2", "-t", "2")
    rig.wait(lambda: rig.db.rows("SELECT count(DISTINCT pid) FROM worker") == [(2,)])
    broker = rig.broker()
    with broker.pool.transaction() as cur:
        broker.enqueue_in(cur, *[broker.message("naver", job=uuid4()) for _ in range(40)])
    rig.wait(lambda: rig.states() == ["done"] * 40)
    assert _begun(rig) == [1] * 40
    assert len({str(who).split("/")[0] for who, _, _ in rig.notes("begun")}) == 2


NAP = """
import datetime, time

@dramatiq.actor(queue_name="naver", actor_name="naver")
def naver(job):
    message = current_message()
    if message.attempt == 1 and job.startswith("0"):
        raise ConnectionResetError
    note("begun", datetime.datetime.now(datetime.UTC).isoformat())
    threading.Event().wait(2.5)
    with broker.effect() as cur:
        cur.execute("INSERT INTO audit (who, action, subject) VALUES ('', 'effect', %s)", (job,))
"""


def test_workers_whose_clocks_are_wrong_agree_all_the_same(rig: Rig) -> None:
    """An hour ahead, an hour behind: leases, retries and delays follow the database's clock alone."""
    for skew_s in (3600, -3600, 0):
        rig.process(NAP, skew_s=skew_s, lease_s=0.9, min_backoff_s=0.2)
    rig.wait(lambda: rig.db.rows("SELECT count(*) FROM worker") == [(3,)], 20)
    broker = rig.broker()
    sent = [broker.enqueue(broker.message("naver", str(n), job=uuid4()), delay=600 * (n % 2)) for n in range(12)]
    rig.wait(lambda: rig.states() == ["done"] * len(sent), 30)
    told = {
        round((datetime.fromisoformat(str(subject)) - at).total_seconds() / 3600)  # type: ignore[operator]
        for _, subject, at in rig.notes("begun")
    }
    assert told == {-1, 0, 1}
    outcomes = rig.db.rows("SELECT outcome, count(*) FROM attempt GROUP BY outcome ORDER BY outcome")
    assert outcomes == [("done", 12), ("retry", 1)]
    assert len(rig.notes("effect")) == len(sent)
    early = "SELECT count(*) FROM attempt a JOIN dramatiq.queue q USING (message_id) WHERE a.started_at < q.eta"
    assert rig.db.rows(f"{early} AND a.outcome = 'done'") == [(0,)]
