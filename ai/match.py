"""All offers of a search → one verdict each, and the cheapest that is surely the product."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ai import spec as product_spec
from ai.gate import GATE_VERSION, Judgement, judge
from ai.naming import Naming
from ai.price import effective, outlier_floor, unit_price
from ai.title import read as read_title
from model import MALLS, Decision, Match, Offer, Outcome, Product, Reason, Same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_VERDICTS = {"accept": Same.SAME, "reject": Same.DIFFERENT, "ask": Same.UNSURE}


def decide(
    product: Product,
    offers: Sequence[Offer],
    *,
    shipping: Callable[[Offer], int],
    allow_used: bool = False,
    allow_overseas: bool = False,
) -> Match:
    """Judge every offer once by rules alone and choose the winner.

    `shipping` gives the KRW assumed for an offer whose mall does not say its shipping. Another pack count never wins;
    it keeps its unit price; an offer without a price never wins. Never raises on any text.
    """
    spec = product_spec.read(product.name, product.specification).allowing(used=allow_used, overseas=allow_overseas)
    judged = _of_one_maker(spec, [(judge(spec, offer), offer) for offer in _once(offers)])
    decisions = [_decision(judgement, offer, shipping) for judgement, offer in judged]
    decisions = _without_outliers(decisions)
    same = [one for one in decisions if one.verdict is Same.SAME and one.effective_price_krw is not None]
    winner = min(same, key=_order, default=None)
    confirmed = min((decision for decision in same if decision.shipping_known), key=_order, default=None)
    outcome = Outcome.FOUND if winner is not None else Outcome.NO_SAFE_MATCH if decisions else Outcome.NOT_FOUND
    return Match(
        outcome=outcome,
        mode="rules",
        decisions=tuple(decisions),
        winner=winner,
        confirmed=confirmed,
        version=GATE_VERSION,
    )


def _once(offers: Iterable[Offer]) -> list[Offer]:
    """The offers without those that another rung of the query ladder brought again."""
    seen: dict[tuple[str, str], Offer] = {}
    for offer in offers:
        seen.setdefault((offer.mall, offer.mall_item_id or offer.url), offer)
    return list(seen.values())


def _of_one_maker(
    spec: product_spec.ProductSpec, judged: list[tuple[Judgement, Offer]]
) -> list[tuple[Judgement, Offer]]:
    """A request of one name that offers of several makers carry is a kind of thing: none of them is surely meant."""
    heads = {judgement.heads[:1] for judgement, _ in judged if judgement.verdict == "accept" and judgement.heads}
    if spec.naming is not Naming.ONCE or len(heads) < 2:
        return judged
    return [
        (replace(judgement, verdict="ask", reason=Reason.UNKNOWN, confidence=0.5), offer)
        if judgement.verdict == "accept"
        else (judgement, offer)
        for judgement, offer in judged
    ]


def _decision(judgement: Judgement, offer: Offer, shipping: Callable[[Offer], int]) -> Decision:
    price, known = effective(offer, shipping)
    decision = Decision(
        offer=offer,
        verdict=_VERDICTS[judgement.verdict],
        reason=judgement.reason,
        confidence=judgement.confidence,
        effective_price_krw=price if offer.price_krw > 0 else None,
        shipping_known=known,
        unit_price=unit_price(offer.name, offer.price_krw, read_title(offer.name).quantity),
        matched=judgement.matched,
        missing=judgement.missing,
    )
    return _by_card(decision) if decision.verdict is Same.SAME else decision


def _by_card(decision: Decision) -> Decision:
    """What a card says that makes a right title unsafe: several options, more than one to order."""
    offer = decision.offer
    if offer.option_range:
        return replace(decision, verdict=Same.UNSURE, reason=Reason.OPTION, confidence=0.5)
    # The gate knows whether the least order is the asked amount; nobody else does.
    if decision.source != "rule" and (offer.min_order or 1) > 1:
        return replace(decision, verdict=Same.UNSURE, reason=Reason.COUNT, confidence=0.5)
    return decision


def _without_outliers(decisions: list[Decision]) -> list[Decision]:
    prices = [_price(one) for one in decisions if one.verdict is Same.SAME and one.offer.price_krw > 0]
    floor = outlier_floor(prices)
    return [
        replace(decision, verdict=Same.UNSURE, reason=Reason.PRICE, confidence=0.5)
        if decision.verdict is Same.SAME and 0 < _price(decision) < floor
        else decision
        for decision in decisions
    ]


def _price(decision: Decision) -> int:
    return decision.effective_price_krw if decision.effective_price_krw is not None else decision.offer.price_krw


def _order(decision: Decision) -> tuple[int, bool, int, int]:
    """Cheapest first; then known shipping, the mall's place in the path, the rank on its page."""
    mall = MALLS.index(decision.offer.mall) if decision.offer.mall in MALLS else len(MALLS)
    return (_price(decision), not decision.shipping_known, mall, decision.offer.rank)
