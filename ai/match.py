"""All offers of a search → one verdict each, and the cheapest that is surely the product."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ai import spec as product_spec
from ai.cache import version
from ai.gate import Judgement, judge
from ai.match_open import Heard, hear
from ai.naming import Naming
from ai.price import effective, outlier_floor, unit_price
from ai.title import read as read_title
from model import MALLS, Decision, Match, Offer, Outcome, Product, Reason, Same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ai.match_open import Counsel

_VERDICTS = {"accept": Same.SAME, "reject": Same.DIFFERENT, "ask": Same.UNSURE}

MODEL_SHARE = 0.9
"""Another product that a model takes for this one is cheaper by a median of 10 to 35 %, the product itself seldom."""
TOO_CHEAP = "a model's word alone, for a price more than a tenth below the lowest sure one"


def decide(
    product: Product,
    offers: Sequence[Offer],
    *,
    shipping: Callable[[Offer], int],
    allow_used: bool = False,
    allow_overseas: bool = False,
    counsel: Counsel | None = None,
) -> Match:
    """Judge every offer once and choose the winner: by rules, then by what people and models said of open ones.

    `shipping` gives the KRW assumed for an offer whose mall does not say its shipping. Another pack count never wins;
    it keeps its unit price; an offer without a price never wins. Never raises on any text; what `counsel` raises
    (errors.Lost, errors.DatabaseDown) goes through.
    """
    spec = product_spec.read(product.name, product.specification).allowing(used=allow_used, overseas=allow_overseas)
    first = [(judge(spec, offer), offer) for offer in _once(offers)]
    judged = _of_one_maker(spec, first)
    decisions = [_decision(judgement, offer, shipping) for judgement, offer in judged]
    heard = Heard(decisions)
    if counsel is not None:
        one_product = judged is first and spec.naming is not Naming.KIND
        wanted = _wanted(decisions, thorough=counsel.thorough) if one_product else set()
        heard = hear(counsel, product, decisions, wanted, used=allow_used, overseas=allow_overseas)
    decisions = _without_outliers([_by_card(one) if one.verdict is Same.SAME else one for one in heard.decisions])
    decisions = _supported(decisions)
    same = [one for one in decisions if one.verdict is Same.SAME and one.effective_price_krw is not None]
    winner = min(same, key=_order, default=None)
    confirmed = min((decision for decision in same if decision.shipping_known), key=_order, default=None)
    outcome = Outcome.FOUND if winner is not None else Outcome.NO_SAFE_MATCH if decisions else Outcome.NOT_FOUND
    return Match(
        outcome=outcome,
        mode=heard.mode,
        decisions=tuple(decisions),
        winner=winner,
        confirmed=confirmed,
        version=heard.version,
        why=heard.why,
        open=sum(judgement.verdict == "ask" for judgement, _ in judged),
        asked=heard.asked,
        cached=heard.cached,
    )


def _wanted(decisions: list[Decision], *, thorough: bool) -> set[int]:
    """Which open offers matter: those that could be the lowest of their mall; the titles of others decide nothing.

    A card that makes a right title unsafe (options, more than one to order) stays unsafe whatever a title says.
    """
    lowest: dict[str, int] = {}
    for one in _without_outliers(decisions):
        if one.verdict is Same.SAME and one.effective_price_krw is not None:
            lowest[one.offer.mall] = min(one.effective_price_krw, lowest.get(one.offer.mall, one.effective_price_krw))
    asked = {at for at, one in enumerate(decisions) if one.verdict is Same.UNSURE and _by_title(one)}
    return asked if thorough else {at for at in asked if _could_win(decisions[at], lowest)}


def _by_title(decision: Decision) -> bool:
    """Whether the title alone is what leaves an offer open."""
    return decision.source == "rule" and not decision.offer.option_range and (decision.offer.min_order or 1) <= 1


def _could_win(decision: Decision, lowest: Mapping[str, int]) -> bool:
    price = decision.effective_price_krw
    return price is not None and price < lowest.get(decision.offer.mall, price + 1)


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
        version=version(),
    )
    return _by_card(decision) if decision.verdict is Same.SAME else decision


def _by_card(decision: Decision) -> Decision:
    """What a card says that makes a right title unsafe: several options, more than one to order."""
    offer = decision.offer
    if decision.source == "person":
        return decision
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
        if decision.verdict is Same.SAME and decision.source != "person" and 0 < _price(decision) < floor
        else decision
        for decision in decisions
    ]


def _supported(decisions: list[Decision]) -> list[Decision]:
    """A model's word alone does not carry a price far below what rules or a person are sure of."""
    sure = [_price(one) for one in decisions if one.verdict is Same.SAME and one.source in ("rule", "person")]
    floor = MODEL_SHARE * min(sure, default=0)
    return [
        replace(one, verdict=Same.UNSURE, confidence=0.5, note=TOO_CHEAP)
        if one.verdict is Same.SAME and one.source in ("ai", "cache") and _price(one) < floor
        else one
        for one in decisions
    ]


def _price(decision: Decision) -> int:
    return decision.effective_price_krw if decision.effective_price_krw is not None else decision.offer.price_krw


def _order(decision: Decision) -> tuple[int, bool, int, int]:
    """Cheapest first; then known shipping, the mall's place in the path, the rank on its page."""
    mall = MALLS.index(decision.offer.mall) if decision.offer.mall in MALLS else len(MALLS)
    return (_price(decision), not decision.shipping_known, mall, decision.offer.rank)
