"""How fast the queue is, beside what it replaces and its peers: a table, then JSON.

    make bench-queue            .venv/bin/python -m bench.queue --quick

One PostgreSQL with fsync on for all of them, each in a database of its own; the systems alternate run by run, so that
noise of the machine meets all; medians. Redis and PgQueuer run under an interpreter of their own, outside the project,
and are left out with the reason where they cannot be had.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

import psycopg2

from bench import queue_growth, queue_send
from bench.queue_systems import ROOT, Ours, PgQueuer, Redis, System, peers_python, redis_server, wait
from bench.search import own_cluster, own_database

if TYPE_CHECKING:
    from collections.abc import Callable

    Task = Callable[[], dict[str, float]]

KINDS = ("plain", "idempotent", "effect")


@dataclass
class Size:
    """How much is measured."""

    runs: int = 5
    tasks: int = 12_000
    sends: int = 5_000
    batch: int = 20_000
    singles: int = 400
    bursts: int = 60
    table: queue_growth.Size = field(default_factory=queue_growth.Size)


QUICK = Size(3, 3_000, 500, 5_000, 60, 20, queue_growth.QUICK)


@dataclass
class Goal:
    """One line of the table."""

    name: str
    reached: float
    wanted: float
    unit: str = "×"
    at_most: bool = False

    @property
    def met(self) -> bool:
        """Whether it is reached."""
        return self.reached <= self.wanted if self.at_most else self.reached >= self.wanted


def consume_rate(system: System, size: Size, kind: str) -> dict[str, float]:
    """Tasks a second of 2 processes × 4 threads, from the first end to the last acknowledgement."""
    system.clear()
    system.fill(size.tasks)
    others = system.connections()
    with system.workers(2, 4, kind) as workers:
        started = time.perf_counter()
        for worker in workers:
            worker.go()
        wait(lambda: system.left() < size.tasks / 2, 120)
        connections = system.connections() - others
        wait(lambda: not system.left(), 120)
        return {"rate": size.tasks / (time.perf_counter() - started), "connections": connections}


def send_rate(system: System, n: int, how: str) -> dict[str, float]:
    """Messages a second of one producer."""
    system.clear()
    return {"rate": system.send_rate(n, how)}


def send_beside(ours: System, stock: System, n: int, how: str) -> dict[str, float]:
    """Messages a second one by one on ours and on stock, in turns."""
    ours.clear()
    stock.clear()
    command = [ours.python, "-m", "bench.queue_send", "beside", ours.url, stock.url, str(n), how]
    found: dict[str, float] = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    return found


def start_delays(system: System, shape: tuple[int, int], send: Callable[[], object], n: int) -> dict[str, float]:
    """Milliseconds from each send to its start, with a pause between two sends; shape: processes, threads."""
    system.clear()
    pause = Event()
    with system.workers(*shape) as workers:
        for worker in workers:
            worker.go()
        for number in range(n):
            send()
            pause.wait(0.5 if number == 0 else 0.03)
        wait(lambda: not system.left(), 20)
        found = sorted(1000 * delay for worker in workers for delay in worker.starts())
    return {
        "p50": statistics.median(found),
        "p99": found[len(found) * 99 // 100],
        "late": sum(delay > 100 for delay in found),
    }


def burst(system: System) -> Callable[[], object]:
    """A fan-out: three messages at once; one transaction where the system knows that."""
    one, many = queue_send.senders(system.name, system.url)
    return (lambda: many(3)) if system.name == "ours" else (lambda: [one() for _ in range(3)])


def median_of(runs: list[dict[str, float]]) -> dict[str, float]:
    """Key by key."""
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def measure(systems: dict[str, System], size: Size) -> dict[str, Any]:
    """Everything that compares systems, run by run."""
    tasks = throughput(systems, size) | delays(systems, size)
    results: dict[str, list[dict[str, float]]] = {name: [] for name in tasks}
    for number in range(size.runs):
        for name, task in tasks.items():
            results[name].append(task())
            print(f"run {number + 1}: {name}: {results[name][-1]}", flush=True)
    return {name: median_of(runs) for name, runs in results.items()}


def throughput(systems: dict[str, System], size: Size) -> dict[str, Task]:
    """What is measured in tasks and messages a second."""
    tasks: dict[str, Task] = {
        f"enqueue beside stock, {how}": partial(send_beside, systems["ours"], systems["stock"], size.sends, how)
        for how in ("unheard", "heard")
    }
    for name, system in systems.items():
        if name != "bare":
            for kind in KINDS if name == "ours" else KINDS[:1]:
                tasks[f"consume {name} {kind}"] = partial(consume_rate, system, size, kind)
            tasks[f"enqueue {name} one"] = partial(send_rate, system, size.sends, "one")
        if name in ("ours", "pgqueuer"):
            tasks[f"enqueue {name} batch"] = partial(send_rate, system, size.batch, "batch")
    return tasks


def delays(systems: dict[str, System], size: Size) -> dict[str, Task]:
    """What is measured in milliseconds from send to start."""
    ours, bare, stock = systems["ours"], systems["bare"], systems["stock"]
    tasks: dict[str, Task] = {}
    for system in (ours, bare):
        send = queue_send.senders("ours", system.url)[0]
        tasks[f"start {system.name}"] = partial(start_delays, system, (1, 8), send, size.singles)
    for system in (ours, stock):
        for shape in ((2, 4), (1, 8)):
            name = f"burst of 3 {system.name} {shape[0]}x{shape[1]}"
            tasks[name] = partial(start_delays, system, shape, burst(system), size.bursts)
    return tasks


def goals(found: dict[str, Any]) -> list[Goal]:
    """What is wanted of the queue, with what was reached."""
    growth: list[tuple[str, float, float, str]] = found.get("growth", {}).get("goals", [])
    last = [Goal(name, reached, wanted, unit, at_most=True) for name, reached, wanted, unit in growth]
    if "start ours" not in found:
        return last
    stock = found["consume stock plain"]["rate"]
    sent = found["enqueue stock one"]["rate"]
    ours, bare = found["start ours"], found["start bare"]
    idempotent = found["consume ours idempotent"]["rate"]
    lines = [
        Goal("consume, batched acks / stock", idempotent / stock, 5),
        Goal("consume, effect() each / stock", found["consume ours effect"]["rate"] / stock, 2.5),
        Goal("enqueue one by one / stock, no worker waits", found["enqueue beside stock, unheard"]["ratio"], 1.5),
        Goal("enqueue one by one / stock, one waits", found["enqueue beside stock, heard"]["ratio"], 1.5),
        Goal("enqueue in a batch / stock", found["enqueue ours batch"]["rate"] / sent, 15),
        Goal("burst of 3, start p99", found["burst of 3 ours 2x4"]["p99"], 10, "ms", at_most=True),
        Goal("start p50 / bare loop", ours["p50"] / bare["p50"], 1.1, at_most=True),
        Goal("start p99 / bare loop", ours["p99"] / bare["p99"], 1.5, at_most=True),
        Goal("connections, 2 processes", found["consume ours effect"]["connections"], 10, "", at_most=True),
    ]
    for peer in ("redis", "pgqueuer"):
        rate = found.get(f"consume {peer} plain", {}).get("rate")
        lines += [Goal(f"consume, batched acks / {peer}", idempotent / rate, 1)] if rate else []
    return lines + last


def show(found: dict[str, Any], skipped: dict[str, str]) -> None:
    """Print the tables, then the JSON."""
    print(f"\n{'measured':<34}{'':>12}")
    for name, row in found.items():
        if name != "growth":
            print(f"{name:<34}" + "".join(f"{key + ' ' + format(value, '.1f'):>18}" for key, value in row.items()))
    for name, row in found.get("growth", {}).get("rows", {}).items():
        print(f"{name:<34}" + "".join(f"{key + ' ' + format(value, '.2f'):>18}" for key, value in row.items()))
    print(f"\n{'goal':<44}{'reached':>12}{'wanted':>12}")
    for goal in goals(found):
        sign = "≤" if goal.at_most else "≥"
        print(
            f"{goal.name:<44}{goal.reached:>10.2f} {goal.unit:<2}{sign:>3} {goal.wanted:g} {goal.unit:<3}"
            + ("" if goal.met else "  MISSED")
        )
    for name, reason in skipped.items():
        print(f"left out: {name}: {reason}")
    print(json.dumps({"measured": found, "goals": [vars(goal) for goal in goals(found)], "skipped": skipped}))


def peers(stack: ExitStack, server: str, skipped: dict[str, str]) -> dict[str, System]:
    """Redis and PgQueuer where they can be had."""
    found: dict[str, System] = {}
    try:
        python = peers_python()
    except subprocess.CalledProcessError as error:
        skipped["redis, pgqueuer"] = f"their packages cannot be installed: {error}"
        return found
    found["pgqueuer"] = PgQueuer("pgqueuer", stack.enter_context(own_database(server)), python)
    try:
        found["redis"] = Redis(stack.enter_context(redis_server()), python)
    except FileNotFoundError as error:
        skipped["redis"] = str(error)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs")
    parser.add_argument("--runs", type=int, help="how often each is measured (default 5)")
    parser.add_argument("--only", choices=("systems", "growth"), help="one half of it")
    parser.add_argument("--no-peers", action="store_true", help="neither Redis nor PgQueuer")
    parser.add_argument("--database-url", help="a server on which databases may be made; default: an embedded one")
    args = parser.parse_args()
    size = QUICK if args.quick else Size()
    size.runs = args.runs or size.runs
    skipped: dict[str, str] = {}
    with ExitStack() as stack:
        server = args.database_url or stack.enter_context(own_cluster())
        systems: dict[str, System] = {
            "ours": Ours("ours", stack.enter_context(own_database(server))),
            "bare": Ours("bare", stack.enter_context(own_database(server))),
            "stock": System("stock", stack.enter_context(own_database(server))),
            **({} if args.no_peers else peers(stack, server, skipped)),
        }
        for system in systems.values():
            system.setup()
        with psycopg2.connect(server) as connection, connection.cursor() as cur:
            cur.execute("SELECT current_setting('fsync'), version()")
            print(cur.fetchone())
        found = measure(systems, size) if args.only != "growth" else {}
        if args.only != "systems":
            found["growth"] = queue_growth.measure(server, size.table, systems["ours"])
        show(found, skipped)


if __name__ == "__main__":
    main()
