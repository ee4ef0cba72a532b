"""What an operator does to the queue: the same functions for the command line, the API and the pages.

Each is one transaction (or one a message), leaves who did it in `audit`, and changes nothing when it is said twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors import LpsError, NotFound
from model import JobStatus
from store import audit, jobs, proxies
from tasks import ends
from tasks.judging import found
from tasks.queue import dead, pauses, retention
from tasks.queue.cancel import cancel as cancel_messages
from tasks.queue.dead import NotRevivableError, Outcomes, Which
from tasks.queue.drain import drain as drain_workers
from tasks.queue.payload import clean
from tasks.retry import retry_source
from tasks.revive import revive
from tasks.runtime import runtime

if TYPE_CHECKING:
    from store.pool import Cursor
    from tasks.queue import Reaped
    from tasks.queue.dead import DeadGroup, DeadLetter, Note, Try
    from tasks.queue.pauses import Pause
    from tasks.queue.retention import QueueStats

__all__ = [
    "Cancelled",
    "Change",
    "NotFound",
    "NotRevivableError",
    "Purged",
    "Which",
    "cancel",
    "dead_groups",
    "dead_letter",
    "dead_letters",
    "discard",
    "drain",
    "flush",
    "pause",
    "paused",
    "proxy_ports",
    "purge",
    "queue_names",
    "queue_stats",
    "recover",
    "replay",
    "reset_proxies",
    "resume",
    "retry_source",
]
CAP = 100
"""Dead letters one replay or discard takes unless told otherwise."""


class _EndedError(LpsError):
    """The job is final."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """What a cancellation found."""

    changed: bool
    """False when the job was final already: nothing was changed."""
    status: JobStatus
    """The job's now."""
    queued: int = 0
    running: int = 0
    """Its stages that waited, and that ran: these are told to stop."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a replay or discard did, or would do."""

    matching: int
    """Dead letters that were meant; more than `letters` when the cap was reached."""
    letters: list[DeadLetter]
    """Those that were taken, the oldest first."""
    outcomes: Outcomes
    """Nothing in it when it was a dry run."""


def cancel(job_id: str, *, who: str, reason: str) -> Cancelled:
    """End a search that waits or runs: nothing it still brings is stored, and its crawls stop within seconds.

    Raises:
        NotFound: no such job.
    """
    try:
        with runtime.pool.transaction() as cur:
            return _cancel(cur, job_id, who, reason)
    except _EndedError:
        # It ended while we waited for its messages: now it is final, and says as what.
        return cancel(job_id, who=who, reason=reason)


def _cancel(cur: Cursor, job_id: str, who: str, reason: str) -> Cancelled:
    job = found(cur, job_id)
    if job.final:
        return Cancelled(False, job.status)
    why = clean(f"cancelled by {who}: {reason}")
    queued, running = cancel_messages(cur, job.job_id, job.round, why)
    if not jobs.cancel(cur, job.job_id, why):
        raise _EndedError
    ends.ended(cur, job.job_id)
    audit.note(cur, who, "cancel", job.job_id, {"reason": clean(reason), "queued": queued, "running": running})
    return Cancelled(True, JobStatus.CANCELLED, queued, running)


@dataclass(frozen=True, slots=True)
class Purged:
    """How many rows left."""

    messages: int
    attempts: int
    workers: int


def pause(name: str, *, who: str, reason: str) -> None:
    """Hold a queue back, on every machine and across restarts; what runs goes on.

    The name of a mall holds the mall back too: new searches leave it out and say so, those that wait for it go on
    without it at the next heartbeat of any worker.

    Raises:
        NotFound: no queue of that name.
    """
    if name not in runtime.broker.queues:
        raise NotFound(f"there is no queue {name!r}: {', '.join(sorted(runtime.broker.queues))}")
    runtime.broker.pause(name, reason=clean(reason), who=who)


def resume(name: str, *, who: str) -> bool:
    """Let it go on. False if it was not held back."""
    return runtime.broker.resume(name, who=who)


def paused() -> list[Pause]:
    """What is held back, why, by whom, since when."""
    with runtime.pool.autocommit() as cur:
        return pauses.paused(cur)


def drain(*, who: str, worker: str | None = None, host: str | None = None) -> list[str]:
    """Have workers finish what they have and end: see `tasks.queue.drain`. Gives their ids."""
    with runtime.pool.transaction() as cur:
        return drain_workers(cur, who=who, worker=worker, host=host)


