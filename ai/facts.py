"""Hard facts that a title or a card states about an offer: no later reading can overturn them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai import words
from model import Offer, Reason

if TYPE_CHECKING:
    import re

    from ai.spec import ProductSpec
    from ai.title import Title


def refuse(spec: ProductSpec, offer: Offer, title: Title) -> Reason | None:
    """The first hard fact against the offer, in the order in which they are worth telling; None when there is none."""
    return _card(spec, offer) or _condition(spec, title.text) or _origin(spec, title.text) or _nature(spec, title.text)


def _card(spec: ProductSpec, offer: Offer) -> Reason | None:
    if offer.sold_out:
        return Reason.SOLD_OUT
    if offer.used and not spec.used:
        return Reason.CONDITION
    if offer.overseas and not spec.overseas:
        return Reason.ORIGIN
    if offer.preorder and not spec.preorder:
        return Reason.PREORDER
    return None


def _condition(spec: ProductSpec, text: str) -> Reason | None:
    if _says(words.SOLD_OUT, words.SOLD_OUT_NOT, text):
        return Reason.SOLD_OUT
    if not spec.rental and words.RENTAL.search(text):
        return Reason.RENTAL
    if not spec.preorder and words.PREORDER.search(text):
        return Reason.PREORDER
    if not spec.used and (_says(words.USED, words.USED_NOT, text) or _says(words.NEAR_EXPIRY, words.USED_NOT, text)):
        return Reason.CONDITION
    return None


def _origin(spec: ProductSpec, text: str) -> Reason | None:
    if not spec.overseas and _says(words.OVERSEAS, words.OVERSEAS_NOT, text) and not words.DOMESTIC.search(text):
        return Reason.ORIGIN
    return None


def _nature(spec: ProductSpec, text: str) -> Reason | None:
    asked = spec.title.text
    if words.COUNTERFEIT.search(text):
        return Reason.COUNTERFEIT
    if _says(words.COMPATIBLE, words.COMPATIBLE_NOT, text) and not words.COMPATIBLE.search(asked):
        return Reason.COMPATIBLE
    if words.COMPONENT.search(text) and not (words.COMPONENT.search(asked) or words.BARE.search(asked)):
        return Reason.COMPONENT
    return None


def _says(pattern: re.Pattern[str], unless: re.Pattern[str], text: str) -> bool:
    return pattern.search(unless.sub(" ", text)) is not None


def refill(spec: ProductSpec, title: Title) -> Reason | None:
    """A refill for a full unit, or the reverse."""
    if any(word.text.endswith(words.CONSUMABLE) for word in spec.title.words):
        return None
    offered = words.REFILL.search(words.REFILL_NOT.sub(" ", title.text)) is not None
    if offered and not spec.refill:
        return Reason.REFILL
    if spec.refill and not offered and words.MAIN_UNIT.search(title.text):
        return Reason.REFILL
    return None
