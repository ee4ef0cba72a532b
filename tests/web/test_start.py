"""gunicorn by hand: on a database of another schema it ends with one line, and does not try for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import fresh_database

if TYPE_CHECKING:
    from tests.conftest import Database

ROOT = Path(__file__).parent.parent.parent


def start(url: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Gunicorn as the README starts it, on a free port."""
    program = [
        sys.executable,
        "-m",
        "gunicorn",
        "web:create_app()",
        "--worker-class",
        "gthread",
        "--bind",
        "127.0.0.1:0",
    ]
    env = {"LPS_SANDBOX__ON": "true", "LPS_DATABASE__URL": url, "LPS_DATABASE__NAME": url.rsplit("/", 1)[1]}
    return subprocess.run(
        [*program, "--bind", "127.0.0.1:0", "--no-control-socket", *more],
        cwd=ROOT,
        env=env | {"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_refuses_an_old_schema(server_url: str) -> None:
    """What to do stands in one line of ours."""
    with fresh_database(server_url, f"lps_web_old_{os.getpid()}") as url:
        ended = start(url)
    assert 0 != ended.returncode
    assert "lps web: the database has no LPS schema yet: run `lps migrate`" in ended.stderr
    assert 1 == ended.stderr.count("lps web:")


def test_it_starts_on_the_right_one(database: Database) -> None:
    """The check lets a database that fits pass."""
    assert 0 == start(database.url, "--check-config").returncode
