"""A folder of its own for every test of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import config
from errors import BadConfig

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Place:
    """An operator's folder and what the operator says there."""

    root: Path

    def write(self, text: str, name: str = "config.local.toml") -> Path:
        """Put a file there."""
        file = self.root / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def load(self, text: str | None = None, **env: str) -> config.Settings:
        """The settings with this local file and this environment."""
        if text is not None:
            self.write(text)
        return config.load(env=env, root=self.root)

    def mistakes(self, text: str | None = None, **env: str) -> list[str]:
        """The lines of the refusal."""
        with pytest.raises(BadConfig) as caught:
            self.load(text, **env)
        return str(caught.value).splitlines()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty operator's folder."""
    return Place(tmp_path)
