"""Reads a Dockerfile as far as ours needs it, and says what a build context holds."""

from __future__ import annotations

import fnmatch
import re
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Stage:
    """One FROM with its steps."""

    name: str
    parent: str
    steps: list[tuple[str, str]] = field(default_factory=list)


def stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile in order; continued lines are one step."""
    found: list[Stage] = []
    joined = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    for line in filter(None, map(str.strip, joined.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            parent, _, name = rest.partition(" AS ")
            found.append(Stage(name or "last", parent))
        else:
            found[-1].steps.append((word, rest.strip()))
    return found


def context(root: Path) -> list[Path]:
    """What `COPY . …` copies: the files that .dockerignore lets through, relative to the root."""
    rules = [line.strip() for line in (root / ".dockerignore").read_text(encoding="utf-8").splitlines()]
    rules = [rule for rule in rules if rule and not rule.startswith("#")]
    found = []
    for path in sorted(root.rglob("*")):
        short = path.relative_to(root)
        if not path.is_file() or short.parts[0].startswith(".") or short.parts[0] == "build":
            continue
        ignored = False
        for rule in rules:
            if _matches(short, rule.removeprefix("!")):
                ignored = not rule.startswith("!")
        if not ignored:
            found.append(short)
    return found


def _matches(path: Path, rule: str) -> bool:
    parents = ["/".join(path.parts[: n + 1]) for n in range(len(path.parts))]
    if rule.startswith("**/"):
        return any(fnmatch.fnmatchcase(part, rule[3:]) for part in path.parts)
    # A rule without a slash that has a star stands for names at the top alone.
    return any(fnmatch.fnmatchcase(parent, rule) and parent.count("/") == rule.count("/") for parent in parents)


def copied(rest: str, root: Path, folder: Path, made: dict[str, Path]) -> None:
    """Carry a COPY out."""
    words = rest.split()
    source_root, names = root, words
    if words[0].startswith("--from="):
        source_root, names = made[words[0].removeprefix("--from=")], words[1:]
    source, target = names[0], folder / names[1].lstrip("/")
    if source == ".":
        for short in context(source_root):
            (target / short).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source_root / short, target / short)
        return
    found = source_root / source.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if found.is_dir():
        shutil.copytree(found, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy(found, target)
