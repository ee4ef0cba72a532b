"""`lps dead`: messages that will not be tried again by themselves."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from cli.operator import operated, table
from tasks import operate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tasks.operate import Change


_HELP = """Dead letters: stages that failed for good. Look at them, replay them, or discard them.

\b
A stage is dead when its tries are used up or its error says that trying again cannot help. A search goes on
without a dead mall; a dead match or persist ends it. What usually happens:

\b
  lps dead groups                     what went wrong, by error, most frequent first
  lps dead show 5f8d6c0e              one message: its error, every try, what was done to it
  (mend the cause)
  lps dead replay --group 1c70b6a1 --dry-run
  lps dead replay --group 1c70b6a1    queued again, a second apart; their searches go on
  lps dead discard 5f8d6c0e --reason "shop is closed"

A replayed stage takes its search up again, as if it had not failed, and keeps the record of its earlier tries.
Where the same product is being searched again, or the search was cancelled, it is refused, and says so. Saying
it twice changes nothing. Dead letters are kept [queue] dead_days (90).
"""


@click.group(help=_HELP)
def dead() -> None:
    """Stages that failed for good."""


def _chosen(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what says which messages are meant; the command gets `which` and `most`."""

    @functools.wraps(command)
    def choose(
        *, ids: Sequence[str], group: str | None, queue: str | None, everything: bool, most: int, **rest: Any
    ) -> Any:
        if not (ids or group or queue or everything):
            raise click.UsageError("which ones? give ids, --group, --queue or --all")
        if everything and (ids or group or queue):
            raise click.UsageError("--all excludes ids, --group and --queue")
        try:
            which = operate.Which(ids=list(ids) or None, group=group, queue=queue)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        return command(which=which, most=most, **rest)

    for option in (
        click.option("--cap", "most", type=click.IntRange(1, 1000), default=operate.CAP, show_default=True,
                     help="Messages at most; say it again for the rest."),
        click.option("--all", "everything", is_flag=True, help="Every dead message."),
        click.option("-q", "--queue", metavar="NAME", help="Those of one queue."),
        click.option("-g", "--group", metavar="KEY", help="Those of one group of `lps dead groups`."),
        click.argument("ids", nargs=-1, metavar="[ID]..."),
    ):  # fmt: skip
        choose = option(choose)
    return choose


@dead.command("list")
@click.option("-q", "--queue", metavar="NAME", help="Only this queue.")
@click.option("-g", "--group", metavar="KEY", help="Only this group of `lps dead groups`.")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="Lines at most.")
@operated
def list_(*, queue: str | None, group: str | None, limit: int, who: str) -> int:
    """The latest dead messages, one a line."""
    del who
    letters = operate.dead_letters(operate.Which(queue=queue, group=group), limit=limit)
    table(
        ("id", "died", "stage", "tries", "job", "error"),
        [
            (m.message_id[:8], letter.died_at, m.actor or "?", m.attempts, m.job_id, f"{m.error_type}: {m.error}"[:200])
            for letter in letters
            for m in [letter.message]
        ],
    )
    return 0


@dead.command()
@operated
def groups(*, who: str) -> int:
    """What went wrong, by queue and error, the most frequent first; numbers and ids in the text do not matter."""
    del who
    table(
        ("group", "queue", "count", "first", "last", "error"),
        [(g.key, g.queue, g.count, g.first, g.last, (g.error or "")[:200]) for g in operate.dead_groups()],
    )
    return 0


@dead.command()
@click.argument("id_", metavar="ID")
@operated
def show(*, id_: str, who: str) -> int:
    """One dead message: its error, every try (earlier lives too), and what people did to it.

    ID is the message's id or the beginning of it.
    """
    del who
    letter, tries, notes = operate.dead_letter(id_)
    message = letter.message
    rows = [
        ("message", message.message_id),
        ("stage", message.actor or "cannot be read"),
        ("queue", message.queue),
        ("arguments", ", ".join(map(str, message.args))),
        ("enqueued", letter.enqueued_at),
        ("died", letter.died_at),
        ("error", f"{message.error_type}: {message.error}"),
    ]
    table(("", ""), rows)
    print()
    table(
        ("try", "began", "took", "worker", "outcome", "error"),
        [
            (
                t.number,
                t.started_at,
                f"{(t.ended_at - t.started_at).total_seconds():.1f} s",
                t.worker,
                t.outcome,
                t.error,
            )
            for t in tries
        ],
    )
    if notes:
        print()
        table(("at", "who", "did", ""), [(n.at, n.who, n.action, n.detail) for n in notes])
    return 0


@dead.command()
@_chosen
@click.option("--stagger", type=click.FloatRange(0, 3600), default=1, show_default=True, help="Seconds between two.")
@click.option("--dry-run", is_flag=True, help="Only say which.")
@operated
def replay(*, which: operate.Which, most: int, stagger: float, dry_run: bool, who: str) -> int:
    """Queue dead messages again with all their tries, the oldest first; their searches go on.

    ID is a message's id, the beginning of it, or a job's id. Exit status 1 when one was refused.
    """
    change = operate.replay(which, who=who, dry_run=dry_run, cap=most, stagger_s=stagger)
    return _report(change, "replay", dry_run)


@dead.command()
@_chosen
@click.option("--reason", required=True, help="Why; it stays on record.")
@click.option("--dry-run", is_flag=True, help="Only say which.")
@operated
def discard(*, which: operate.Which, most: int, reason: str, dry_run: bool, who: str) -> int:
    """Give dead messages up for good. Their tries stay on record, their searches stay as they are.

    ID is a message's id, the beginning of it, or a job's id. Exit status 1 when one was refused.
    """
    return _report(operate.discard(which, who=who, reason=reason, dry_run=dry_run, cap=most), "discard", dry_run)


def _report(change: Change, verb: str, dry_run: bool) -> int:
    if dry_run:
        for letter in change.letters:
            message = letter.message
            print(f"would {verb} {message.message_id} {message.actor} {message.job_id or ''}".rstrip())
    for message_id, why in change.outcomes.refused.items():
        print(f"refused {message_id}: {why}")
    done = len(change.letters) if dry_run else len(change.outcomes.changed)
    word = {"replay": "replayed", "discard": "discarded"}[verb]
    rest = change.matching - len(change.letters)
    more = f"; {rest} more: say it again, or raise --cap" if rest > 0 else ""
    print(f"{'would be ' if dry_run else ''}{word}: {done} of {change.matching}{more}")
    return 1 if change.outcomes.refused else 0
