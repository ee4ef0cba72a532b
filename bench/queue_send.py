"""Sends n messages to one of the systems that `bench.queue` compares, and prints how many a second.

python -m bench.queue_send SYSTEM URL N HOW        HOW = one (by one) | batch (500 a transaction)
python -m bench.queue_send beside URL STOCK_URL N HOW

The second sends n one by one to ours and n to stock, in turns of a hundred, so that the disk's moods meet both; HOW
says whether somebody waits for them: unheard | heard.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bench import queue_worker

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH = 500
TURN = 100


def now() -> float:
    """The moment a message is sent; the same clock in every process of the machine."""
    return time.perf_counter()


def ours(url: str) -> tuple[Callable[[], Any], Callable[[int], Any]]:
    """Send one; send n in a transaction."""
    broker = queue_worker.ours(url, "plain")
    actor = broker.actors["work"]

    def one() -> None:
        broker.enqueue(actor.message(now()))

    def many(n: int) -> None:
        with broker.pool.transaction() as cur:
            broker.enqueue_in(cur, *[actor.message(now()) for _ in range(n)])

    return one, many


def dramatiq(system: str, url: str) -> tuple[Callable[[], Any], Callable[[int], Any]]:
    """Stock brokers know no batch."""
    broker = getattr(queue_worker, system)(url)
    actor = broker.actors["work"]

    def one() -> None:
        broker.enqueue(actor.message(now()))

    def many(n: int) -> None:
        for _ in range(n):
            one()

    return one, many


def bare(url: str) -> tuple[Callable[[], Any], Callable[[int], Any]]:
    """One statement a message, nothing else."""
    import psycopg2

    connection = psycopg2.connect(url)
    connection.autocommit = True
    cur = connection.cursor()

    def one() -> None:
        cur.execute(
            "WITH added AS (INSERT INTO dramatiq.queue (message_id, queue_name, state, message)"
            """ VALUES (%s, 'work', 'queued', jsonb_build_object('args', jsonb_build_array(%s)))
            RETURNING queue_name) SELECT pg_notify('lps', queue_name)::text FROM added""",
            (str(uuid4()), now()),
        )

    def many(n: int) -> None:
        for _ in range(n):
            one()

    return one, many


async def pgqueuer(url: str, n: int, how: str) -> float:
    """Messages a second; its batch is one call."""
    import asyncpg  # type: ignore[import-not-found]  # only the peers' interpreter has it
    from pgqueuer import AsyncpgDriver, Queries  # type: ignore[import-not-found]  # likewise

    queries = Queries(AsyncpgDriver(await asyncpg.connect(url)))
    step = BATCH if how == "batch" else 1
    started = now()
    for _ in range(0, n, step):
        if step == 1:
            await queries.enqueue("work", str(now()).encode())
        else:
            await queries.enqueue(["work"] * step, [str(now()).encode() for _ in range(step)], [0] * step)
    return n / (now() - started)


def senders(system: str, url: str) -> tuple[Callable[[], Any], Callable[[int], Any]]:
    """One message, and n of them, on this system."""
    if system in ("ours", "bare"):
        return {"ours": ours, "bare": bare}[system](url)
    return dramatiq(system, url)


def rate(system: str, url: str, n: int, how: str) -> float:
    """Messages a second."""
    one, many = senders(system, url)
    one()
    started = now()
    if how == "batch":
        for _ in range(0, n, BATCH):
            many(BATCH)
    else:
        for _ in range(n):
            one()
    return n / (now() - started)


def wait_for_both(url: str, stock_url: str) -> list[Any]:
    """A waiting worker's session on each, as its senders meet it; what they hear is never read."""
    import psycopg2

    sessions = [psycopg2.connect(url), psycopg2.connect(stock_url)]
    waits = "LISTEN lps; SELECT pg_advisory_lock_shared(hashtextextended('lps waits work', 0))"
    for session, statement in zip(sessions, (waits, 'LISTEN "dramatiq.work.enqueue"'), strict=True):
        session.autocommit = True
        session.cursor().execute(statement)
    return sessions


def beside(url: str, stock_url: str, n: int, how: str) -> dict[str, float]:
    """Messages a second of both, and the median over the turns of how many times ours is stock."""
    sessions = wait_for_both(url, stock_url) if how == "heard" else []
    one = {"ours": senders("ours", url)[0], "stock": senders("stock", stock_url)[0]}
    took: dict[str, list[float]] = {name: [] for name in one}
    for number in range(n // TURN + 1):
        for name in sorted(one, reverse=bool(number % 2)):
            started = now()
            for _ in range(TURN):
                one[name]()
            took[name].append(now() - started)
    for session in sessions:
        session.close()
    # The first turn opens connections and prepares.
    ours, stock = took["ours"][1:], took["stock"][1:]
    ratio = statistics.median(there / here for here, there in zip(ours, stock, strict=True))
    return {"ours": TURN / statistics.median(ours), "stock": TURN / statistics.median(stock), "ratio": ratio}


def main() -> None:
    """Send and print."""
    if sys.argv[1] == "beside":
        _, _, url, stock_url, count, how = sys.argv
        print(json.dumps(beside(url, stock_url, int(count), how)))
        return
    system, url, n, how = sys.argv[1:]
    print(asyncio.run(pgqueuer(url, int(n), how)) if system == "pgqueuer" else rate(system, url, int(n), how))


if __name__ == "__main__":
    main()
