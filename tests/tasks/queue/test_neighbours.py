"""What a killed process of this machine held comes back at once; what lives, or is elsewhere, is left to its lease."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import pytest

from tasks.queue import neighbours

if TYPE_CHECKING:
    from tests.tasks.queue.conftest import Rig


def _worker(rig: Rig, *, pid: int, began: int | None, machine: str = "") -> UUID:
    """A worker's row with one message in its name, its lease far from over."""
    worker_id = uuid4()
    rig.db.rows(
        "INSERT INTO worker (worker_id, host, pid, machine, pid_started, queues, running)"
        " VALUES (%s, 'here', %s, %s, %s, '{naver}', '[{}]')",
        worker_id, pid, machine or neighbours.machine(), began,
    )  # fmt: skip
    rig.db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, owner, lease_until, attempts)"
        " VALUES (gen_random_uuid(), 'naver', 'consumed', %s, lps.now() + interval '1 hour', 1)",
        worker_id,
    )
    return worker_id


def _killed() -> int:
    """The pid of a process that has been."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
        return process.pid


def test_only_a_dead_process_of_this_machine_is_buried(rig: Rig) -> None:
    """Not one that lives, not one of another machine with the same pid; one whose pid was given again is dead."""
    dead = _worker(rig, pid=_killed(), began=1)
    reused = _worker(rig, pid=os.getpid(), began=1)
    _worker(rig, pid=os.getpid(), began=neighbours.began(os.getpid()))
    _worker(rig, pid=_killed(), began=1, machine="another boot")
    with rig.db.pool.transaction() as cur:
        assert set(neighbours.bury(cur, uuid4())) == {str(dead), str(reused)}
    assert rig.broker().reap().queued == 2
    stopped = "SELECT worker_id, running FROM worker WHERE stopped_at IS NOT NULL"
    assert {row[0] for row in rig.db.rows(stopped)} == {dead, reused}
    with rig.db.pool.transaction() as cur:
        assert neighbours.bury(cur, uuid4()) == []


def test_what_is_just_being_ended_is_looked_at_again(rig: Rig) -> None:
    """A row that its last COMMIT still locks is neither waited for nor forgotten."""
    dead = _worker(rig, pid=_killed(), began=1)
    with rig.db.pool.transaction() as ending:
        ending.execute("SELECT FROM dramatiq.queue FOR UPDATE")
        with rig.db.pool.transaction() as cur:
            neighbours.bury(cur, uuid4())
    assert rig.db.rows("SELECT stopped_at FROM worker WHERE worker_id = %s", dead) == [(None,)]
    with rig.db.pool.transaction() as cur:
        neighbours.bury(cur, uuid4())
    assert rig.broker().reap().queued == 1


def test_a_zombie_has_ended(rig: Rig) -> None:
    """Whoever should collect it may take its time; its threads are gone."""
    del rig
    with subprocess.Popen(["sleep", "60"]) as process:
        assert neighbours.began(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert neighbours.began(process.pid) is None


def test_silent_are_those_that_live_and_say_nothing(rig: Rig) -> None:
    """A stopped process is one; a killed one is not: it is buried, not ended once more."""
    _worker(rig, pid=os.getpid(), began=neighbours.began(os.getpid()))
    _worker(rig, pid=_killed(), began=1)
    with rig.db.pool.transaction() as cur:
        assert neighbours.silent(cur, 5) == set()
        cur.execute("UPDATE worker SET seen_at = lps.now() - interval '6 s'")
        assert neighbours.silent(cur, 5) == {os.getpid()}


SLOW_ONCE = """
@dramatiq.actor(queue_name="naver", actor_name="naver")
def naver(job):
    note("begun", current_message().attempt)
    if current_message().attempt == 1:
        threading.Event().wait(60)
"""


@pytest.mark.chaos
def test_a_killed_workers_message_does_not_wait_for_its_lease(rig: Rig) -> None:
    """A lease of two minutes: the next worker that starts on the machine takes the message over as it starts."""
    doomed = rig.process(SLOW_ONCE, lease_s=120)
    broker = rig.broker()
    broker.enqueue(broker.message("naver", job=uuid4()))
    rig.wait(lambda: rig.notes("begun"))
    for process in (doomed, *doomed.children()):
        process.kill()
    rig.process(SLOW_ONCE, lease_s=120)
    rig.wait(lambda: rig.states() == ["done"], 15)
    assert [str(subject) for _, subject, _ in rig.notes("begun")] == ["1", "2"]
