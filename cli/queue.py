"""`lps queue`: what waits, and what an operator does about it."""

from __future__ import annotations

import click

from cli.operator import operated, table
from tasks import operate


@click.group()
def queue() -> None:
    """The queues: numbers, pause, resume, purge, flush, recover."""


@queue.command()
@operated
def stats(*, who: str) -> int:
    """Per queue what is ready, delayed, running and dead, and how long the oldest ready message has waited."""
    del who
    held = {pause.name: f"paused by {pause.who}: {pause.reason}" for pause in operate.paused()}
    found = {stat.name: stat for stat in operate.queue_stats()}
    rows: list[tuple[object, ...]] = []
    for name in sorted(found | held):
        stat = found.get(name)
        numbers = (stat.ready, stat.delayed, stat.running, stat.dead, f"{stat.oldest_s:.0f} s") if stat else (0,) * 5
        rows.append((name, *numbers, held.get(name, "")))
    table(("queue", "ready", "delayed", "running", "dead", "oldest", ""), rows)
    return 0


@queue.command()
@click.argument("name")
@click.option("--reason", required=True, help="Why; whoever looks at it sees it.")
@operated
def pause(*, name: str, reason: str, who: str) -> int:
    """Claim nothing of queue NAME any more, on every machine and across restarts; what runs goes on."""
    operate.pause(name, who=who, reason=reason)
    print(f"{name}: paused")
    return 0


@queue.command()
@click.argument("name")
@operated
def resume(*, name: str, who: str) -> int:
    """Claim queue NAME again."""
    print(f"{name}: {'goes on' if operate.resume(name, who=who) else 'was not paused'}")
    return 0


@queue.command()
@click.option("--done-days", type=click.FloatRange(0), help="Instead of [queue] done_days.")
@click.option("--dead-days", type=click.FloatRange(0), help="Instead of [queue] dead_days.")
@operated
def purge(*, done_days: float | None, dead_days: float | None, who: str) -> int:
    """Delete finished and dead messages past their days, a thousand at a time; the clock does it every night."""
    del who
    gone = operate.purge(done_days, dead_days)
    print(f"deleted: {gone.messages} messages, {gone.attempts} tries, {gone.workers} worker rows")
    return 0


@queue.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@operated
def flush(*, name: str, yes: bool, who: str) -> int:
    """Delete what waits in queue NAME. Searches that need it run into their deadline; `lps jobs cancel` is kinder."""
    if not yes:
        click.confirm(f"delete everything that waits in {name}?", abort=True)
    print(f"{name}: {operate.flush(name, who=who)} messages deleted")
    return 0


@queue.command()
@operated
def recover(*, who: str) -> int:
    """Bring back now what dead workers held. Workers do this by themselves every third of [queue] lease_s."""
    del who
    found = operate.recover()
    print(f"queued again: {found.queued}, dead: {found.dead}, not possible: {found.failed}")
    return 0
