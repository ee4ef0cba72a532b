"""`lps mall`: which malls are asked."""

from __future__ import annotations

import click

from cli.operator import operated, table
from model import MALLS
from tasks import operate

NAME = click.Choice(MALLS)


@click.group()
def mall() -> None:
    """Hold a mall back, or let it go on.

    While a mall is paused, on every machine and across restarts, new searches leave it out and their result says so
    (source outcome `paused`); searches that wait for it already go on without it at their deadline.
    """


@mall.command()
@operated
def status(*, who: str) -> int:
    """Each mall: asked, paused (by whom, why, since when) or disabled (by which setting), its limits.

    A mall whose pages changed says what changed, held back or not.
    """
    del who
    from tasks.canary import changed  # noqa: PLC0415 - as above
    from tasks.runtime import runtime  # noqa: PLC0415 - reads the settings as it is loaded

    drifting = changed()
    signs = {name: "; ".join(one.text for one in drifting if one.mall == name) for name in MALLS}
    held = {pause.name: pause for pause in operate.paused()}
    rows = []
    for name in MALLS:
        block, pause = runtime.settings.mall(name), held.get(name)
        why = block.why_disabled or (f"by {pause.who}: {pause.reason}" if pause else signs[name])
        state = "disabled" if block.why_disabled else "paused" if pause else "asked"
        rows.append((name, state, pause and pause.since, block.max_at_once or "-", f"{block.gap_s:g} s", why))
    table(("mall", "state", "since", "at once", "gap", ""), rows)
    return 0


@mall.command()
@click.argument("name", type=NAME)
@click.option("--reason", required=True, help="Why; results and pages show it.")
@operated
def pause(*, name: str, reason: str, who: str) -> int:
    """Hold mall NAME back; what is being read goes on."""
    operate.pause(name, who=who, reason=reason)
    print(f"{name}: paused")
    return 0


@mall.command()
@click.argument("name", type=NAME)
@operated
def resume(*, name: str, who: str) -> int:
    """Ask mall NAME again."""
    print(f"{name}: {'is asked again' if operate.resume(name, who=who) else 'was not paused'}")
    return 0
