"""The private, patched copy of chromedriver."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser


def test_several_processes_share_one_driver_from_the_first_moment(tmp_path: Path) -> None:
    """Four at once on an empty cache: one patches, nobody meets a busy file."""
    code = (
        "import sys; from pathlib import Path; from crawl import browser_driver as d\n"
        "s = d.found('', ('chromedriver',), 'driver'); p = d.patched(s, Path(sys.argv[1]))\n"
        "import hashlib, subprocess; subprocess.run([p, '--version'], check=True, stdout=subprocess.DEVNULL)\n"
        "print(hashlib.md5(p.read_bytes()).hexdigest())\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "cache")]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = [process.communicate(timeout=60)[0].strip() for process in running]
    assert [0] * 4 == [process.returncode for process in running]
    assert 1 == len(set(answers))
