"""A checkout of its own for commands: its state folder, its lock files and its embedded cluster are nobody else's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import embedded
from embedded.waiting import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent.parent
OUT = shutil.ignore_patterns(".*", "tests", "build", "__pycache__", "config.local.toml", "docs", "bench")


@dataclass(frozen=True)
class Checkout:
    """A copy of the program, run with the interpreter of the tests."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def command(self, *arguments: str) -> list[str]:
        """The argument vector of `lps ARGUMENTS`."""
        return [sys.executable, "-m", "cli", *arguments]

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """`lps ARGUMENTS` to its end."""
        return subprocess.run(
            self.command(*arguments), cwd=self.folder, env=self.env | env, capture_output=True, text=True, check=False
        )

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        """`lps ARGUMENTS`, still running; its stderr can be read."""
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(self.command(*arguments), cwd=self.folder, env=self.env | env, **streams)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """The checkout; what its commands made outside of it is removed."""
    folder = tmp_path_factory.mktemp("checkout") / "lps"
    shutil.copytree(ROOT, folder, ignore=OUT)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    yield Checkout(folder, env | {"LPS_WEB__PORT": str(free_port())})
    home = embedded.default_home(folder)
    if home.exists():
        embedded.remove(home)
