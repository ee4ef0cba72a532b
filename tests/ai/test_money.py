"""Tokens → USD."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

import config
from ai.money import cost, tariff, worst
from ai.prompt import build
from config.kinds import ModelPrice
from errors import BadConfig
from ruling import Usage

PRICES = config.load(env={"LPS_SANDBOX__ON": "true"}).ai.prices
TODAY = date(2026, 1, 1)


def test_cached_tokens_are_part_of_the_input_and_cheaper() -> None:
    """1,000 tokens in, 400 of them cached, 100 out, at gpt-4o-mini's price."""
    usage = Usage(input_tokens=1000, cached_tokens=400, output_tokens=100)
    assert Decimal("0.00018") == cost(usage, tariff(PRICES, "gpt-4o-mini", TODAY))


def test_a_dated_name_costs_what_its_plain_name_costs() -> None:
    """Providers answer to both."""
    assert tariff(PRICES, "gpt-4o-mini-2024-07-18", TODAY).output_usd == Decimal("0.6")


def test_a_new_price_holds_from_its_day_on() -> None:
    """The last row that has begun."""
    later = ModelPrice(
        model="gpt-4o-mini",
        since=date(2026, 1, 2),
        input_usd=Decimal(1),
        cached_usd=Decimal(1),
        output_usd=Decimal(1),
    )
    assert Decimal("0.15") == tariff([*PRICES, later], "gpt-4o-mini", TODAY).input_usd
    assert Decimal(1) == tariff([later, *PRICES], "gpt-4o-mini", date(2026, 1, 2)).input_usd


def test_an_unknown_model_is_refused_at_the_start() -> None:
    """An unknown price is not 0."""
    with pytest.raises(BadConfig, match="has no price: add a row"):
        config.load(env={"LPS_AI__MODEL": "gpt-9"})
    with pytest.raises(BadConfig, match="no row for gpt-9"):
        tariff(PRICES, "gpt-9", TODAY)


def test_the_worst_case_bounds_every_answer() -> None:
    """A byte of the prompt is at least a token, and the answer has its limit."""
    prompt = build("물 2L", ["물 2L 6개"] * 40, "s")
    most = Usage(input_tokens=len((prompt.system + prompt.user).encode()), output_tokens=prompt.max_tokens)
    row = tariff(PRICES, "gpt-4o-mini", TODAY)
    assert cost(most, row) <= worst(prompt.system + prompt.user, prompt.max_tokens, row) < Decimal("0.003")
