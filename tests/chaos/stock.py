"""The same path on stock dramatiq-pg, for the record: each stage does its work, then sends the next.

Loaded by `dramatiq tests.chaos.stock`; the database comes in `CHAOS_STOCK_URL`.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import dramatiq
import psycopg2
from dramatiq.middleware import default_middleware
from dramatiq_pg import PostgresBroker, generate_init_sql

URL = os.environ["CHAOS_STOCK_URL"]
# Its list as it comes, without the one that opens a port for metrics.
broker = PostgresBroker(
    url=URL, results=False, middleware=[one() for one in default_middleware if one.__name__ != "Prometheus"]
)
dramatiq.set_broker(broker)
READ_S = 0.8
"""How long reading a mall takes."""


def run(sql: str, *values: object) -> list[tuple[Any, ...]]:
    """One statement on a connection of its own."""
    connection = psycopg2.connect(URL)
    try:
        with connection, connection.cursor() as cur:
            cur.execute(sql, values)
            return cur.fetchall() if cur.description else []
    finally:
        connection.close()


def setup() -> None:
    """Its table, and a job's row and price."""
    run(generate_init_sql())
    run("CREATE TABLE chain (job_id int PRIMARY KEY); CREATE TABLE price (job_id int, at timestamptz DEFAULT now())")


@dramatiq.actor(queue_name="work")
def read(job_id: int) -> None:
    """Read the malls."""
    threading.Event().wait(READ_S)
    match.send(job_id)


@dramatiq.actor(queue_name="work")
def match(job_id: int) -> None:
    """Decide."""
    threading.Event().wait(0.02)
    persist.send(job_id)


@dramatiq.actor(queue_name="work")
def persist(job_id: int) -> None:
    """Store the price."""
    run("INSERT INTO price (job_id) VALUES (%s)", job_id)


def submit(job_id: int) -> None:
    """Start one."""
    run("INSERT INTO chain (job_id) VALUES (%s) ON CONFLICT DO NOTHING", job_id)
    read.send(job_id)


def open_messages() -> int:
    """What still waits or runs."""
    return int(run("SELECT count(*) FROM dramatiq.queue WHERE state IN ('queued', 'consumed')")[0][0])


def counts() -> dict[str, int]:
    """What became of it."""
    statements = {
        "jobs": "SELECT count(*) FROM chain",
        "jobs with more than one price row": """SELECT count(*) FROM (SELECT job_id FROM price GROUP BY 1
          HAVING count(*) > 1) twice""",
        "jobs without a price row": """SELECT count(*) FROM chain c WHERE NOT EXISTS (
          SELECT FROM price p WHERE p.job_id = c.job_id)""",
        "messages": "SELECT count(*) FROM dramatiq.queue",
        "messages still waiting or running": """SELECT count(*) FROM dramatiq.queue
          WHERE state IN ('queued', 'consumed')""",
        "dead messages": "SELECT count(*) FROM dramatiq.queue WHERE state = 'rejected'",
    }
    return {name: int(run(sql)[0][0]) for name, sql in statements.items()}
