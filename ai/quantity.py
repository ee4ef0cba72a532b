"""How much a title sells: unit size, count, total. Pure, linear in the title's length, and unknown rather than guessed.

Conventions: g and ml are the bases; several levels of packs multiply into one count; sheets, rolls and tablets are
pieces ("개" without a unit size); doses, lengths, percentages, model numbers and gifts count nothing; different
goods sold together have neither count nor total; neither size nor count in a title is one piece.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Any

from ai.scan import Token, clean, scan
from ai.shape import drop_gifts, fold_sums, in_context, nest
from ai.units import INNER, level

_TOTAL = frozenset(("총", "전체", "합계", "도합", "총합", "총량", "총용량", "총수량"))
_MORE = frozenset(("추가", "더", "총", "x", "및", "대용량", "기획", "한정", "특가"))


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


@lru_cache(maxsize=8192)
def parse(title: str) -> Quantity:
    """Read one title; never raises."""
    text = clean(title)
    tokens, gift = drop_gifts(nest(in_context(scan(text), text)))
    reading = _read(tokens)
    if gift:
        reading.flags.append("gift")
    return reading.quantity()


@dataclass(slots=True)
class _Reading:
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
    goods: list[tuple[float | None, int]] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    touched: bool = False
    countable: bool = False
    """Whether "x 2" would count what stands before it."""

    @property
    def product(self) -> float:
        return prod(token.value for token in self.counts)

    def add_size(self, value: float, base: str) -> None:
        self.touched = True
        if self.size is None:
            self.size, self.base = value, base
        elif base == self.base and not self._repeats(value, self.size):
            self.flags.append("sizes?")

    def _repeats(self, value: float, size: float) -> bool:
        return value in self.said or any(abs(value - known) <= known * 0.005 for known in (size, size * self.product))

    def add_total_size(self, value: float, base: str) -> None:
        self.touched = True
        if self.size is None:
            self.total, self.base, self.total_only = value, base, True
        elif base == self.base and not self.counts and value % self.size == 0:
            self.counts.append(Token("C", value // self.size, "총"))

    def add_count(self, token: Token, *, sign: bool = False) -> None:
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
        self.touched = True
        if self.product != token.value:
            self.counts = [token]
        self.fixed = True
        self.flags.append("total")

    def merge(self, inner: _Reading) -> None:
        """Take a bracket in: it restates, refines or multiplies what stands before it."""
        self.touched = self.touched or inner.touched
        self.bundle = self.bundle or inner.bundle
        self.options = self.options or inner.options
        self.goods.extend(inner.goods)
        self.times = self.times or inner.times
        self.flags.extend(inner.flags)
        if inner.fixed:
            self.add_total(Token("C", inner.product, "총"))
        elif inner.total_only:
            self._merge_total(inner)
        elif inner.size is not None:
            self._merge_sized(inner, inner.size)
        elif inner.counts and inner.product not in (self.product, *(token.value for token in self.counts)):
            self.counts.extend(inner.counts)

    def _merge_total(self, inner: _Reading) -> None:
        if inner.total is not None:
            self.add_total_size(inner.total, inner.base)
        elif self.size is None:
            self.size, self.base, self.total_only = inner.size, inner.base, True

    def _merge_sized(self, inner: _Reading, size: float) -> None:
        whole = size * inner.product
        if self.size is None:
            self.size, self.base, self.sizes = inner.size, inner.base, inner.sizes
            self._multiply(inner)
        elif inner.base != self.base or inner.size == self.size:
            self._multiply(inner)
        elif inner.counts and abs(whole - self.size) <= self.size * 0.005:
            self.said.add(self.size)
            self.size, self.counts = inner.size, [*inner.counts, *self.counts]
            self.flags.append("restate")
        elif inner.counts and whole == self.size * self.product:
            self.size, self.counts = inner.size, list(inner.counts)
        else:
            self.add_size(whole, inner.base)

    def _multiply(self, inner: _Reading) -> None:
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
        self._times()
        count = int(self.product)
        flags = tuple(dict.fromkeys(self.flags))
        if self.total_only:
            whole = self.total if self.total is not None else self.size
            return Quantity(None, self.base, None, (whole or 0) * count, ("total_only", *flags))
        if self.size is None:
            return Quantity(None, "개", count, count, flags, explicit=self.touched)
        total = sum(self.sizes) if self.sizes else self.size
        return Quantity(self.size, self.base, count, round(total * count, 4), flags, self.sizes, outer=tuple(self.said))

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


def _read(tokens: list[Token] | tuple[Any, ...]) -> _Reading:
    """One bracket level: its clauses between plus signs, then their sum or bundle."""
    folded = fold_sums(list(tokens))
    clauses: list[list[Token]] = [[]]
    for token in folded:
        if token.kind == "P":
            clauses.append([])
        else:
            clauses[-1].append(token)
    readings = [_clause(clause) for clause in clauses]
    spoken = [(clause, reading) for clause, reading in zip(clauses, readings, strict=True) if reading.touched]
    if len(spoken) < 2:
        return spoken[0][1] if spoken else readings[0]
    return _joined(spoken)


def _joined(spoken: list[tuple[list[Token], _Reading]]) -> _Reading:
    first = spoken[0][1]
    goods = [(reading.size, int(reading.product)) for _, reading in spoken]
    for clause, reading in spoken[1:]:
        words = any(token.kind == "W" and token.unit not in _MORE for token in clause)
        if words or reading.size not in (None, first.size) or (reading.size and not first.counts):
            first.bundle, first.goods = True, goods
            first.flags.extend(reading.flags)
            return first
        first.counts = [Token("C", first.product + reading.product, "+")]
    return first


def _clause(tokens: list[Token]) -> _Reading:
    reading = _Reading()
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        _TAKE.get(token.kind, _take_other)(reading, token, before, after)
    return reading


def _take_other(reading: _Reading, token: Token, _before: Token | None, _after: Token | None) -> None:
    """Words, separators and numbers that count nothing; storage may still be sold in pieces ("16GB x 2")."""
    reading.countable = (
        reading.touched
        or (token.kind == "Z" and token.unit in ("g", "gb", "tb"))
        or (token.kind == "X" and reading.countable)
    )


def _take_size(reading: _Reading, token: Token, before: Token | None, _after: Token | None) -> None:
    if before is not None and before.kind == "W" and before.unit in _TOTAL:
        reading.add_total_size(token.value, token.unit)
        return
    if before is not None and before.kind == "B" and before.unit == "/" and token.unit == reading.base:
        reading.options = reading.options or reading.size != token.value
        return
    if (
        reading.size is None
        and before is not None
        and before.kind == "C"
        and before.unit in INNER
        and token.value >= 1.5 * before.value
    ):
        reading.counts = [known for known in reading.counts if known is not before]
        reading.total_only = True
    reading.add_size(token.value, token.unit)


def _take_set(reading: _Reading, token: Token, _before: Token | None, after: Token | None) -> None:
    reading.touched = True
    if after is not None and (after.kind == "X" or (after.kind == "C" and after.value > 1 and after.unit != "세트")):
        reading.bundle = True
    reading.size, reading.base, reading.sizes = token.parts[0], token.unit, token.parts
    reading.flags.append("sizes " + "+".join(f"{part:g}" for part in token.parts))


def _take_count(reading: _Reading, token: Token, before: Token | None, _after: Token | None) -> None:
    word = before.unit if before is not None and before.kind == "W" else ""
    if word in _TOTAL:
        reading.add_total(token)
    elif word == "약" and reading.size is not None and token.unit in INNER:
        reading.total_only = True
    else:
        reading.add_count(token, sign=before is not None and before.kind == "X")


def _take_number(reading: _Reading, token: Token, before: Token | None, after: Token | None) -> None:
    if before is None or token.value != int(token.value):
        return
    signed = before.kind == "X" and reading.countable
    glued = before.kind in "SC" and before.end == token.start
    last = before.kind == "S" and (after is None or after.kind == "B") and 1 < token.value <= 200
    if signed or glued or last:
        reading.add_count(token._replace(unit="x"), sign=signed)


def _take_times(reading: _Reading, token: Token, _before: Token | None, _after: Token | None) -> None:
    reading.touched = True
    reading.times = int(token.value)


def _take_group(reading: _Reading, token: Token, _before: Token | None, _after: Token | None) -> None:
    reading.merge(_read(token.parts))


_TAKE = {"S": _take_size, "V": _take_set, "C": _take_count, "N": _take_number, "M": _take_times, "G": _take_group}
