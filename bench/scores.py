"""Labelled cases beside the repository, and scores of a two-class decision with their interval."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parent.parent.parent / "shared" / "cases"
HARD = frozenset(("count", "size", "condition", "origin", "accessory", "refill", "bundle"))


@dataclass
class Score:
    """Counts of a two-class decision: same or not."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0
    right: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    hard: int = 0
    """Offers accepted against a hard fact."""

    def add(self, *, said: bool, label: bool, reason: str) -> None:
        """Count one pair under its reason class."""
        self.tp, self.fp = self.tp + (said and label), self.fp + (said and not label)
        self.fn, self.tn = self.fn + (not said and label), self.tn + (not said and not label)
        self.seen[reason] += 1
        self.right[reason] += said == label
        self.hard += said and not label and reason in HARD

    @property
    def precision(self) -> float:
        """Share of what was called same that is."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 1.0

    @property
    def recall(self) -> float:
        """Share of the same offers that were called so."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def __str__(self) -> str:
        return (
            f"P {self.precision:.3f}  R {self.recall:.3f}  F1 {self.f1:.3f}  (tp {self.tp} fp {self.fp} fn {self.fn})"
        )


def rows(name: str) -> list[dict[str, Any]]:
    """A file of JSON lines from the cases; FileNotFoundError where they are absent."""
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def interval(score: Score, times: int = 1000) -> tuple[float, float]:
    """Bootstrap 95 % interval of F1, seeded."""
    draw = random.Random(7)  # noqa: S311  a reproducible resampling, no secret
    kinds, weights = ("tp", "fp", "fn", "tn"), (score.tp, score.fp, score.fn, score.tn)
    found = []
    for _ in range(times):
        drawn = Counter(draw.choices(kinds, weights, k=sum(weights)))
        found.append(Score(drawn["tp"], drawn["fp"], drawn["fn"], drawn["tn"]).f1)
    found.sort()
    return found[int(times * 0.025)], found[int(times * 0.975)]
