"""`lps support-bundle`: what somebody who helps needs to see, without a secret in it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
import platform
import zipfile
from typing import TYPE_CHECKING, Any

import click

from cli.doctor import LOOKS
from cli.operator import operated
from config import secrets
from config.version import VERSION
from errors import LpsError
from store import alerts, ops, sizes

if TYPE_CHECKING:
    from collections.abc import Callable

    from store.pool import Cursor


@click.command("support-bundle")
@click.argument("file", type=click.Path(dir_okay=False, path_type=pathlib.Path))
@operated
def support_bundle(*, file: pathlib.Path, who: str) -> int:
    """Write FILE.zip for whoever helps: the machine, settings, numbers, dead letters and alerts, secrets hidden.

    Product names of failed searches are in it; offers and kept pages are not.
    """
    del who
    from tasks.runtime import runtime  # noqa: PLC0415 - reads the settings as it is loaded

    known = secrets.known(runtime.settings)
    partial = file.with_name(file.name + ".partial")
    try:
        partial.touch(mode=0o600)
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as out:
            for name, read in _parts().items():
                out.writestr(name, secrets.hidden(_text(read), known))
        partial.replace(file)
    except OSError as error:
        raise LpsError(f"{file}: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
    print(f"{file}: {file.stat().st_size:,} bytes; look into it before you send it")
    return 0


def _parts() -> dict[str, Callable[[], Any]]:
    from tasks import alerting, operate  # noqa: PLC0415 - as above
    from tasks.runtime import runtime  # noqa: PLC0415 - as above

    settings = runtime.settings

    def asked(read: Callable[[Cursor], Any]) -> Callable[[], Any]:
        def run() -> Any:
            with runtime.pool.transaction() as cur:
                return read(cur)

        return run

    lease_s, stuck_s = settings.queue.lease_s, settings.worker.stuck_s
    return {
        "version.json": lambda: {"lps": VERSION, "python": platform.python_version(), "system": platform.platform()},
        "doctor.txt": _doctor,
        "settings.txt": lambda: "\n".join(f"{key} = {value}  ({source})" for key, value, source in settings.explain()),
        "ops.json": asked(lambda cur: ops.snapshot(cur, lease_s=lease_s, stuck_s=stuck_s)),
        "sizes.json": asked(sizes.sizes),
        "queues.json": operate.queue_stats,
        "dead.json": operate.dead_groups,
        "alerts.json": alerting.board,
        "alert-history.json": asked(alerts.history),
        "alert-deliveries.json": asked(alerts.deliveries),
    }


def _doctor() -> str:
    lines = []
    for name, look in LOOKS.items():
        try:
            lines.append(f"ok   {name} {look()}")
        except LpsError as error:
            lines.append(f"BAD  {name} {error}")
    return "\n".join(lines)


def _text(read: Callable[[], Any]) -> str:
    """One part; one that cannot be had says why, and the others are there."""
    try:
        found = read()
    except LpsError as error:
        return f"not to be had: {error}"
    if isinstance(found, str):
        return found
    return json.dumps(_plain(found), ensure_ascii=False, indent=1, default=str)


def _plain(found: Any) -> Any:
    if isinstance(found, list):
        return [_plain(one) for one in found]
    with contextlib.suppress(TypeError):
        return dataclasses.asdict(found)
    return found
