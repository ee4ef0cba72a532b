"""From what a parser found on a card to an offer, or to a count of what was missing. Pure.

A card never borrows: what it does not hold itself stays unknown, and without name, price or link it is dropped and
counted, so that a changed page shows itself as drift and not as a wrong price.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from crawl import marks
from crawl.dom import MOST_CARDS, absolute, few_enough, pieces, text
from crawl.mall import Parsed
from crawl.text import Amount, Role, Shipping, of_role, shipping, unit_price
from model import Offer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from selectolax.lexbor import LexborNode

LONGEST_NAME = 1000
"""Characters; a longer title is no title."""

LONGEST_LABEL = 200
"""Characters; a longer text on a card is a description."""


@dataclass(kw_only=True, slots=True)
class Card:
    """What one card says, in the parser's hands."""

    name: str = ""
    price: Amount | None = None
    url: str = ""
    item_id: str = ""
    list_price_krw: int | None = None
    member_price_krw: int | None = None
    seller: str = ""
    shipping: Shipping | None = None
    """None: look for it in `labels`."""
    unit_price: str | None = None
    labels: list[str] = field(default_factory=list)
    """The card's small texts, each on its own, title left out."""
    ad: bool = False
    used: bool = False
    overseas: bool = False
    sold_out: bool = False
    preorder: bool = False
    catalogue: bool = False


def gather(mall: str, base: str, cards: Iterable[Card], **rest: Any) -> Parsed:
    """All cards of a page, in its order, as offers; `rest` are the page's own signs (see Parsed).

    Raises:
        UnknownPage: as `few_enough`.
    """
    offers: list[Offer] = []
    dropped: Counter[str] = Counter()
    having: Counter[str] = Counter()
    found = list(islice(cards, MOST_CARDS + 1))
    few_enough(found)
    for rank, card in enumerate(found, 1):
        # Where the page breaks off, "12,900" may read "12".
        cut = rest.get("truncated") and rank == len(found)
        offer = "cut" if cut else _offer(mall, base, rank, card)
        if isinstance(offer, Offer):
            offers.append(offer)
        else:
            dropped[offer] += 1
        having.update(_fields(card))
    return Parsed(offers=tuple(offers), cards=len(found), dropped=dict(dropped), having=dict(having), **rest)


def _fields(card: Card) -> list[str]:
    """What the card has of what every card should have; no price is owed by a sold-out one."""
    priced = (card.price is not None and card.price.krw > 0) or card.sold_out or marks.sold_out(card.labels)
    has = {"name": card.name, "price": priced, "url": card.url, "item_id": card.item_id}
    return [field for field, value in has.items() if value]


def first_shipping(labels: Sequence[str], *, labelled: bool = False) -> Shipping:
    """The first shipping line among small texts, the threshold taken from wherever it stands."""
    read = [shipping(label, labelled=labelled) for label in labels]
    fee = next((one.krw for one in read if one.krw), None)
    free_from = next((one.free_from_krw for one in read if one.free_from_krw is not None), None)
    # "무료배송" beside a fee or a threshold is the conditional kind, said in two pieces.
    free = 0 if fee is None and free_from is None and any(one.krw == 0 for one in read) else None
    return Shipping(fee if fee is not None else free, free_from)


def _offer(mall: str, base: str, rank: int, card: Card) -> Offer | str:
    """The offer, or the word for what is missing."""
    sold_out = card.sold_out or marks.sold_out(card.labels)
    url = absolute(base, card.url)
    if not card.name or len(card.name) > LONGEST_NAME:
        return "name"
    if card.price is None or card.price.krw <= 0:
        return "sold_out" if sold_out else "price"
    if not url:
        return "url"
    ship = card.shipping or first_shipping(card.labels)
    listed = card.list_price_krw
    return Offer(
        mall=mall,
        rank=rank,
        name=card.name,
        price_krw=card.price.krw,
        url=url,
        list_price_krw=listed if listed and listed > card.price.krw else None,
        shipping_krw=ship.krw,
        free_shipping_from_krw=ship.free_from_krw,
        unit_price=card.unit_price or next((u for label in card.labels if (u := unit_price(label))), None),
        coupon_price_krw=_apart(card, Role.COUPON),
        card_price_krw=_apart(card, Role.CARD),
        member_price_krw=card.member_price_krw or _apart(card, Role.MEMBER),
        min_order=marks.min_order(card.name, card.labels),
        seller=card.seller or None,
        mall_item_id=card.item_id or None,
        ad=card.ad or marks.advertised(card.labels),
        used=card.used or marks.used(card.name, card.labels),
        overseas=card.overseas or marks.overseas(card.name, card.labels),
        sold_out=sold_out,
        preorder=card.preorder or marks.preorder(card.name, card.labels),
        catalogue=card.catalogue,
        option_range=card.price.open_ended,
    )


def _apart(card: Card, role: Role) -> int | None:
    """A price that needs a coupon, a card or a membership: kept beside the price, never in it."""
    return next((krw for label in card.labels if (krw := of_role(label, role))), None)


def labels_of(node: LexborNode, *whole: str, without: Sequence[str] = ()) -> list[str]:
    """The small texts of a card: those elements' joined text, then every stretch of text except `without`."""
    joined = [text(found, gap="") for selector in whole for found in node.css(selector)]
    short = (piece for piece in (*joined, *pieces(node)) if 0 < len(piece) <= LONGEST_LABEL)
    return [piece for piece in short if piece not in without]
