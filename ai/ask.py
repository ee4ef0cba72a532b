"""The open pairs of one match round → rulings: remembered ones first, then one call for the rest.

What it needs of the outside comes in: a memory that all workers share, a purse that is asked before money is spent, a
model. Order: take (remembered · ours to ask · asked by someone else right now) → one call for ours → wait for theirs.
Nothing here raises for want of an answer: the rules decide then, and `why` says so.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol

from ai import money, prompt
from ai.client import answer_limit
from errors import AiTruncated, OverBudget, Unasked
from model import Same
from ruling import Ruling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ai.cache import Pair
    from ai.client import Reply
    from ai.money import Tariff
    from ai.prompt import Prompt, Said
    from ruling import Usage

CONFIDENCE = {Same.SAME: 0.85, Same.DIFFERENT: 0.9, Same.UNSURE: 0.5}
"""How often such a verdict on an open pair is right: 28 of 33 and 191 of 211 recorded answers of gpt-4o-mini
(docs/matching.md). Open pairs are the hard ones: over all pairs it is right more often."""
LEAST_S = 0.5
"""With less time than this no call is begun."""
LOOK_S = 0.15
"""Between two looks at what another worker is asking."""


class Model(Protocol):
    """Who is asked: `ai.client.Client`, or what a test puts in its place."""

    def ask(self, prompt: Prompt, timeout_s: float) -> Reply:
        """One call. Raises errors.Unasked."""


class Memory(Protocol):
    """What all workers remember."""

    def take(self, pairs: Sequence[Pair]) -> tuple[Mapping[str, Ruling], AbstractSet[str]]:
        """Remembered rulings by key, and the keys that are ours to ask now; all others are being asked elsewhere."""

    def keep(self, rulings: Mapping[str, Ruling]) -> None:
        """Remember, for pairs that were ours to ask."""

    def give_back(self, keys: Sequence[str]) -> None:
        """These will not be asked by us after all."""


class Purse(Protocol):
    """Who pays."""

    def reserve(self, usd: Decimal, detail: Mapping[str, object]) -> str:
        """Set the worst case aside. Raises errors.OverBudget."""

    def settle(self, receipt: str, usd: Decimal, detail: Mapping[str, object]) -> None:
        """Say what it cost."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """Everything one process asks with."""

    model: Model
    memory: Memory
    purse: Purse
    tariff: Tariff
    wait: Callable[[float], object]
    """Passes so many seconds between two looks; may raise, to end the round."""
    max_offers: int
    max_calls: int


@dataclass(slots=True)
class Asked:
    """What became of the open pairs."""

    rulings: dict[str, Ruling]
    """By key."""
    why: str = ""
    """Why some have no ruling: the failure's kind, or "over_budget <scope>", "deadline", "too_many_offers"."""
    asked: int = 0
    """Pairs a model was asked about by us."""
    cached: int = 0
    calls: int = 0


def rule(panel: Panel, pairs: Sequence[Pair], *, seed: str, until: float) -> Asked:
    """Rule on these pairs, the most wanted first, before `until` (`time.monotonic()` seconds)."""
    told = Asked({})
    waiting = {pair.key: pair for pair in pairs}
    while waiting:
        known, ours = panel.memory.take(list(waiting.values()))
        told.cached += len(known)
        told.rulings.update({key: remembered(ruling) for key, ruling in known.items()})
        mine = [pair for key, pair in waiting.items() if key in ours]
        waiting = {key: pair for key, pair in waiting.items() if key not in known and key not in ours}
        if mine:
            _ask_all(panel, mine, told, seed=seed, until=until)
        if waiting and time.monotonic() + LOOK_S >= until:
            told.why = told.why or "deadline"
            break
        if waiting:
            panel.wait(LOOK_S)
    return told


