"""The worker processes of one machine know of each other's end: what a killed one held comes back at once.

A process is known by its machine (this boot of it, this namespace of pids), its pid and when that began: an id that is
never given twice. Where it cannot be looked at, on another machine, the lease decides.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from store.sql import beside

if TYPE_CHECKING:
    from uuid import UUID

    from store.pool import Cursor

SQL = beside(__file__)
_DEAD = ("Z", "X")

log = structlog.get_logger(__name__)


@cache
def machine() -> str:
    """This boot of this machine, and within it this namespace of pids."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot} {Path('/proc/self/ns/pid').readlink()}"


def began(pid: int) -> int | None:
    """When a process of this machine began, in clock ticks since the boot; None if there is none."""
    try:
        # The name before it may hold anything, brackets and blanks too.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in _DEAD else int(fields[19])


def bury(cur: Cursor, worker_id: UUID) -> list[str]:
    """Have what killed neighbours held be over now, and end their rows; gives their ids. The reaper does the rest."""
    cur.execute(SQL["neighbours"], {"machine": machine(), "worker_id": worker_id})
    gone = [found for found, pid, pid_began in cur.fetchall() if began(pid) != pid_began]
    if gone:
        cur.execute(SQL["give_up"], {"workers": gone})
        cur.execute(SQL["bury"], {"workers": gone})
        log.warning("workers were killed", workers=gone)
    return gone


def silent(cur: Cursor, silent_s: float) -> set[int]:
    """Pids of this machine's worker processes that live, but have not been heard of for so many seconds."""
    cur.execute(SQL["silent"], {"machine": machine(), "silent_s": silent_s})
    return {pid for pid, pid_began in cur.fetchall() if began(pid) == pid_began}
