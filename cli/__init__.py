"""The commands: a file a group, each a few lines that call what web and tasks call too.

A file is imported when its command is asked for, so that `lps --help` answers at once. The command `name` is the click
command of that name in `cli/<file>.py`; it returns its exit status (0 done or found, 1 error, 2 usage, 3 not found).
"""

from __future__ import annotations

import difflib
import importlib
from typing import cast

import click

COMMANDS = {
    "up": ("up", "Start everything, run one search, and stay: web, workers, clock, sandbox market, database."),
    "search": ("search", "Search one product and print the lowest price that is certain."),
    "load": ("load", "Submit many products to a running LPS; throughput, p50, p95, cost."),
    "test": ("test", "Run the tests; what follows goes to pytest."),
    "config": ("config", "Check the settings, or show each with where it came from."),
    "doctor": ("doctor", "Look at the machine: browser, display, fonts, ports, database, settings."),
    "migrate": ("db", "Bring the database to this version's schema."),
    "psql": ("db", "Open psql on the database."),
    "backup": ("backup", "Write all rows of the database to a file."),
    "restore": ("backup", "Fill an empty database with what a backup holds."),
    "support-bundle": ("support", "Write a file for whoever helps, without a secret in it."),
    "ops": ("db", "Print the operators' numbers as JSON."),
    "jobs": ("jobs", "Cancel searches."),
    "dead": ("dead", "Stages that failed for good: look, replay, discard."),
    "queue": ("queue", "The queues: numbers, pause, resume, purge, flush, recover."),
    "mall": ("mall", "Hold a mall back, or let it go on."),
    "proxies": ("proxies", "The proxy's ports: who holds them, what is held against them."),
    "alerts": ("alerts", "Alert rules: what rings, what rang, silences, a test notice."),
    "worker": ("worker", "Run workers by themselves; list or drain them."),
    "scheduler": ("serve", "Run the clock by itself."),
    "web": ("serve", "Serve pages and API by themselves."),
    "account": ("account", "Who may sign in; a link that signs a person in once."),
    "key": ("key", "Keys of programs for the API: make, list, revoke."),
    "crawl": ("crawl", "Ask one mall once, as a search would, and say all there is to say."),
    "robots": ("robots", "What the malls' robots.txt say about the pages LPS asks for."),
    "replay": ("replay", "Read a search's kept pages with today's parsers: what would change."),
    "parse": ("parse", "Read a saved page of a mall as LPS reads it."),
    "match": ("match", "Judge titles against a product as LPS does."),
    "explain": ("explain", "Why a search was decided as it was: every offer, round and payment."),
    "correct": ("explain", "Say that an offer is, or is not, the product; export what people said."),
    "quantity": ("quantity", "Read size, count and total from titles."),
    "pairs": ("pairs", "Say of bare pairs of titles whether they are one product."),
}


class Commands(click.Group):
    """Finds a command by its name, imports its file then, and suggests the nearest name to a mistyped one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order a newcomer meets them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, with its file imported; None when there is none."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"cli.{COMMANDS[cmd_name][0]}")
        return cast("click.Command", getattr(module, cmd_name.replace("-", "_")))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name.

        Raises:
            UsageError: there is none; the text suggests the nearest.
        """
        if args[0] not in COMMANDS:
            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f"did you mean {near[0]}?" if near else "lps --help lists them"
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list without importing any command."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _say_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from config.version import VERSION  # noqa: PLC0415 - the settings' package takes longer than the help

        click.echo(f"lps {VERSION}")
        ctx.exit()


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_say_version, help="Which version."
)
def lps() -> None:
    """The true lowest price of a product across Korean online malls."""
