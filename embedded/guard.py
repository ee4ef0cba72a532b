"""The guard: PostgreSQL's parent, which stops it when nobody uses the cluster any more.

Runs as a program of the standard library alone: `guard.py USERS_FILE UID GID COMMAND…`. Whoever uses the cluster holds
USERS_FILE shared; the kernel lets go of it even for a process that was killed, and then the guard gets it.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import threading
from typing import Any

_PR_SET_PDEATHSIG = 1
_STOP_S = 20.0


def main(users: str, uid: int, gid: int, command: list[str]) -> int:
    """Run PostgreSQL until it ends or nobody uses it; gives its exit status."""
    prctl = ctypes.CDLL(None).prctl
    account: dict[str, Any] = {} if uid < 0 else {"user": uid, "group": gid, "extra_groups": []}
    server = subprocess.Popen(
        command,
        cwd="/",
        umask=0o077,
        # PostgreSQL shuts down if the guard itself is killed; set after the user changed, which would clear it.
        preexec_fn=lambda: prctl(_PR_SET_PDEATHSIG, int(signal.SIGINT), 0, 0, 0),  # noqa: PLW1509 - no threads yet
        **account,
    )
    signal.signal(signal.SIGTERM, lambda *_: server.send_signal(signal.SIGINT))
    threading.Thread(target=_when_unused, args=(users, server), daemon=True).start()
    return server.wait()


def _when_unused(users: str, server: subprocess.Popen[bytes]) -> None:
    fcntl.flock(os.open(users, os.O_RDWR), fcntl.LOCK_EX)  # Kept until this process ends: newcomers wait for that.
    server.send_signal(signal.SIGINT)
    try:
        server.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        server.send_signal(signal.SIGQUIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
