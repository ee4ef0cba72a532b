"""The soak, short and in a process of its own: `make soak` is the long one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.chaos]


def test_nothing_is_left_after_accidents() -> None:
    """Eight starts and stops, forty pages with a fault in every third: nothing left over, nothing read wrong."""
    command = [
        sys.executable,
        "-m",
        "tests.soak.run",
        "--cycles",
        "8",
        "--pages",
        "40",
        "--faults",
        "0.33",
        "--seed",
        "7",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert 0 == done.returncode, done.stdout + done.stderr
    found = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    assert 0 == found["wrong"]
    assert 10 < found["outcomes"]["ok"] < sum(found["outcomes"].values())
