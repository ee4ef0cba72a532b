"""`lps pairs`: labels for bare pairs of titles, without database, queue or network."""

from __future__ import annotations

from typing import TextIO

import click

from ai import pairs as title_pairs
from cli.lines import FILE, Bad, Complaints, field, lines, say


@click.command()
@click.argument("file", type=FILE)
def pairs(file: TextIO) -> int:
    """Say of every pair {left, right} whether it is one product."""
    complaints = Complaints()
    rows = []
    for number, row in lines(file, complaints):
        try:
            rows.append((row, (field(row, "left", str), field(row, "right", str))))
        except Bad as bad:
            complaints.name(f"line {number}", bad)
    for (row, _), found in zip(rows, title_pairs.label([pair for _, pair in rows]), strict=True):
        kept = {key: row[key] for key in ("id", "pair_id", "left", "right") if key in row}
        verdict = {
            "verdict": found.verdict.value,
            "label": int(found.verdict.value == "same"),
            "reason": found.reason.value,
            "ask": found.ask,
        }
        say(kept | verdict | {"score": round(found.score, 3), "confidence": found.confidence, "source": "rule"})
    return complaints.status
