"""`lps proxies`: the proxy's ports, who holds them, how far they are used up, what is held against them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.operator import operated, table

if TYPE_CHECKING:
    from store.proxies import PortRow


@click.group(invoke_without_command=True)
@click.pass_context
def proxies(ctx: click.Context) -> int | None:
    """The proxy's ports: `lps proxies` lists them, `lps proxies reset PORT` forgets what is held against one."""
    return ctx.invoke(show) if ctx.invoked_subcommand is None else None


@proxies.command(name="list")
@operated
def show(*, who: str) -> int:
    """Each port: state, holder, pages of its address, rests by mall ("*": the port itself), address, errors."""
    del who
    from tasks import operate  # noqa: PLC0415 - reads the settings as it is loaded

    found = operate.proxy_ports()
    if not found:
        print("no proxy port: [proxy] names none, or no worker has started with it yet")
        return 0
    columns = ("port", "state", "holder", "pages", "address no.", "rests", "last address", "last used", "errors", "")
    table(columns, [_row(row) for row in found])
    return 0


@proxies.command()
@click.argument("port")
@operated
def reset(*, port: str, who: str) -> int:
    """Let PORT (or `all`) be leased again at once, as a new address."""
    from tasks import operate  # noqa: PLC0415 - as above

    if port != "all" and not port.isdecimal():
        raise click.UsageError("PORT is a number, or all")
    changed = operate.reset_proxies(0 if port == "all" else int(port), who=who)
    print(f"{changed} port{'s' if changed != 1 else ''} reset" if changed else f"there is no port {port}")
    return 0 if changed else 1


def _row(row: PortRow) -> tuple[object, ...]:
    holder = f"{row.lease_mall} on {row.lease_worker}" if row.leased else ""
    rests = ", ".join(f"{mall} {_minutes(left)}" for mall, left in sorted(row.cooldowns.items()))
    return (
        f"{row.host}:{row.port}",
        row.state,
        holder,
        row.uses,
        row.generation,
        rests,
        row.last_ip,
        row.last_used,
        row.errors,
        row.last_error,
    )


def _minutes(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{round(seconds / 60)} min"
