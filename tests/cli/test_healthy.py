"""`python -m cli.healthy`: what a container's HEALTHCHECK asks."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Checkout


def asked(checkout: Checkout, what: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The health of what runs here."""
    command = [sys.executable, "-m", "cli.healthy", what]
    return subprocess.run(
        command, cwd=checkout.folder, env=checkout.env | env, capture_output=True, text=True, check=False
    )


def test_a_worker_is_healthy_while_its_heartbeat_is_young(checkout: Checkout, tmp_path: Path) -> None:
    """Absent, fresh, two minutes old."""
    beat = tmp_path / "beat"
    env = {"LPS_WORKER__HEARTBEAT_FILE": str(beat)}
    assert 1 == asked(checkout, "worker", **env).returncode
    beat.touch()
    assert 0 == asked(checkout, "worker", **env).returncode
    os.utime(beat, (time.time() - 125,) * 2)
    stale = asked(checkout, "worker", **env)
    assert (1, True) == (stale.returncode, " s old" in stale.stderr)


def test_a_web_process_that_does_not_answer_is_not_healthy(checkout: Checkout) -> None:
    """With the reason."""
    done = asked(checkout, "web")
    assert (1, True) == (done.returncode, done.stderr.startswith("unhealthy: /healthz"))
