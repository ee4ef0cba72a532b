"""Word lists of Korean retail, kept as text beside this file: units, hard facts, kinds of goods. No product names.

A list opens with `[its name]`; a line that begins with # is a comment; words are separated by blanks.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_HERE = Path(__file__).parent


@lru_cache(maxsize=8)
def _sections(file: str) -> dict[str, list[tuple[str, ...]]]:
    out: dict[str, list[tuple[str, ...]]] = {}
    lines: list[tuple[str, ...]] = []
    for line in (_HERE / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            lines = out.setdefault(line[1:-1], [])
        elif line.strip() and not line.startswith("#"):
            lines.append(tuple(line.split()))
    return out


def groups(file: str, name: str) -> list[tuple[str, ...]]:
    """The lines of one list, each as its words; KeyError for a list that is not there."""
    return _sections(file)[name]


def words(file: str, name: str) -> tuple[str, ...]:
    """All words of one list."""
    return tuple(word for line in groups(file, name) for word in line)
