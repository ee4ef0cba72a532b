"""`lps test`: the tests, in the environment of the dev lock that the launcher has made."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import click

from cli import machine, place

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def test(arguments: Sequence[str]) -> int:
    """Run pytest with ARGUMENTS; its exit status is ours."""
    lacking = machine.prepare()
    if lacking:
        # Most tests need no browser; those that do will fail and say so.
        print(f"lps: {lacking}", file=sys.stderr, flush=True)
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=place.ROOT, check=False).returncode
