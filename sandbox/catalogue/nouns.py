"""The nouns of the catalogue: a request, the offers of all malls for it, and the right answer."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN_SHIPPING_KRW = 3000
"""What an offer that does not state its shipping is counted with."""

FIRST_MALLS = ("naver", "coupang")
"""The malls that a search asks before it may fall back on the others."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What a buyer would type."""

    code: str
    name: str
    specification: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxOffer:
    """One offer of one mall, with the truth about it."""

    offer_id: int
    """Ten digits, unique, the same in every run."""
    product_code: str
    mall: str
    title: str
    price_krw: int
    seller: str
    why: str
    """`same`, or the class of the difference: `count`, `size`, `variant`, `condition`, …"""
    list_price_krw: int | None = None
    shipping_krw: int | None = None
    """0 is free, None when the mall does not say."""
    free_from_krw: int | None = None
    """Order amount above which the shipping above falls away; this offer's price is below it."""
    unit_price: str | None = None
    """As shown: "100g당 412원"."""
    coupon_krw: int | None = None
    card_krw: int | None = None
    member_krw: int | None = None
    ad: bool = False
    used: bool = False
    overseas: bool = False
    agent: bool = False
    """A purchasing agent abroad (what Naver's `cbshop` leaves out)."""
    sold_out: bool = False
    catalogue: bool = False
    """A price-comparison row: right price, unknown seller."""
    option_range: bool = False
    """The price is the lowest of several options."""
    rental: bool = False
    product_type: int = 2
    """Naver's 1…12."""
    brand: str = ""
    maker: str = ""
    category: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether ordering it now delivers exactly what the request asks for."""
        return self.why == "same"

    @property
    def effective_krw(self) -> int:
        """Item + shipping for one order, unknown shipping counted with 3,000 KRW."""
        return self.price_krw + (UNKNOWN_SHIPPING_KRW if self.shipping_krw is None else self.shipping_krw)


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxProduct:
    """A request with every offer that is about it, right and wrong."""

    request: Request
    offers: tuple[SandboxOffer, ...]
    right_price: int | None
    """The true lowest effective price, KRW, written down beside the offers; None: nothing right exists anywhere."""

    @property
    def right(self) -> tuple[SandboxOffer, ...]:
        """The offers that are the same product, cheapest effective price first."""
        return tuple(
            sorted((one for one in self.offers if one.same), key=lambda one: (one.effective_krw, one.offer_id))
        )

    @property
    def winners(self) -> tuple[SandboxOffer, ...]:
        """The offers at the right price: more than one only at a tie."""
        return tuple(one for one in self.right if one.effective_krw == self.right_price)

    def price_in(self, *malls: str) -> int | None:
        """The lowest effective price of a right offer in these malls, KRW; None when they have none."""
        return min((one.effective_krw for one in self.right if one.mall in malls), default=None)

    @property
    def expected_price(self) -> int | None:
        """What a search finds that asks the other malls only when the first ones have nothing right, KRW."""
        return self.price_in(*FIRST_MALLS) or self.right_price

    @property
    def needs_fallback(self) -> bool:
        """Whether the first malls (Naver, Coupang) have only wrong offers while another mall has a right one."""
        return bool(self.right) and self.price_in(*FIRST_MALLS) is None

    @property
    def outcome(self) -> str:
        """What a search must end with: `found` or `no_safe_match`."""
        return "no_safe_match" if self.right_price is None else "found"
