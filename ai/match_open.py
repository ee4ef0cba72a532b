"""What people and models say of a round's offers, laid over what the rules said.

A person's word on a title wins over everything but the card (sold out, not yet sold, for rent). A model is heard on
open offers alone, and only where its word could matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ai.cache import Pair, pair, version
from ai.prompt_guard import speaks
from model import Decision, Mode, Product, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ai.ask import Asked
    from ruling import Ruling

_OF_THE_CARD = frozenset((Reason.SOLD_OUT, Reason.PREORDER, Reason.RENTAL))
HOSTILE = "not asked: the title talks to its reader instead of naming goods"


class Counsel(Protocol):
    """Whom a match round may ask."""

    @property
    def model(self) -> str:
        """The model that is asked; empty when none is."""

    @property
    def why_off(self) -> str:
        """Why none is; empty when one is."""

    @property
    def thorough(self) -> bool:
        """Whether every open title is asked about, not only those that could be their mall's lowest."""

    def corrections(self, pairs: Sequence[Pair]) -> Mapping[str, Ruling]:
        """What people said, by the pair's id."""

    def rule(self, pairs: Sequence[Pair]) -> Asked:
        """What a model says now or said before, the most wanted pair first."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The decisions after all were heard."""

    decisions: Sequence[Decision]
    mode: Mode = "rules"
    why: str = "no counsel"
    asked: int = 0
    cached: int = 0
    version: str = version()


def hear(
    counsel: Counsel,
    product: Product,
    decisions: Sequence[Decision],
    wanted: AbstractSet[int],
    *,
    used: bool,
    overseas: bool,
) -> Heard:
    """Lay rulings over the rules' decisions.

    Args:
        counsel: whom to ask.
        product: the request.
        decisions: the rules', in the offers' order.
        wanted: which of them a model is to be asked about.
        used: used goods are welcome too.
        overseas: goods from abroad are welcome too.
    """
    pairs = [pair(product, one.offer.name, used=used, overseas=overseas, model=counsel.model) for one in decisions]
    corrected = counsel.corrections(pairs)
    out = [_corrected(one, corrected.get(both.id)) for one, both in zip(decisions, pairs, strict=True)]
    request = f"{product.name} {product.specification}"
    hostile = {at for at in wanted if speaks(decisions[at].offer.name, request)}
    for at in hostile:
        out[at] = replace(out[at], note=HOSTILE) if out[at].source == "rule" else out[at]
    open_ = sorted((at for at in wanted - hostile if out[at].source == "rule"), key=lambda at: _price(decisions[at]))
    if not open_ or counsel.why_off:
        return Heard(out, "rules", counsel.why_off or "nothing to ask", version=version(counsel.model))
    told = counsel.rule(list({pairs[at].key: pairs[at] for at in open_}.values()))
    paid: set[str] = set()
    for at in open_:
        key = pairs[at].key
        ruling = told.rulings.get(key)
        out[at] = _ruled(out[at], ruling, told.why, first=key not in paid)
        paid.add(key)
    said = version(counsel.model)
    return Heard(out, "ai" if told.rulings else "rules", told.why, told.asked, told.cached, said)


def _price(decision: Decision) -> int:
    return decision.effective_price_krw or 0


def _corrected(decision: Decision, ruling: Ruling | None) -> Decision:
    if ruling is None or decision.reason in _OF_THE_CARD:
        return decision
    note = f"{ruling.who}: {ruling.why}"
    return _with(decision, ruling, note)


def _ruled(decision: Decision, ruling: Ruling | None, why: str, *, first: bool) -> Decision:
    """The same title in two malls is paid for once: the cost stands with the first."""
    if ruling is None:
        return replace(decision, note=f"not asked: {why}")
    ruled = _with(decision, ruling, "")
    return ruled if first else replace(ruled, cost_usd=ruled.cost_usd * 0)


def _with(decision: Decision, ruling: Ruling, note: str) -> Decision:
    return replace(
        decision,
        verdict=ruling.verdict,
        reason=ruling.reason,
        confidence=ruling.confidence,
        source=ruling.source,
        version=ruling.version,
        cost_usd=ruling.cost_usd,
        note=note,
    )
