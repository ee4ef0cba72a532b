"""Tokens → USD, and what a call can cost at most."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from typing import TYPE_CHECKING

from errors import BadConfig

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from config.kinds import ModelPrice
    from ruling import Usage

_MILLION = Decimal(1_000_000)
_CENTS = Decimal("0.00000001")
_DATED = re.compile(r"-\d{4}-\d\d-\d\d$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Tariff:
    """What one model costs, USD per million tokens."""

    model: str
    input_usd: Decimal
    cached_usd: Decimal
    output_usd: Decimal


def tariff(prices: Iterable[ModelPrice], model: str, on: date) -> Tariff:
    """The row in force on a day; a model's dated name ("…-2024-07-18") costs what its plain name costs.

    Raises:
        BadConfig: the table does not know the model.
    """
    names = (model, _DATED.sub("", model))
    rows = [row for row in prices if row.model in names and row.since <= on]
    if not rows:
        raise BadConfig(f"[ai] prices has no row for {model} that holds on {on}: add one, an unknown price is not 0")
    row = max(rows, key=lambda row: (row.since, row.model == model))
    return Tariff(model=model, input_usd=row.input_usd, cached_usd=row.cached_usd, output_usd=row.output_usd)


def cost(usage: Usage, tariff: Tariff) -> Decimal:
    """USD of one answer, rounded up to 8 places; `input_tokens` includes the cached ones."""
    fresh = usage.input_tokens - usage.cached_tokens
    usd = fresh * tariff.input_usd + usage.cached_tokens * tariff.cached_usd + usage.output_tokens * tariff.output_usd
    return (usd / _MILLION).quantize(_CENTS, ROUND_UP)


def worst(prompt: str, max_output_tokens: int, tariff: Tariff) -> Decimal:
    """USD that a call cannot exceed: a token is at least one byte, and the answer has a limit."""
    size = len(prompt.encode("utf-8", "replace")) + 64
    usd = size * tariff.input_usd + max_output_tokens * tariff.output_usd
    return (usd / _MILLION).quantize(_CENTS, ROUND_UP)
