"""Loads named statements from a .sql file beside its Python file.

A statement opens with `-- name: claim`, then one comment line that says what it does, then the SQL.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


@cache
def load(path: Path) -> dict[str, str]:
    """Statements of one file by name.

    Raises:
        ValueError: a name stands twice, or text stands before the first name.
    """
    head, *parts = _NAME.split(path.read_text(encoding="utf-8"))
    if any(line and not line.startswith("--") for line in head.splitlines()):
        raise ValueError(f"{path.name}: SQL before the first '-- name:'")
    statements: dict[str, str] = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        if name in statements:
            raise ValueError(f"{path.name}: statement {name} stands twice")
        statements[name] = text.strip()
    return statements


def beside(python_file: str) -> dict[str, str]:
    """The statements of the .sql file that lies beside a Python file; called with `__file__`."""
    return load(Path(python_file).with_suffix(".sql"))