def queue_names() -> list[str]:
    """Every queue, whether or not something is in it."""
    return sorted(runtime.broker.queues)


def queue_stats() -> list[QueueStats]:
    """Every queue that holds anything but finished messages."""
    return runtime.broker.stats()


def purge(done_days: float | None = None, dead_days: float | None = None) -> Purged:
    """Delete what is past its days ([queue] done_days and dead_days unless given): messages, tries, worker rows."""
    days = runtime.settings.queue
    done_days = days.done_days if done_days is None else done_days
    dead_days = days.dead_days if dead_days is None else dead_days
    messages = runtime.broker.purge(done_days=done_days, dead_days=dead_days)
    attempts, workers = retention.forget(runtime.pool, attempt_days=dead_days, worker_days=days.done_days)
    return Purged(messages, attempts, workers)


def flush(name: str, *, who: str) -> int:
    """Delete what waits in a queue; what runs or has ended stays. Searches that need it run into their deadline."""
    gone = runtime.broker.flush(name)
    with runtime.pool.transaction() as cur:
        audit.note(cur, who, "flush", name, {"messages": gone})
    return gone


def recover() -> Reaped:
    """Bring back now what dead workers held; workers do this by themselves every third of a lease."""
    return runtime.broker.reap()


def dead_letters(which: Which | None = None, *, limit: int = 50) -> list[DeadLetter]:
    """Dead messages, the latest first."""
    with runtime.pool.autocommit() as cur:
        return dead.listed(cur, which, limit=limit)


def dead_letter(message_id: str) -> tuple[DeadLetter, list[Try], list[Note]]:
    """One dead message by its id or the beginning of it, with all its tries and what people did to it.

    Raises:
        NotFound: none, or more than one.
        ValueError: this can be no id.
    """
    with runtime.pool.autocommit() as cur:
        found = dead.listed(cur, Which(ids=[message_id]), limit=2)
        if len(found) != 1:
            raise NotFound(f"{'more than one' if found else 'no'} dead message begins with {message_id}")
        return found[0], *dead.history(cur, found[0].message)


def dead_groups() -> list[DeadGroup]:
    """Dead messages by what went wrong, the most frequent first."""
    with runtime.pool.autocommit() as cur:
        return dead.groups(cur)


def replay(which: Which, *, who: str, dry_run: bool = False, cap: int = CAP, stagger_s: float = 1) -> Change:
    """Queue dead messages again, the oldest first, and let their searches go on as if they had not failed.

    Args:
        which: which ones.
        who: for the audit.
        dry_run: change nothing.
        cap: messages at most; the rest waits for the next call.
        stagger_s: seconds between two of them.

    Raises:
        ValueError: `cap` is more than `tasks.queue.dead.CAP`.
        DatabaseDown: those before it are replayed, a second call does the rest.
    """
    matching, letters = _chosen(which, cap)
    if dry_run:
        return Change(matching, letters, Outcomes())
    outcomes = dead.replay(runtime.pool, letters, who=who, revive=revive, stagger_s=stagger_s)
    return Change(matching, letters, outcomes)


def discard(which: Which, *, who: str, reason: str, dry_run: bool = False, cap: int = CAP) -> Change:
    """Give dead messages up for good; their tries stay on record.

    Raises:
        ValueError: no reason, or `cap` is more than `tasks.queue.dead.CAP`.
        DatabaseDown: as in `replay`.
    """
    matching, letters = _chosen(which, cap)
    if dry_run:
        return Change(matching, letters, Outcomes())
    return Change(matching, letters, dead.discard(runtime.pool, letters, who=who, reason=reason))


def _chosen(which: Which, cap: int) -> tuple[int, list[DeadLetter]]:
    if not 1 <= cap <= dead.CAP:
        raise ValueError(f"cap: 1 to {dead.CAP}")
    with runtime.pool.autocommit() as cur:
        matching = dead.counted(cur, which)
        return matching, dead.listed(cur, which, limit=cap)[::-1]


def proxy_ports() -> list[proxies.PortRow]:
    """Every port of the proxy as it stands."""
    with runtime.pool.transaction() as cur:
        return proxies.ports_of(cur)


def reset_proxies(port: int, *, who: str) -> int:
    """Forget what is held against a port (0 = all of them); returns how many there were."""
    with runtime.pool.transaction() as cur:
        changed = proxies.reset(cur, port)
        if changed:
            audit.note(cur, who, "reset proxies", str(port or "all"), {"ports": changed})
        return changed
