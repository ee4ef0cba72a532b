"""A web process stays small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("selenium", "undetected_chromedriver", "openai")


@pytest.mark.parametrize("start", ["import web", "import web; web.create_app()"])
def test_it_loads_neither_a_browser_nor_the_ai(start: str) -> None:
    """Not at import, and not when gunicorn makes the application."""
    code = f"{start}\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={}, capture_output=True, text=True, check=False)
    assert (0, "[]") == (ran.returncode, ran.stdout.strip()), ran.stderr
