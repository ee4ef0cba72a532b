"""`python -m cli`, which is `./lps`: runs one command and turns what went wrong into one line and an exit status."""

from __future__ import annotations

import os
import sys

import click

from cli import lps
from errors import LpsError


def main(argv: list[str] | None = None) -> int:
    """Run a command; 0 done or found, 1 error, 2 usage, 3 not found, 130 stopped by Ctrl-C."""
    try:
        status = lps.main(args=argv, prog_name="lps", standalone_mode=False)
        # Now, while it can still be caught that the reader has gone.
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except LpsError as error:
        print(f"lps: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not complain about it once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status if isinstance(status, int) else 0


if __name__ == "__main__":
    sys.exit(main())
