"""Misbehaviour on demand: a table of scenarios, one at a time for each mall.

Set at start (`--scenario mall=name[:arg]`) or later (POST /_sandbox/scenario). They touch pages, never pictures and
style sheets. `arg` is a comma list; a bare value is the scenario's own, and every scenario knows `after=N` (the first N
pages still answer well) and `first=N` (only the first N pages misbehave).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sandbox import blocked, heavy, markup, oddities
from sandbox.answer import JSON, Answer, Ask, View, html
from sandbox.malls import MALLS, naver
from sandbox.strike import Strike, UnknownScenario

if TYPE_CHECKING:
    from collections.abc import Callable

_CHARSET = re.compile(rb'<meta charset="utf-8">')


@dataclass(frozen=True, slots=True)
class Kind:
    """What a scenario does, in the order of these fields."""

    instead: Callable[[Ask, str], Answer | None] | None = None
    """Answers in the mall's place; None lets the mall answer."""
    view: Callable[[View], View] | None = None
    change: Callable[[Answer, Ask, str], Answer] | None = None
    wait_s: Callable[[str], float] | None = None
    """Seconds before the answer; infinite is until the sandbox closes."""


@dataclass(frozen=True, slots=True)
class Scenario(Strike):
    """A scenario as set for one mall."""

    @property
    def kind(self) -> Kind:
        """What it does."""
        return TABLE[self.name]


def read(mall: str, name: str, arg: str = "") -> Scenario:
    """The scenario as written by a person. Raises UnknownScenario."""
    if mall not in MALLS:
        raise UnknownScenario(f"no such mall: {mall!r} (one of {', '.join(MALLS)})")
    if name not in TABLE:
        raise UnknownScenario(f"no such scenario: {name!r} (one of {', '.join(TABLE)})")
    made = Scenario(name).given(arg)
    _checked(made)
    return made


def _checked(scenario: Scenario) -> None:
    try:
        if scenario.kind.wait_s:
            scenario.kind.wait_s(scenario.value)
        if scenario.name == "huge":
            float(scenario.value or "1")
        if scenario.name in ("nested", "slow_third_party", "ip_budget"):
            int(scenario.value or "1")
    except ValueError:
        raise UnknownScenario(f"{scenario.name} wants a number, not {scenario.value!r}") from None


def _too_many(ask: Ask, value: str) -> Answer:
    if ask.mall == "naver":
        return naver.failure("010" if value == "daily" else "012")
    after = (("Retry-After", value or "1"),)
    return html(
        markup.page(ask.mall, "429", "<main>Too Many Requests</main>", base=ask.base), status=429, headers=after
    )


def _over_budget(ask: Ask, value: str) -> Answer | None:
    return blocked.refusal(ask, "") if ask.ip_page_no > int(value or "3") else None


def _server_error(ask: Ask, _: str) -> Answer:
    if ask.mall == "naver":
        return naver.failure("SE99")
    if "/api/" in ask.path:
        return Answer(body=b'{"sandbox":true,"error":"Internal Server Error"}', status=500, content_type=JSON)
    return html(markup.page(ask.mall, "500", "<main>Internal Server Error</main>", base=ask.base), status=500)


def _rename_hashes(answer: Answer, _: Ask, __: str) -> Answer:
    return replace(answer, body=markup.rehash(answer.body.decode()).encode())


def _rename_prefixes(answer: Answer, ask: Ask, _: str) -> Answer:
    text = answer.body.decode()
    for old, new in MALLS[ask.mall].PREFIXES.items():
        text = text.replace(old, new)
    return replace(answer, body=text.encode())


def _truncate(answer: Answer, _: Ask, value: str) -> Answer:
    half = len(answer.body) * 3 // 5
    if value == "wire":
        return replace(answer, cut_at=half)
    return replace(answer, body=answer.body[:half].decode(errors="ignore").encode())


def _euckr(answer: Answer, _: Ask, value: str) -> Answer:
    is_json = answer.content_type == JSON
    body = answer.body.decode().encode("euc-kr", errors="replace" if is_json else "xmlcharrefreplace")
    if value == "declared":
        kind = answer.content_type.replace("utf-8", "euc-kr")
        return replace(answer, body=_CHARSET.sub(b'<meta charset="euc-kr">', body), content_type=kind)
    return replace(answer, body=body)


def _huge(answer: Answer, _: Ask, value: str) -> Answer:
    size = int(float(value or "20") * 1_000_000)
    if answer.content_type == JSON:
        return replace(answer, body=answer.body + b" " * size)
    filler = b"<!-- " + b"sandbox padding " * (size // 16) + b" -->"
    return replace(answer, body=answer.body.replace(b"</head>", b"</head>" + filler, 1))


def _closed(answer: Answer, _: Ask, __: str) -> Answer:
    return replace(answer, cut_at=0)


def _as(**fields: bool) -> Callable[[View], View]:
    return lambda view: replace(view, **fields)


TABLE: dict[str, Kind] = {
    "ok": Kind(),
    "empty": Kind(view=_as(empty=True)),
    "block403": Kind(instead=blocked.refusal),
    "challenge": Kind(instead=blocked.challenge),
    "challenge_endless": Kind(instead=blocked.endless),
    "banned": Kind(view=_as(banned=True)),
    "http429": Kind(instead=_too_many),
    "http418": Kind(instead=oddities.teapot),
    "not_found": Kind(instead=oddities.not_found),
    "foreign": Kind(instead=oddities.foreign),
    "ip_budget": Kind(instead=_over_budget),
    "error500": Kind(instead=_server_error),
    "reset": Kind(change=_closed),
    "hang": Kind(wait_s=lambda value: float(value or "inf")),
    "slow": Kind(wait_s=lambda value: float(value or "3000") / 1000),
    "not_rendered": Kind(view=_as(loading=True)),
    "drift_hash": Kind(change=_rename_hashes),
    "drift_prefix": Kind(change=_rename_prefixes),
    "no_price": Kind(view=_as(no_price=True)),
    "truncated": Kind(change=_truncate),
    "euckr": Kind(change=_euckr),
    "huge": Kind(change=_huge),
    "heavy": Kind(view=_as(full=True), change=heavy.weighed),
    "nested": Kind(change=oddities.nested),
    "hung": Kind(change=oddities.hung),
    "slow_third_party": Kind(change=oddities.slow_third_party),
    "ads44": Kind(view=_as(ads=True)),
    "bait": Kind(view=_as(bait=True)),
    "sold_out_all": Kind(view=_as(sold_out=True)),
    "markup_old": Kind(view=_as(old=True)),
}


def as_json(scenarios: dict[str, Scenario]) -> bytes:
    """What is set, for GET /_sandbox/scenario."""
    table = {
        mall: {"name": one.name, "arg": one.value, "after": one.after, "first": one.first}
        for mall, one in scenarios.items()
    }
    return json.dumps({"sandbox": True, "scenarios": table}).encode()
