"""docs/known-failures.md names tests that exist, and leaves no number out."""

from __future__ import annotations

import re

from tests.conftest import ROOT

TEXT = (ROOT / "docs/known-failures.md").read_text(encoding="utf-8")


def test_every_named_test_exists() -> None:
    """A failure that is said to be tried is tried."""
    named = re.findall(r"([\w/]+/test_\w+\.py)(?:::(\w+))?", TEXT)
    assert len(named) > 50
    for file, name in named:
        path = ROOT / "tests" / file
        assert path.is_file(), file
        assert f"def {name}" in path.read_text(encoding="utf-8"), f"{file}::{name}"


def test_no_failure_is_left_out() -> None:
    """28 of the packages, 24 of other queues' users."""
    numbers = [int(number) for number in re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE)]
    assert [*range(1, 29), *range(1, 25)] == numbers
