"""`lps jobs`: searches as an operator handles them."""

from __future__ import annotations

import click

from cli.operator import operated
from tasks import operate


@click.group()
def jobs() -> None:
    """Searches: cancel them."""


@jobs.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", default="not wanted any more", show_default=True, help="Why; it stays on record.")
@operated
def cancel(*, ids: tuple[str, ...], reason: str, who: str) -> int:
    """End searches that wait or run. Nothing they still bring is stored; running crawls stop within seconds.

    ID is the whole id of a job. One that is final already is left as it is. Exit status 1 when a job is unknown.
    """
    status = 0
    for job_id in ids:
        try:
            done = operate.cancel(job_id, who=who, reason=reason)
        except operate.NotFound as error:
            print(f"{job_id}: {error}")
            status = 1
            continue
        what = f"cancelled; {done.running} stages told to stop, {done.queued} never begin"
        print(f"{job_id}: {what if done.changed else f'is {done.status.name} already, nothing was changed'}")
    return status
