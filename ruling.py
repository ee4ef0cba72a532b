"""The nouns of a verdict that is paid for, remembered, or a person's: between ai, store and tasks."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model import DecidedBy, Reason, Same


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What a model's answer was billed by, tokens."""

    input_tokens: int = 0
    """All of the question, the cached part included."""
    cached_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Ruling:
    """A verdict on a pair of request and title that holds wherever the title turns up."""

    verdict: Same
    reason: Reason
    confidence: float
    source: DecidedBy
    version: str = ""
    cost_usd: Decimal = Decimal(0)
    who: str = ""
    why: str = ""
