"""The sandbox's goods: requests, offers of five malls, and the right answer of each request."""

from __future__ import annotations

from functools import cache

from sandbox.catalogue.load import load
from sandbox.catalogue.nouns import Request, SandboxOffer, SandboxProduct

__all__ = ["ABSENT", "Request", "SandboxOffer", "SandboxProduct", "offers_of", "products"]

ABSENT = Request(code="ABSENT-1", name="없는상품 ZZZ-9999")
"""A request that every mall answers with its own "nothing found"."""


@cache
def _loaded() -> tuple[SandboxProduct, ...]:
    return load()


def products() -> list[SandboxProduct]:
    """Every product, in the catalogue's order."""
    return list(_loaded())


def offers_of(mall: str) -> tuple[SandboxOffer, ...]:
    """Every offer that one mall has, of all products."""
    return tuple(one for product in _loaded() for one in product.offers if one.mall == mall)
