"""`lps worker`: run workers, list them, drain them."""

from __future__ import annotations

import threading
import time
from typing import Any

import click

from cli import serve
from cli.operator import operated, table
from store import ops


@click.group(invoke_without_command=True)
@click.option("-Q", "--queues", multiple=True, metavar="NAME", help="Only this queue; may be repeated.")
@click.option("-p", "--processes", type=click.IntRange(1, 64), help="Instead of [worker] processes.")
@click.pass_context
def worker(context: click.Context, queues: tuple[str, ...], processes: int | None) -> int:
    """Run worker processes until Ctrl-C: all queues, or those named. Or list and drain those that run."""
    if context.invoked_subcommand is None:
        return serve.run_workers(queues, processes)
    return 0


@worker.command("list")
@operated
def list_(*, who: str) -> int:
    """Worker processes: idle, working, stuck (a stage runs for far too long), draining, lost (no sign of life)."""
    del who
    rows = [
        (w["worker_id"][:8], w["host"], w["pid"], w["state"], w["running"], f"{w['rss_bytes'] >> 20} MB",
         w["started_at"][:19], " ".join(w["queues"]))
        for w in _workers()
    ]  # fmt: skip
    table(("id", "host", "pid", "state", "running", "memory", "started", "queues"), rows)
    return 0


@worker.command()
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--host", help="Every worker of this machine.")
@click.option("--all", "everything", is_flag=True, help="Every worker.")
@click.option("--wait", "wait_s", type=click.FloatRange(0, 3600), default=0, metavar="SECONDS",
              help="Wait until they have ended; exit status 1 if they have not.")  # fmt: skip
@operated
def drain(*, id_: str | None, host: str | None, everything: bool, wait_s: float, who: str) -> int:
    """Have workers claim nothing more, finish what they run, and end.

    ID is the beginning of a worker's id, see `lps worker list`. What restarts ended workers (`lps up`, systemd) starts
    fresh ones: that is how a machine takes a new version without losing a try. To keep work away, pause the queue.
    """
    if not (id_ or host or everything):
        raise click.UsageError("which ones? give an ID, --host or --all")
    from tasks import operate  # noqa: PLC0415 - who only runs workers needs none of it in the supervisor

    asked = operate.drain(who=who, worker=id_, host=host)
    print(
        f"draining: {', '.join(worker_id[:8] for worker_id in asked) or 'no worker that lives, or it drains already'}"
    )
    end, tick = time.monotonic() + wait_s, threading.Event()
    while left := {w["worker_id"] for w in _workers() if w["state"] != "lost"} & set(asked):
        if time.monotonic() >= end:
            return 1 if wait_s else 0
        tick.wait(min(0.5, max(0.05, wait_s)))
    del left
    return 0 if asked else 1


def _workers() -> list[dict[str, Any]]:
    from tasks.runtime import runtime  # noqa: PLC0415 - as above

    with runtime.pool.autocommit() as cur:
        return ops.snapshot(
            cur, stuck_s=runtime.settings.worker.stuck_s, lease_s=runtime.settings.queue.lease_s
        ).workers
