"""The rule gate: whether an offer is exactly what was asked for, by its title and card alone.

Order: card and title facts → model number → bundle, size, count → numbers with units → refill → words. The first hard
fact rejects and nothing later, an AI included, can overturn it. What rules cannot tell is "ask".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ai import amounts, confidence, facts, goods, reading
from ai.coverage import Coverage, compare
from ai.naming import Naming
from ai.title import Title
from ai.title import read as read_title
from model import Offer, Reason

if TYPE_CHECKING:
    from ai.amounts import Fit
    from ai.spec import ProductSpec

GATE_VERSION = "15"
"""Part of every cached decision: raise it with any change of verdicts."""

HARD = frozenset(
    (
        Reason.SIZE, Reason.COUNT, Reason.BUNDLE, Reason.ACCESSORY, Reason.REFILL, Reason.COMPONENT, Reason.CONDITION,
        Reason.ORIGIN, Reason.COUNTERFEIT, Reason.COMPATIBLE, Reason.MODEL, Reason.SOLD_OUT,
        Reason.PREORDER, Reason.RENTAL,
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules say of one offer."""

    verdict: Literal["reject", "accept", "ask"]
    reason: Reason
    score: float
    """Share of the request's words that the offer shows, 0…1."""
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    """Unasked words in front of the asked ones, decorations left out: a maker, where the request names none."""
    confidence: float = 0.0
    """0…1: how often such a verdict was right on labelled pairs (docs/matching.md)."""


def judge(spec: ProductSpec, offer: Offer) -> Judgement:
    """Judge one offer; pure, never raises, about 100 µs."""
    title = read_title(offer.name)
    reason = facts.refuse(spec, offer, title)
    if reason is not None:
        return Judgement("reject", reason, 0.0, confidence=confidence.HARD_FACT)
    coverage = compare(spec, title)
    model = goods.models(spec, title)
    if isinstance(model, Reason):
        return _judgement("reject", model, coverage, confidence.OTHER_NUMBER)
    orders = max(1, offer.min_order or 1)
    amount = amounts.compare(spec.quantity, amounts.times(title.quantity, orders))
    too_many = orders > 1 and isinstance(amount, Reason)
    if too_many:
        amount = amounts.compare(spec.quantity, title.quantity)
    hard = _hard(spec, title, coverage, amount)
    if hard is not None:
        return _judgement("reject", hard, coverage, confidence.HARD_FACT)
    verdict, reason, believed = reading.words(spec, title, coverage, amount, tie=model)
    if verdict == "accept" and (too_many or spec.naming is Naming.KIND):
        return _judgement("ask", Reason.COUNT if too_many else Reason.UNKNOWN, coverage, confidence.UNDECIDED)
    return _judgement(verdict, reason, coverage, believed)


def _hard(spec: ProductSpec, title: Title, coverage: Coverage, amount: Reason | Fit) -> Reason | None:
    if isinstance(amount, Reason) and amount is not Reason.OPTION:
        return amount
    return (
        amounts.attribute_conflict(amounts.attributes(spec.title), amounts.attributes(title))
        or facts.refill(spec, title)
        or goods.without(spec, title)
        or goods.bundle(spec, title, coverage)
        or goods.accessory(spec, title, coverage)
    )


def _judgement(
    verdict: Literal["reject", "accept", "ask"], reason: Reason, coverage: Coverage, believed: float
) -> Judgement:
    matched = tuple(core.raw for core in coverage.found)
    missing = tuple(core.raw for core in coverage.missing)
    heads = tuple(extra.text for extra in coverage.extras if extra.place == "before" and not extra.word.bracket)
    return Judgement(verdict, reason, round(coverage.score, 3), matched, missing, heads, believed)
