"""The operators' numbers, and the record of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import JobStatus, Ops
from store.sql import beside

if TYPE_CHECKING:
    from store.pool import Cursor

SQL = beside(__file__)


def snapshot(cur: Cursor) -> Ops:
    """Counts by status, the oldest ready message's age (s), the last hour's troubles, cost (USD) and timings (ms)."""
    cur.execute(SQL["snapshot"])
    counts, oldest, dead, stuck, blocks, deadline, cost = cur.fetchone()
    cur.execute(SQL["stages"])
    stages = {stage: {"n": n, "p50_ms": p50, "p95_ms": p95} for stage, n, p50, p95 in cur.fetchall()}
    return Ops(
        counts={status.name: counts.get(str(int(status)), 0) for status in JobStatus},
        oldest_pending_sec=round(oldest, 3),
        dead_1h=dead,
        stuck_running=stuck,
        blocks_1h=blocks,
        deadline_1h=deadline,
        cost_1h_usd=cost,
        stages=stages,
    )


def record_block(cur: Cursor, job_id: str, mall: str, marker: str, ip: str, ip_request_no: int) -> None:
    """A mall refused us: which sign, on which IP, at which request of that IP."""
    cur.execute(SQL["record_block"], (job_id, mall, marker, ip, ip_request_no))


def paused(cur: Cursor) -> dict[str, str]:
    """Reason by name of what an operator holds back (a queue, which is also a mall)."""
    cur.execute(SQL["paused"])
    return dict(cur.fetchall())
