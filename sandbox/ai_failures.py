"""How the sandbox's model misbehaves on demand, one failure at a time.

Set by `Oracle.fail`, `--scenario ai=name[:arg]` or POST /_sandbox/scenario. `arg` is a comma list as for the malls: a
bare value is the failure's own, `after=N` and `first=N` bound which calls it strikes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sandbox.answer import JSON, Answer
from sandbox.strike import Strike, UnknownScenario

if TYPE_CHECKING:
    from collections.abc import Callable

    Decisions = list[dict[str, Any]]


class Failure(Strike):
    """A failure as set."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a failure changes, in the order of these fields."""

    wait_s: Callable[[str], float] | None = None
    instead: Callable[[str], Answer] | None = None
    decisions: Callable[[Decisions], Decisions] | None = None
    choice: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    wire: Callable[[Answer], Answer] | None = None


def read_failure(name: str, arg: str = "") -> Failure:
    """The failure as written by a person. Raises UnknownScenario."""
    if name not in FAILURES:
        raise UnknownScenario(f"no such failure: {name!r} (one of {', '.join(FAILURES)})")
    made = Failure(name).given(arg)
    wait_s = FAILURES[name].wait_s
    try:
        if wait_s:
            wait_s(made.value)
    except ValueError:
        raise UnknownScenario(f"{name} wants a number, not {made.value!r}") from None
    return made


def _status(status: int, code: str, message: str, *, retry: bool = False) -> Callable[[str], Answer]:
    body = json.dumps({"error": {"message": message, "type": code, "code": code}, "sandbox": True}).encode()

    def answer(value: str) -> Answer:
        after = (("Retry-After", value),) if retry and value else ()
        return Answer(body=body, status=status, content_type=JSON, headers=after)

    return answer


def _message(**fields: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda choice: choice | {"message": choice["message"] | fields}


def _cut(choice: dict[str, Any]) -> dict[str, Any]:
    text = choice["message"]["content"]
    return choice | {"finish_reason": "length", "message": choice["message"] | {"content": text[: len(text) // 2]}}


def _repeated(said: Decisions) -> Decisions:
    """Every second number once more, with the other verdict."""
    other = {"same": "different", "different": "same", "unsure": "same"}
    return said + [row | {"v": other[row["v"]]} for row in said[::2]]


def _shifted(said: Decisions) -> Decisions:
    """Numbers outside the list beside the right ones."""
    return [*said, {"i": 0, "v": "same", "r": "ok"}, {"i": 9999, "v": "same", "r": "ok"}]


def _all(verdict: str) -> Callable[[Decisions], Decisions]:
    return lambda said: [row | {"v": verdict, "r": "ok" if verdict == "same" else "unknown"} for row in said]


FAILURES: dict[str, Kind] = {
    "ok": Kind(),
    "timeout": Kind(wait_s=lambda value: float(value or "inf")),
    "slow": Kind(wait_s=lambda value: float(value or "1000") / 1000),
    "http429": Kind(instead=_status(429, "rate_limit_exceeded", "Rate limit reached", retry=True)),
    "insufficient_quota": Kind(instead=_status(429, "insufficient_quota", "You exceeded your current quota")),
    "error500": Kind(instead=_status(500, "server_error", "The server had an error")),
    "error503": Kind(instead=_status(503, "overloaded", "The engine is overloaded", retry=True)),
    "bad_key": Kind(instead=_status(401, "invalid_api_key", "Incorrect API key provided")),
    "not_json": Kind(instead=lambda _: Answer(body=b"<html>502 Bad Gateway</html>")),
    "refusal": Kind(choice=_message(content=None, refusal="I cannot help with that.")),
    "truncated": Kind(choice=_cut),
    "null": Kind(choice=_message(content=None)),
    "invalid": Kind(choice=_message(content='{"decisions": [{"i": 1, "v": "perhaps"}]}')),
    "prose": Kind(choice=_message(content="Sure! Offer 1 is the same product.")),
    "wrong_canary": Kind(decisions=_all("same")),
    "all_different": Kind(decisions=_all("different")),
    "missing": Kind(decisions=lambda said: said[: -(len(said) // 2)]),
    "duplicate": Kind(decisions=_repeated),
    "out_of_range": Kind(decisions=_shifted),
    "broken_off": Kind(wire=lambda answer: replace(answer, cut_at=len(answer.body) // 2)),
    "permuted": Kind(decisions=lambda said: said[::-1]),
}
