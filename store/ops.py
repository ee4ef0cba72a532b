"""The operators' numbers, and the record of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from model import JobStatus, Ops
from store import crawls
from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)
LEAK_HOURS = 6


def snapshot(cur: Cursor, *, stuck_s: float = 300, lease_s: float = 30) -> Ops:
    """Counts by status, the oldest ready message's age (s), the last hour's troubles, cost (USD), timings (ms).

    Args:
        cur: of a connection; six statements.
        stuck_s: age at which a running message whose worker lives is called stuck, `[worker] stuck_s`.
        lease_s: `[queue] lease_s`; a worker is lost when it was silent for two of these.
    """
    values = {"stuck_s": stuck_s, "lease_s": lease_s}
    cur.execute(SQL["snapshot"], values)
    counts, oldest, dead, stuck, lost, blocks, deadline, cost = cur.fetchone()
    cur.execute(SQL["stages"])
    stages = {stage: {"n": n, "p50_ms": p50, "p95_ms": p95} for stage, n, p50, p95 in cur.fetchall()}
    alive = workers(cur, stuck_s=stuck_s, lease_s=lease_s)
    cur.execute(SQL["paused"])
    paused = [
        {"name": n, "reason": why, "who": who, "since": since.isoformat()} for n, why, who, since in cur.fetchall()
    ]
    return Ops(
        counts={status.name: counts.get(str(int(status)), 0) for status in JobStatus},
        oldest_pending_sec=round(oldest, 3),
        dead_1h=dead,
        stuck_running=stuck,
        lost_running=lost,
        blocks_1h=blocks,
        deadline_1h=deadline,
        cost_1h_usd=cost,
        stages=stages,
        workers=alive,
        paused=paused,
        usable_ports_pct=crawls.usable_ports_pct(cur),
        block_sessions_6h=crawls.block_sessions(cur, LEAK_HOURS),
    )


def workers(cur: Cursor, *, stuck_s: float, lease_s: float) -> list[dict[str, Any]]:
    """Worker processes that have not stopped in order, as `Ops.workers` has them."""
    cur.execute(SQL["workers"], {"stuck_s": stuck_s, "lease_s": lease_s})
    return [_worker(row) for row in cur.fetchall()]


def _worker(row: tuple[Any, ...]) -> dict[str, Any]:
    worker_id, host, pid, queues, running, rss_bytes, started_at, seen_at, state = row
    return {
        "worker_id": worker_id,
        "host": host,
        "pid": pid,
        "state": state,
        "queues": queues,
        "running": running,
        "rss_bytes": rss_bytes,
        "started_at": started_at.isoformat(),
        "seen_at": seen_at.isoformat(),
    }


def server_time(cur: Cursor) -> float:
    """The database's own clock, seconds since 1970."""
    cur.execute(SQL["server_time"])
    return float(cur.fetchone()[0])
