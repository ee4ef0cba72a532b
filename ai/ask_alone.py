"""A counsel without database: for `lps match --ai on` and for measuring. It remembers within this process alone."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from ai import ask, money

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ai.cache import Pair
    from config import AiConfig
    from ruling import Ruling


class Alone:
    """`ai.match_open.Counsel` of one thread; nobody has corrected anything, and no cap holds.

    Args:
        settings: [ai].
        model: who is asked; None where [ai] says that nobody is.
        seed: orders the titles of every call.
        thorough: ask about every open title, not only those that could win.
    """

    def __init__(
        self, settings: AiConfig, model: ask.Model | None, seed: str = "alone", *, thorough: bool = False
    ) -> None:
        self.thorough = thorough
        self._settings = settings
        self._asked = model
        self._seed = seed
        self.why_off = settings.why_off if model else settings.why_off or "no model"
        self.model = "" if self.why_off else settings.model
        self.calls: list[Decimal] = []
        """USD of every call so far, discarded ones included."""
        self._known: dict[str, Ruling] = {}

    def corrections(self, pairs: Sequence[Pair]) -> Mapping[str, Ruling]:
        """None."""
        del pairs
        return {}

    def rule(self, pairs: Sequence[Pair]) -> ask.Asked:
        """As in a search."""
        if self._asked is None:
            return ask.Asked({}, self.why_off)
        panel = ask.Panel(
            model=self._asked,
            memory=self,
            purse=self,
            tariff=money.tariff(self._settings.prices, self.model, datetime.now(UTC).date()),
            wait=threading.Event().wait,
            max_offers=self._settings.max_offers,
            max_calls=self._settings.max_calls,
        )
        return ask.rule(panel, pairs, seed=self._seed, until=time.monotonic() + self._settings.deadline_s)

    def take(self, pairs: Sequence[Pair]) -> tuple[Mapping[str, Ruling], AbstractSet[str]]:
        """Whatever is not known is ours to ask."""
        keys = [pair.key for pair in pairs]
        return {key: self._known[key] for key in keys if key in self._known}, set(keys) - self._known.keys()

    def keep(self, rulings: Mapping[str, Ruling]) -> None:
        """Remember."""
        self._known.update(rulings)

    def give_back(self, keys: Sequence[str]) -> None:
        """Nobody else waits for them."""

    def reserve(self, usd: Decimal, detail: Mapping[str, object]) -> str:
        """No cap holds; the place in `calls` is the receipt."""
        del detail
        self.calls.append(usd)
        return str(len(self.calls) - 1)

    def settle(self, receipt: str, usd: Decimal, detail: Mapping[str, object]) -> None:
        """What it cost in place of the worst case."""
        del detail
        self.calls[int(receipt)] = usd

    @property
    def spent_usd(self) -> Decimal:
        """Of all calls so far."""
        return sum(self.calls, Decimal(0))