def _ask_all(panel: Panel, pairs: list[Pair], told: Asked, *, seed: str, until: float) -> None:
    """Ask in pieces of `max_offers`, in as many calls as are left; whatever is not answered is given back."""
    left = list(pairs)
    try:
        while left and not told.why:
            if told.calls >= panel.max_calls:
                told.why = "too_many_offers"
                break
            piece, left = left[: panel.max_offers], left[panel.max_offers :]
            _ask_piece(panel, piece, told, seed=seed, until=until)
    finally:
        panel.memory.give_back([pair.key for pair in pairs if pair.key not in told.rulings])


def _ask_piece(panel: Panel, piece: list[Pair], told: Asked, *, seed: str, until: float) -> None:
    """One call, and one more with the more wanted half of the list if the answer was cut off."""
    try:
        try:
            rulings = _call(panel, piece, told, seed=seed, until=until)
        except AiTruncated as error:
            told.why = error.kind
            half = piece[: len(piece) // 2]
            rulings = _call(panel, half, told, seed=seed, until=until) if half else {}
    except OverBudget as error:
        told.why = f"over_budget {error.scope}"
    except Unasked as error:
        told.why = error.kind
    else:
        told.rulings.update(rulings)
        panel.memory.keep(rulings)


def _call(panel: Panel, pairs: list[Pair], told: Asked, *, seed: str, until: float) -> dict[str, Ruling]:
    """Reserve, ask, settle, read.

    Raises:
        Unasked, OverBudget: there is no answer; what was billed is settled all the same.
    """
    first = pairs[0]
    asked = prompt.build(f"{first.name} | {first.specification}".rstrip(" |"), [one.title for one in pairs], seed)
    left_s = until - time.monotonic()
    if left_s < LEAST_S:
        error = Unasked("the time for this match round is over")
        error.kind = "deadline"
        raise error
    limit = answer_limit(asked, panel.tariff.model)
    worst = money.worst(asked.system + asked.user, limit, panel.tariff)
    receipt = panel.purse.reserve(worst, {"calls": 1, "offers": len(pairs), "model": panel.tariff.model})
    told.calls += 1
    told.asked += len(pairs)
    try:
        reply = panel.model.ask(asked, left_s)
    except Unasked as error:
        _settle(panel, receipt, error.usage, worst, outcome=error.kind, error=str(error))
        raise
    try:
        said = prompt.read(asked, reply.text)
    except Unasked as error:
        _settle(panel, receipt, reply.usage, worst, outcome=error.kind, error=str(error))
        raise
    usd = _settle(panel, receipt, reply.usage, worst, outcome="ok")
    return _rulings(pairs, said, usd)


def _settle(
    panel: Panel, receipt: str, usage: Usage | None, worst: Decimal, *, outcome: str, error: str = ""
) -> Decimal:
    """Tell the purse; the worst case stands where nobody knows what was billed (a call that timed out).

    It stands as well where the server says more than a call can cost: no cap is broken on its word.
    """
    usd = worst if usage is None else min(worst, money.cost(usage, panel.tariff))
    detail: dict[str, object] = {"outcome": outcome, "usage_known": usage is not None}
    if usage is not None and money.cost(usage, panel.tariff) > worst:
        detail["usage_doubted"] = True
    if error:
        detail["error"] = error
    if usage is not None:
        detail |= {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
        }
    panel.purse.settle(receipt, usd, detail)
    return usd


def _rulings(pairs: Sequence[Pair], said: Sequence[Said], usd: Decimal) -> dict[str, Ruling]:
    share = (usd / len(pairs)).quantize(Decimal("0.00000001"))
    return {
        pair.key: Ruling(
            verdict=one.verdict,
            reason=one.reason,
            confidence=CONFIDENCE[one.verdict],
            source="ai",
            version=pair.version,
            cost_usd=share,
        )
        for pair, one in zip(pairs, said, strict=True)
    }


def remembered(ruling: Ruling) -> Ruling:
    """A model's ruling as another search sees it: from the cache, for nothing."""
    return ruling if ruling.source == "person" else replace(ruling, source="cache", cost_usd=Decimal(0))
