"""The running account of one clause: sizes, counts, what restates what. Its result is the Quantity.

The grammar (ai/quantity.py) feeds it tokens in order; brackets come as accounts of their own and are merged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from ai.scan import Token
from ai.units import level


@dataclass(frozen=True, slots=True)
class Quantity:
    """What one order of an offer delivers."""

    unit_amount: float | None
    """Size of one unit in `unit`; None where only pieces or only a total are said."""
    unit: str
    """"g", "ml", or "개" for pieces."""
    count: int | None
    total: float | None
    flags: tuple[str, ...] = ()
    sizes: tuple[float, ...] = ()
    """All sizes of a set such as 100ml+40ml."""
    explicit: bool = True
    """False when the title says neither a size nor a count."""
    outer: tuple[float, ...] = ()
    """Coarser unit sizes the title says as well: 1005 of "1005g (15g x 67개)"."""
    goods: tuple[tuple[float | None, int], ...] = ()
    """Of a bundle: size and count of each part."""
    packs: int | None = None
    """Of goods without a size: how many packs, where the title counts packs and not only what is inside."""

    def to_json(self) -> dict[str, Any]:
        """The fields that `lps quantity` prints; whole numbers without a fraction."""
        return {
            "unit_amount": _whole(self.unit_amount),
            "unit": self.unit,
            "count": self.count,
            "total": _whole(self.total),
            "flags": "+".join(self.flags),
        }


def _whole(value: float | None) -> float | int | None:
    return int(value) if value is not None and value == int(value) else value


@dataclass(slots=True)
class Tally:
    """What has been understood so far of one clause."""

    size: float | None = None
    base: str = ""
    sizes: tuple[float, ...] = ()
    counts: list[Token] = field(default_factory=list)
    said: set[float] = field(default_factory=set)
    """Sizes already explained by finer ones."""
    total: float | None = None
    times: int = 0
    fixed: bool = False
    """A "총 N" overrides every other count."""
    bundle: bool = False
    options: bool = False
    """Sizes to choose from ("1L/1.5L"): which one is sold is not said."""
    total_only: bool = False
    about: bool = False
    """"약 200개": pieces without own weight."""
    goods: list[tuple[float | None, int]] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    touched: bool = False
    unknown: bool = False
    """An amount stands there that cannot be, as "0개"."""
    added: bool = False
    """The clause opens with a plus sign: other goods than those before the bracket."""
    before_sign: Token | None = None
    """A bare number in front of a sign: it counts if a size follows ("10x20ml")."""
    countable: bool = False
    """Whether "x 2" would count what stands before it."""

    @property
    def product(self) -> float:
        """All counts multiplied."""
        return prod(token.value for token in self.counts)

    def add_size(self, value: float, base: str) -> None:
        """A size in `base`; a second one must repeat or restate the first."""
        self.touched = True
        if self.size is None:
            self.size, self.base = value, base
        elif base == self.base and not self._repeats(value, self.size):
            self.flags.append("sizes?")

    def _repeats(self, value: float, size: float) -> bool:
        return value in self.said or any(abs(value - known) <= known * 0.005 for known in (size, size * self.product))

    def add_total_size(self, value: float, base: str) -> None:
        """A size behind "총": it checks the count, or is all that is said."""
        self.touched = True
        if self.size is None:
            self.total, self.base, self.total_only = value, base, True
        elif base == self.base and not self.counts and value % self.size == 0:
            self.counts.append(Token("C", value // self.size, "총"))

    def add_count(self, token: Token, *, sign: bool = False) -> None:
        """A count multiplies, unless it is one or repeats another; behind a sign it always multiplies."""
        self.touched = True
        if token.value < 1 or self.fixed:
            return
        if token.value == 1 or (not sign and any(_repeated(known, token) for known in self.counts)):
            return
        if len(self.counts) > 1 and token.value == self.product and not sign:
            self.flags.append("restate")
            return
        self.counts.append(token)

    def add_total(self, token: Token) -> None:
        """A count behind "총" overrides the others."""
        self.touched = True
        if self.product != token.value:
            self.counts = [token]
        self.fixed = True
        self.flags.append("total")

    def merge(self, inner: Tally) -> None:
        """Take a bracket in: it restates, refines or multiplies what stands before it."""
        self.touched = self.touched or inner.touched
        self.bundle = self.bundle or inner.bundle or (inner.added and self.size is not None)
        self.options = self.options or inner.options
        self.unknown = self.unknown or inner.unknown
        self.about = self.about or inner.about
        self.goods.extend(inner.goods)
        self.times = self.times or inner.times
        self.flags.extend(inner.flags)
        if inner.about and self.size is not None:
            self.total_only = True
        elif inner.fixed:
            self.add_total(Token("C", inner.product, "총"))
        elif inner.total_only:
            self._merge_total(inner)
        elif inner.size is not None:
            self._merge_sized(inner, inner.size)
        elif inner.counts and inner.product not in (self.product, *(token.value for token in self.counts)):
            self.counts.extend(inner.counts)

    def _merge_total(self, inner: Tally) -> None:
        if inner.total is not None:
            self.add_total_size(inner.total, inner.base)
        elif self.size is None:
            self.size, self.base, self.total_only = inner.size, inner.base, True

    def _merge_sized(self, inner: Tally, size: float) -> None:
        whole = size * inner.product
        if self.total == whole:
            self.total, self.total_only = None, False
        if self.size is None:
            self.size, self.base, self.sizes = inner.size, inner.base, inner.sizes
            self._multiply(inner)
        elif inner.base != self.base or inner.size == self.size:
            self._multiply(inner)
        elif inner.counts and abs(whole - self.size) <= self.size * 0.005:
            self.said.add(self.size)
            # "600g 20개입 (30g x 20)": what is in the pack is said twice.
            outer = [known for known in self.counts if level(known.unit) > 0 or known.value != inner.product]
            self.size, self.counts = inner.size, [*inner.counts, *outer]
            self.flags.append("restate")
        elif inner.counts and whole == self.size * self.product:
            self.size, self.counts = inner.size, list(inner.counts)
        else:
            self.add_size(whole, inner.base)

    def _multiply(self, inner: Tally) -> None:
        known = (self.product, *(token.value for token in self.counts))
        if self.counts and inner.product in known:
            return
        self.counts.extend(inner.counts)

    def quantity(self) -> Quantity:
        """The conventions' numbers."""
        if self.bundle:
            flags = ("bundle", *self.flags)
            return Quantity(
                self.size,
                self.base or "개",
                None,
                None,
                tuple(dict.fromkeys(flags)),
                self.sizes,
                goods=tuple(self.goods),
            )
        if self.options:
            return Quantity(None, self.base, None, None, ("options", *dict.fromkeys(self.flags)))
        if self.unknown or (self.about and self.size is None):
            return Quantity(self.size, self.base or "개", None, None, ("unknown", *dict.fromkeys(self.flags)))
        self._times()
        pieces = int(self.product)
        flags = tuple(dict.fromkeys(self.flags))
        if self.total_only:
            whole = self.total if self.total is not None else self.size
            return Quantity(None, self.base, None, (whole or 0) * pieces, ("total_only", *flags))
        if self.size is None:
            packs = [int(token.value) for token in self.counts if level(token.unit) > 0]
            return Quantity(
                None, "개", pieces, pieces, flags, explicit=self.touched, packs=prod(packs) if packs else None
            )
        total = sum(self.sizes) if self.sizes else self.size
        return Quantity(
            self.size, self.base, pieces, round(total * pieces, 4), flags, self.sizes, outer=tuple(self.said)
        )

    def _times(self) -> None:
        if not self.times:
            return
        self.flags.append(f"{self.times - 1}+1")
        if not self.fixed and self.times not in (token.value for token in self.counts):
            self.counts.append(Token("C", self.times, "+"))


def _repeated(known: Token, token: Token) -> bool:
    if known.value != token.value:
        return False
    ranks = {level(known.unit), level(token.unit)}
    return known.unit == token.unit or ranks in ({0}, {1}, {1, 2})
