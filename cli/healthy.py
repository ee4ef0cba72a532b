"""`python -m cli.healthy web|worker`: exit 0 while a container works; loads nothing of LPS but its settings.

A worker is healthy while its heartbeat file is younger than 120 s: every worker process of the machine touches it only
while it makes progress.
"""

from __future__ import annotations

import sys
import time
import urllib.request
from pathlib import Path

import config

STALE_S = 120


def web() -> str:
    """Why the web process is not healthy; empty when it is."""
    settings = config.load()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{settings.web.port}/healthz", timeout=4) as answer:
            return "" if answer.status == 200 else f"/healthz answered {answer.status}"
    except OSError as error:
        return f"/healthz: {error}"


def worker() -> str:
    """Why the worker is not healthy; empty when it is."""
    file = Path(config.load().worker.heartbeat_file)
    try:
        age_s = time.time() - file.stat().st_mtime
    except OSError:
        return f"no heartbeat yet in {file}"
    return f"the last heartbeat is {age_s:.0f} s old" if age_s > STALE_S else ""


if __name__ == "__main__":
    why = {"web": web, "worker": worker}[sys.argv[1]]()
    if why:
        sys.stderr.write(f"unhealthy: {why}\n")
    sys.exit(1 if why else 0)
