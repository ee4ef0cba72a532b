"""How much a title sells: unit size, count, total. Pure, linear in the title's length, and unknown rather than guessed.

Conventions: g and ml are the bases; several levels of packs multiply into one count; sheets, rolls and tablets are
pieces ("개" without a unit size); doses, lengths, percentages, model numbers and gifts count nothing; different
goods sold together have neither count nor total; neither size nor count in a title is one piece.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ai.scan import Token, clean, scan
from ai.shape import RANGE, drop_gifts, fold_sums, in_context, nest
from ai.tally import Quantity, Tally
from ai.units import INNER

__all__ = ["Quantity", "count", "parse", "tokens_of"]

_TOTAL = frozenset(("총", "전체", "합계", "도합", "총합", "총량", "총용량", "총수량"))
_MORE = frozenset(("추가", "더", "총", "x", "및", "대용량", "기획", "한정", "특가"))


@lru_cache(maxsize=8192)
def parse(title: str) -> Quantity:
    """Read one title; never raises."""
    tokens, gift = tokens_of(clean(title))
    return count(tokens, gift=gift)


def tokens_of(text: str) -> tuple[list[Token], bool]:
    """The tokens of a cleaned title without its gifts, brackets nested; and whether it had gifts."""
    return drop_gifts(nest(in_context(scan(text), text)))


def count(tokens: list[Token], *, gift: bool) -> Quantity:
    """The quantity that such tokens say."""
    reading = _read(tokens)
    if gift:
        reading.flags.append("gift")
    return reading.quantity()


def _read(tokens: list[Token] | tuple[Any, ...]) -> Tally:
    """One bracket level: its clauses between plus signs, then their sum or bundle."""
    folded = fold_sums(list(tokens))
    clauses: list[list[Token]] = [[]]
    for token in folded:
        if token.kind == "P":
            clauses.append([])
        else:
            clauses[-1].append(token)
    readings = [_clause(clause) for clause in clauses]
    # A bracket that opens with a plus sign adds other goods to what stands before it.
    readings[-1].added = len(clauses) > 1 and not clauses[0] and readings[-1].touched
    spoken = [(clause, reading) for clause, reading in zip(clauses, readings, strict=True) if reading.touched]
    if len(spoken) < 2:
        return spoken[0][1] if spoken else readings[0]
    return _joined(spoken)


def _joined(spoken: list[tuple[list[Token], Tally]]) -> Tally:
    first = spoken[0][1]
    first.unknown = any(reading.unknown for _, reading in spoken)
    goods = [(reading.size, int(reading.product)) for _, reading in spoken]
    for clause, reading in spoken[1:]:
        words = any(token.kind == "W" and token.unit not in _MORE for token in clause)
        if words or reading.size not in (None, first.size) or (reading.size and not first.counts):
            first.bundle, first.goods = True, goods
            first.flags.extend(reading.flags)
            return first
        first.counts = [Token("C", first.product + reading.product, "+")]
    return first


def _clause(tokens: list[Token]) -> Tally:
    reading = Tally()
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        _TAKE.get(token.kind, _take_other)(reading, token, before, after)
    return reading


def _take_other(reading: Tally, token: Token, _before: Token | None, _after: Token | None) -> None:
    """Words, separators and numbers that count nothing; storage may still be sold in pieces ("16GB x 2")."""
    reading.countable = (
        reading.touched
        or (token.kind == "Z" and token.unit in ("g", "gb", "tb"))
        or (token.kind == "X" and reading.countable)
    )


def _take_size(reading: Tally, token: Token, before: Token | None, _after: Token | None) -> None:
    if before is not None and before.kind == "W" and before.unit in _TOTAL:
        reading.add_total_size(token.value, token.unit)
        return
    if before is not None and before.kind == "B" and before.unit == "/" and token.unit == reading.base:
        reading.options = reading.options or reading.size != token.value
        return
    if reading.size is None and before is not None and before.kind == "X" and reading.before_sign is not None:
        reading.add_count(reading.before_sign)
    if reading.size is None and _inner_of(before, token):
        reading.counts = [known for known in reading.counts if known is not before]
        reading.total_only = True
    reading.add_size(token.value, token.unit)


def _inner_of(before: Token | None, size: Token) -> bool:
    """Whether "20개입300g" says a total: pieces in front of a size too large to be one piece's."""
    pieces = before is not None and before.kind == "C" and before.unit in INNER and before.value > 1
    return pieces and before is not None and size.value >= 1.5 * before.value


def _take_set(reading: Tally, token: Token, _before: Token | None, after: Token | None) -> None:
    reading.touched = True
    if after is not None and (after.kind == "X" or (after.kind == "C" and after.value > 1 and after.unit != "세트")):
        reading.bundle = True
    reading.size, reading.base, reading.sizes = token.parts[0], token.unit, token.parts
    reading.flags.append("sizes " + "+".join(f"{part:g}" for part in token.parts))


def _take_count(reading: Tally, token: Token, before: Token | None, _after: Token | None) -> None:
    word = before.unit if before is not None and before.kind == "W" else ""
    if word in _TOTAL:
        reading.add_total(token)
    elif (word == "약" or (before is not None and before.unit == RANGE)) and (
        token.unit in INNER or token.unit == "개"
    ):
        reading.touched = reading.about = True
        reading.total_only = reading.size is not None
    else:
        reading.add_count(token, sign=before is not None and before.kind == "X")


def _take_number(reading: Tally, token: Token, before: Token | None, after: Token | None) -> None:
    if after is not None and after.kind == "X" and token.value <= 200:
        reading.before_sign = token._replace(unit="x")
    if before is None or token.value != int(token.value):
        return
    signed = before.kind == "X" and reading.countable
    glued = before.kind in "SC" and before.end == token.start
    last = before.kind == "S" and (after is None or after.kind == "B") and 1 < token.value <= 200
    if signed or glued or last:
        reading.add_count(token._replace(unit="x"), sign=signed)


def _take_unknown(reading: Tally, _token: Token, _before: Token | None, _after: Token | None) -> None:
    reading.touched = reading.unknown = True


def _take_times(reading: Tally, token: Token, _before: Token | None, _after: Token | None) -> None:
    reading.touched = True
    reading.times = int(token.value)


def _take_group(reading: Tally, token: Token, _before: Token | None, _after: Token | None) -> None:
    reading.merge(_read(token.parts))


_TAKE = {
    "S": _take_size,
    "U": _take_unknown,
    "V": _take_set,
    "C": _take_count,
    "N": _take_number,
    "M": _take_times,
    "G": _take_group,
}
