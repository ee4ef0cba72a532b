"""Quantity tokens made ready for counting: context traps, gifts dropped, sums folded, brackets nested.

Each step takes a list of tokens and returns a new one; only `in_context` looks at the title itself again.
"""

from __future__ import annotations

import re

from ai.scan import Token
from ai.units import DRINK_VESSELS

_DIGITAL = re.compile(
    r"\d\s?[gt]b|ssd|ddr|nvme|lte|자급제|아이폰|갤럭시|iphone|galaxy|노트북|메모리카드|usb|유심|공유기|라우터|그래픽"
    r"|라이젠|ryzen|코어\s?i[3579]|rtx|geforce|지포스|cpu|apu"
)
_PARTS = re.compile(r"ips|hz|pwm|argb|rgb|모니터|게이밍|팬|쿨러|씽크|win\d|m\.2|인텔|라이젠|나사|써멀|단자|커넥터")
_SACHETS = re.compile(
    r"커피|믹스|[가-힣]차(?![가-힣])|티(?![가-힣])|티백|녹차|홍차|코코아|초코|스틱|라떼|아메리카노|카페|분말|식초|콤부|에이드|효소|유산균|숭늉|\dg"
)
_YIELD = re.compile(r"토너|잉크|드럼|카트리지")
_PAPER = re.compile(r"(?<![a-z])(?:a[2-6]|b[45])(?![a-z0-9])|복사용지|복사지|인화지|도화지|gsm")
RANGE = "~"
"""Unit of the lower bound in "10~12개": how many pieces is not fixed."""
_GIFT = re.compile(r"증정|사은|샘플|^덤$")
_LEADING = ("증정", "사은품", "사은품증정", "증정품")
"""A title that opens with one of these lists its gifts behind plus signs."""
MAX_DEPTH = 3


def in_context(tokens: list[Token], text: str) -> list[Token]:
    """Grams that are gigabytes, 5G or paper weight, and pages a cartridge prints, count nothing; "180m x 캔" is ml."""
    digital, paper = _DIGITAL.search(text) is not None, _PAPER.search(text) is not None
    out = list(tokens)
    for at, token in enumerate(tokens):
        grams = token.kind == "S" and token.unit == "g" and "k" not in text[token.start : token.end]
        if grams and ((digital and token.value == int(token.value)) or (paper and 60 <= token.value <= 350)):
            out[at] = token._replace(kind="Z", unit="g")
        elif token.kind == "C" and at and tokens[at - 1].kind == "N" and text[tokens[at - 1].end : token.start] == "~":
            out[at - 1] = tokens[at - 1]._replace(kind="Z", value=0, unit=RANGE)
        elif token.kind == "C" and token.unit in ("t", "p") and _model_like(token, text, digital=digital):
            out[at] = token._replace(kind="Z")
        elif token.kind == "C" and token.unit == "매" and token.value >= 300 and _YIELD.search(text):
            out[at] = token._replace(kind="Z", unit="매분")
        elif token.kind == "Z" and token.unit == "m" and _vessel_follows(tokens, at):
            out[at] = token._replace(kind="S", unit="ml")
    return out


def _model_like(token: Token, text: str, *, digital: bool) -> bool:
    """Whether "265T" or "277P" names a model or a plug: T counts sachets, P counts pieces of goods without current."""
    if token.unit == "t":
        return _SACHETS.search(text) is None
    return digital or token.value > 300 or _PARTS.search(text) is not None


def _vessel_follows(tokens: list[Token], at: int) -> bool:
    sign, vessel = [*tokens[at + 1 : at + 3], Token("W"), Token("W")][:2]
    return sign.kind == "X" and vessel.kind == "C" and vessel.unit in DRINK_VESSELS


def is_gift(token: Token) -> bool:
    """Whether a word says that what stands beside it is free."""
    return token.kind == "W" and _GIFT.search(token.unit) is not None


def nest(tokens: list[Token]) -> list[Token]:
    """Brackets become G tokens; an unclosed one ends with the title, a lost closing one is ignored."""
    stack: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "L" and len(stack) <= MAX_DEPTH:
            stack.append([])
        elif token.kind == "R":
            if len(stack) > 1:
                _close(stack)
        elif token.kind != "L":
            stack[-1].append(token)
    while len(stack) > 1:
        _close(stack)
    return stack[0]


def _close(stack: list[list[Token]]) -> None:
    inside = stack.pop()
    stack[-1].append(Token("G", parts=tuple(inside)))


def drop_gifts(tokens: list[Token]) -> tuple[list[Token], bool]:
    """Without gift clauses, and whether there was one."""
    out: list[Token] = []
    found = swallow = False
    if tokens and tokens[0].kind == "W" and tokens[0].unit in _LEADING:
        joins = [at for at, token in enumerate(tokens) if token.kind == "P"]
        tokens, found = tokens[1 : joins[0] if joins else None], True
    for token in tokens:
        if swallow and token.kind not in "PG":
            continue
        if token.kind == "G" and any(is_gift(part) for part in token.parts):
            found = True
        elif is_gift(token) and token.unit.startswith("사은"):
            found = swallow = True
        elif is_gift(token):
            found = True
            swallow = _cut_back(out, named=not token.unit.startswith(("증정", "사은", "덤", "무료증")))
        else:
            swallow = False
            out.append(token)
    return out, found


def _cut_back(out: list[Token], *, named: bool) -> bool:
    """Take the clause before a gift word away; True when the gift is named after the word ("+ 증정 A, B").

    `named`: the word names its gift itself ("쇼핑백증정"), so a quantity before it is the product's own.
    """
    if out and out[-1].kind == "P":
        out.pop()
        return True
    if not named and out and out[-1].kind in "SC":
        out.pop()
        while out and out[-1].kind == "W":
            out.pop()
    elif not named and len(out) > 1 and out[-1].kind == "W":
        out.pop()
    elif any(token.kind == "P" for token in out):
        last = max(at for at, token in enumerate(out) if token.kind == "P")
        if all(token.kind in "WZ" for token in out[last + 1 :]):
            del out[last:]
    if out and out[-1].kind == "P":
        out.pop()
    return False


def fold_sums(tokens: list[Token]) -> list[Token]:
    """`1+1` → M, `12+12` and `4개+2개` → one count, `100ml+40ml` → one set of sizes."""
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        run = _run(tokens, at)
        if len(run) > 1:
            out.extend(_sum(run))
            at += 2 * len(run) - 1
        else:
            out.append(tokens[at])
            at += 1
    return out


def _run(tokens: list[Token], at: int) -> list[Token]:
    """The quantities of one kind that a chain of plus signs joins, beginning at `at`."""
    run = [tokens[at]]
    while run[0].kind in "NCS" and at + 2 < len(tokens) and tokens[at + 1].kind == "P":
        following = tokens[at + 2]
        alike = following.kind == run[-1].kind and following.unit == run[-1].unit
        closes = run[-1].kind == "N" and following.kind == "C"
        if not (alike or closes):
            break
        run.append(following)
        at += 2
    return run


def _sum(run: list[Token]) -> list[Token]:
    total = sum(token.value for token in run)
    start, end = run[0].start, run[-1].end
    if run[0].kind == "S":
        values = tuple(token.value for token in run)
        if len(set(values)) == 1:
            return [run[0], Token("C", len(values), "+", start, end)]
        return [Token("V", total, run[0].unit, start, end, values)]
    small = run[-1].kind == "N" and run[-1].value == 1 and total <= 5
    if small or (run[-1].kind == "N" and total <= 3):
        return [Token("M", total, "", start, end)]
    return [Token("C", total, run[-1].unit or "+", start, end)]
