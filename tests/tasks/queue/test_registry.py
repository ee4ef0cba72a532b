"""What a worker process says of itself: files that age when it does not work, stuck told from lost, draining."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dramatiq
import pytest

from store import ops
from tasks.queue import current_message, drain

if TYPE_CHECKING:
    from pathlib import Path

    from tasks.queue import Delivery, LpsBroker
    from tests.tasks.queue.conftest import Rig


def _working(rig: Rig, gate: threading.Event | None = None, **timing: Any) -> tuple[LpsBroker, list[Delivery]]:
    """A broker with a worker whose one actor waits at the gate."""
    broker = rig.broker(lease_s=0.6, **timing)
    begun: list[Delivery] = []

    @dramatiq.actor(broker=broker, queue_name="naver", actor_name="naver")
    def stage(_job: str) -> None:
        begun.append(current_message())
        if gate:
            gate.wait(10)

    rig.work(broker)
    return broker, begun


def _age(file: Path) -> float:
    return time.time() - file.stat().st_mtime if file.exists() else 1e9


def test_the_file_is_touched_while_the_process_works(rig: Rig, tmp_path: Path) -> None:
    """A file of its own and the machine's; both are gone when the last process has stopped."""
    file = tmp_path / "beat"
    broker, _ = _working(rig, heartbeat_file=str(file))
    own = tmp_path / f"beat.{os.getpid()}"
    rig.wait(lambda: _age(file) < 1 and _age(own) < 1)
    broker.close()
    assert [] == list(tmp_path.glob("beat*"))


def test_one_process_that_makes_no_progress_ages_the_machines_file(rig: Rig, tmp_path: Path) -> None:
    """A sibling's old file, or a killed one's, keeps the common file from being touched; a new start clears it."""
    file, sibling = tmp_path / "beat", tmp_path / "beat.1"
    sibling.touch()
    os.utime(sibling, (1, 1))
    _working(rig, heartbeat_file=str(file))
    own = tmp_path / f"beat.{os.getpid()}"
    rig.wait(own.exists)
    rig.db.rows("SELECT pg_sleep(0.5)")
    assert not file.exists()
    killed = tmp_path / "beat.4194304000"
    sibling.rename(killed)
    _working(rig, heartbeat_file=str(file))
    rig.wait(lambda: not killed.exists())
    rig.wait(file.exists)


def test_a_link_in_the_way_is_not_followed(rig: Rig, tmp_path: Path) -> None:
    """The folder is everybody's: whoever puts a link there does not get another file written, nor stops the worker."""
    target = tmp_path / "theirs"
    (tmp_path / "beat").symlink_to(target)
    _working(rig, heartbeat_file=str(tmp_path / "beat"))
    rig.wait((tmp_path / f"beat.{os.getpid()}").exists)
    rig.db.rows("SELECT pg_sleep(0.3)")
    assert not target.exists()


def test_a_stuck_message_is_no_progress_and_no_loss(rig: Rig, tmp_path: Path) -> None:
    """Its lease is renewed, so the reaper leaves it alone; but the process no longer says that it works."""
    gate = threading.Event()
    broker, begun = _working(rig, gate, heartbeat_file=str(tmp_path / "beat"), stuck_s=1e5)
    broker.enqueue(broker.message("naver", job=uuid4()))
    rig.wait(lambda: begun)
    begun[0].begun = time.monotonic() - 1.5e5
    rig.db.rows("SELECT pg_sleep(0.7)")
    assert _age(tmp_path / "beat") > 0.4
    assert rig.broker().reap().queued == 0
    assert _workers(rig, stuck_s=0.1) == ["stuck"]
    begun[0].begun = time.monotonic()
    rig.wait(lambda: _age(tmp_path / "beat") < 0.4)
    gate.set()


