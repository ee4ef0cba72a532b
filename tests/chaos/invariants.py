"""What must hold after a chaos run, whatever happened in it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from store.pool import Cursor, Pool


@dataclass(frozen=True)
class Check:
    """One invariant: how many rows break it."""

    name: str
    broken: int


# An `attempt` of try 0 is no try of a message: it says of a job that its deadline passed while a mall was being read.
BREACHES = {
    "jobs without a final state": "SELECT count(*) FROM job WHERE status NOT IN (3, 4, 5)",
    "final jobs without their time, result or reason": """SELECT count(*) FROM job WHERE finished_at IS NULL
      OR (status = 3 AND result IS NULL) OR (status = 4 AND error IS NULL)""",
    "found jobs without exactly one price row": """SELECT count(*) FROM job j WHERE status = 3
      AND result->>'outcome' = 'found' AND (SELECT count(*) FROM price_history p WHERE p.job_id = j.job_id) <> 1""",
    "price rows of jobs that did not end found": """SELECT count(*) FROM price_history p WHERE NOT EXISTS (
      SELECT FROM job j WHERE j.job_id = p.job_id AND j.status = 3 AND j.result->>'outcome' = 'found')""",
    "messages neither done nor dead": """SELECT count(*) FROM dramatiq.queue
      WHERE state IN ('queued', 'consumed') AND queue_name <> 'ops'""",
    "dead messages without a reason": """SELECT count(*) FROM dramatiq.queue
      WHERE state = 'rejected' AND last_error IS NULL""",
    "messages that ended twice": """SELECT count(*) FROM (SELECT message_id FROM attempt
      WHERE outcome NOT IN ('retry', 'lost', 'released') AND try > 0 GROUP BY message_id HAVING count(*) > 1) twice""",
    "done messages without their ending on record": """SELECT count(*) FROM dramatiq.queue q WHERE state = 'done'
      AND NOT EXISTS (SELECT FROM attempt a WHERE a.message_id = q.message_id)""",
    "sources still open": "SELECT count(*) FROM job_source WHERE outcome IS NULL",
    "final searches with a stage missing": """SELECT count(*) FROM job j WHERE status = 3 AND NOT EXISTS (
      SELECT FROM dramatiq.queue q WHERE q.queue_name = 'persist' AND q.state = 'done'
        AND q.message->'args'->>0 = j.job_id::text)""",
}
_LATE = """SELECT coalesce(max(extract(epoch FROM lps.now() - lease_until)), 0)::float8
  FROM dramatiq.queue WHERE state = 'consumed'"""
_COUNTS = {
    "jobs": "SELECT count(*) FROM job",
    "found": "SELECT count(*) FROM job WHERE status = 3 AND result->>'outcome' = 'found'",
    "done, not found": "SELECT count(*) FROM job WHERE status = 3 AND result->>'outcome' <> 'found'",
    "dead": "SELECT count(*) FROM job WHERE status = 4",
    "found, incomplete": """SELECT count(*) FROM job WHERE status = 3 AND NOT (result->>'complete')::bool""",
    "price rows": "SELECT count(*) FROM price_history",
    "messages": "SELECT count(*) FROM dramatiq.queue",
    "tries": "SELECT count(*) FROM attempt",
    "leases taken back": "SELECT count(*) FROM attempt WHERE error_type = 'WorkerGoneError'",
    "retries": "SELECT count(*) FROM attempt WHERE outcome = 'retry'",
    "dead messages": "SELECT count(*) FROM dramatiq.queue WHERE state = 'rejected'",
    "paid calls in the ledger": "SELECT count(*) FROM spend",
}


_LEDGER = """SELECT count(*), count(*) FILTER (WHERE settled_at IS NULL OR leaked),
  coalesce(sum(coalesce(settled_usd, reserved_usd)), 0) FROM spend WHERE kind = 'ai'"""
_USD_IN, _USD_OUT = Decimal("0.15e-6"), Decimal("0.60e-6")
"""What the sandbox's model costs a token, as the default model does."""


@dataclass(frozen=True)
class Ledger:
    """What was paid, against what the other side counted."""

    text: str
    checks: list[Check]


def ledger(pool: Pool, billed: dict[str, int], faults: int) -> Ledger:
    """Every answer that was billed is in the ledger, and no more is open than a fault can have cut off."""
    with pool.transaction() as cur:
        cur.execute(_LEDGER)
        rows, unsettled, usd = cur.fetchone()
    owed = billed["input_tokens"] * _USD_IN + billed["output_tokens"] * _USD_OUT
    text = (
        f"ledger {rows} ({unsettled} never settled), {usd:.6f} USD; sandbox billed {billed['answers']}, {owed:.6f} USD"
    )
    return Ledger(text, [
        Check("answers billed and not in the ledger", max(0, billed["answers"] - rows)),
        Check("billed money beyond the ledger's, millionths of a USD", max(0, round((owed - usd) * 10**6))),
        Check("payments cut off beyond the faults there were", max(0, unsettled - faults)),
    ])  # fmt: skip


def number(cur: Cursor, sql: str) -> int:
    """The one number a statement answers with."""
    cur.execute(sql)
    return int(cur.fetchone()[0])


def checks(pool: Pool, submitted: set[str]) -> list[Check]:
    """Every invariant of the database, and that every accepted search is there."""
    with pool.transaction() as cur:
        found = [Check(name, number(cur, sql)) for name, sql in BREACHES.items()]
        cur.execute("SELECT job_id::text FROM job")
        there = {row[0] for row in cur.fetchall()}
    return [*found, Check("accepted searches that are gone", len(submitted - there))]


def counts(pool: Pool) -> dict[str, int]:
    """For the record."""
    with pool.transaction() as cur:
        return {name: number(cur, sql) for name, sql in _COUNTS.items()}


def latest_lease_s(pool: Pool) -> float:
    """By how many seconds the oldest lease is over."""
    with pool.autocommit() as cur:
        cur.execute(_LATE)
        return float(cur.fetchone()[0])


def processes_with(marker: str) -> list[str]:
    """Programs that have this text in their command or environment: nothing of a run may outlive it."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != psutil.Process().pid and (
                any(marker in word for word in process.cmdline()) or marker in str(process.environ().get("TMPDIR"))
            ):
                found.append(" ".join(process.cmdline())[:120])
        except (psutil.AccessDenied, psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return found
