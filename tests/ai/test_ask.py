"""What a call costs is what the server says, within what it can cost."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import config
from ai.ask_alone import Alone
from ai.cache import pair
from ai.client import Reply
from model import Product
from ruling import Usage

if TYPE_CHECKING:
    from ai.prompt import Prompt


class _Liar:
    """Answers nonsense and bills as it likes."""

    def __init__(self, usage: Usage | None) -> None:
        self._usage = usage

    def ask(self, prompt: Prompt, timeout_s: float) -> Reply:
        """One call."""
        assert prompt.titles
        assert timeout_s > 0
        return Reply("{}", self._usage)


@pytest.mark.parametrize("usage", [None, Usage(input_tokens=9_000_000, output_tokens=9_000_000)])
def test_a_bill_beyond_the_worst_case_breaks_no_cap(usage: Usage | None) -> None:
    """What was set aside stands; a bill below it is taken as it is."""
    settings = config.load(env={"OPENAI_API_KEY": "sk"}).ai
    asked = [pair(Product(code="", name="물 2L", specification="6개"), "물 2L 6개", model=settings.model)]
    told = {}
    for name, said in (("doubtful", usage), ("plain", Usage(input_tokens=100, output_tokens=10))):
        counsel = Alone(settings, _Liar(said))
        assert "ai_invalid" == counsel.rule(asked).why
        told[name] = counsel.spent_usd
    assert Decimal("0.000021") == told["plain"]
    assert told["plain"] < told["doubtful"] < Decimal("0.01")