def test_a_lost_worker_is_not_a_stuck_one(rig: Rig) -> None:
    """No sign of life for two leases: lost, whatever it was doing."""
    _working(rig)
    rig.wait(lambda: _workers(rig) == ["idle"])
    rig.db.rows("INSERT INTO worker (worker_id, host, pid, queues, seen_at) VALUES"
                " (gen_random_uuid(), 'h', 1, '{}', lps.now() - interval '5 minutes')")  # fmt: skip
    assert _workers(rig) == ["idle", "lost"]


def test_a_lost_worker_runs_what_stands_in_its_name_and_no_more(rig: Rig) -> None:
    """What it said last is old: once the reaper has taken its messages, it runs none."""
    owner, running = uuid4(), '[{"since": "2030-01-01T00:00:00Z"}, {"since": "2030-01-01T00:00:00Z"}]'
    rig.db.rows(
        "INSERT INTO worker (worker_id, host, pid, queues, running, seen_at) VALUES"
        " (%s, 'h', 1, '{}', %s, lps.now() - interval '5 minutes')", owner, running
    )  # fmt: skip
    rig.db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, owner, lease_until, attempts)"
        " VALUES (gen_random_uuid(), 'naver', 'consumed', %s, lps.now() - interval '1 s', 1)", owner
    )  # fmt: skip

    def said() -> list[tuple[str, int]]:
        with rig.db.pool.transaction() as cur:
            return [(worker["state"], worker["running"]) for worker in ops.snapshot(cur, stuck_s=60).workers]

    assert said() == [("lost", 1)]
    assert rig.broker().reap().queued == 1
    assert said() == [("lost", 0)]


def _workers(rig: Rig, stuck_s: float = 60) -> list[str]:
    with rig.db.pool.transaction() as cur:
        return sorted(worker["state"] for worker in ops.snapshot(cur, stuck_s=stuck_s).workers)


HANGS = """
@dramatiq.actor(queue_name="naver", actor_name="naver")
def naver(job):
    note("begun", current_message().attempt)
    if current_message().attempt == 1:
        threading.Event().wait()
"""


@pytest.mark.chaos
def test_a_blocked_thread_costs_its_process_not_its_message(rig: Rig) -> None:
    """No time limit can interrupt it: the message is taken away, counted, run elsewhere, and the process ends."""
    timing = {"lease_s": 1.5, "stuck_s": 1.0, "min_backoff_s": 0.1}
    master = rig.process(HANGS, "-p", "1", "-t", "1", "--worker-shutdown-timeout", "500", **timing)
    broker = rig.broker()
    broker.enqueue(broker.message("naver", job=uuid4()))
    rig.wait(lambda: rig.notes("begun"))
    assert master.wait(15) is not None
    assert rig.db.rows("SELECT state::text, attempts FROM dramatiq.queue") == [("queued", 1)]
    assert rig.db.rows("SELECT outcome, error_type FROM attempt") == [("lost", "StuckError")]
    rig.process(HANGS, **timing)
    rig.wait(lambda: rig.states() == ["done"])


SLOW = """
@dramatiq.actor(queue_name="naver", actor_name="naver")
def naver(job):
    note("begun", 1)
    threading.Event().wait(1)
"""


@pytest.mark.chaos
def test_a_drained_worker_finishes_and_ends(rig: Rig) -> None:
    """It claims nothing more from that moment on, ends what it has begun, and goes with exit code 0."""
    master = rig.process(SLOW, "-p", "1", "-t", "1")
    broker = rig.broker()
    for _ in range(3):
        broker.enqueue(broker.message("naver", job=uuid4()))
    rig.wait(lambda: rig.notes("begun"))
    with broker.pool.transaction() as cur:
        assert len(drain.drain(cur, who="kim")) == 1
    assert master.wait(15) == 0
    assert sorted(rig.states()) == ["done", "queued", "queued"]
    assert rig.db.rows("SELECT drain_by, stopped_at IS NOT NULL FROM worker") == [("kim", True)]
