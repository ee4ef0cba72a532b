"""The sandbox's model: right as often as recorded, and wrong on demand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ai.prompt import build
from sandbox.ai import PATH, SUBTLE, Oracle
from sandbox.catalogue import products
from sandbox.strike import UnknownScenario

if TYPE_CHECKING:
    from tests.sandbox.conftest import Reply, Visitor

KEY = {"authorization": "Bearer k"}


def _ask(oracle: Oracle, request: str, titles: list[str]) -> dict[int, str]:
    prompt = build(request, titles, "s")
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": prompt.user}]}).encode()
    answer, _ = oracle.answer(PATH, KEY, body)
    rows = json.loads(json.loads(answer.body)["choices"][0]["message"]["content"])["decisions"]
    said = {row["i"]: row["v"] for row in rows}
    return {at: said[number] for at, number in enumerate(prompt.numbers)}


def _rates(seed: int) -> tuple[float, float]:
    """Share of the same products it finds, and of the subtly different ones it calls the same."""
    oracle = Oracle(seed)
    found = same = misled = subtle = 0
    for product in products():
        request = f"{product.request.name} | {product.request.specification}".rstrip(" |")
        offers = list({one.title: one for one in product.offers}.values())
        for at, said in _ask(oracle, request, [one.title for one in offers]).items():
            right, hard = offers[at].why == "same", offers[at].why in SUBTLE
            same, found = same + right, found + (right and said == "same")
            subtle, misled = subtle + hard, misled + (hard and said == "same")
    return found / same, misled / subtle


def test_it_errs_as_often_as_recorded() -> None:
    """.90 of the same products found; about .028 of the subtly different ones called the same."""
    rates = [_rates(seed) for seed in range(3)]
    assert pytest.approx(0.90, abs=0.03) == sum(found for found, _ in rates) / 3
    assert pytest.approx(0.028, abs=0.015) == sum(misled for _, misled in rates) / 3


def test_the_same_seed_errs_on_the_same_titles() -> None:
    """A run can be repeated."""
    product = products()[0]
    titles = [one.title for one in product.offers]
    assert _ask(Oracle(3), product.request.name, titles) == _ask(Oracle(3), product.request.name, titles)


def _post(visit: Visitor, body: Any, headers: dict[str, str] | None = None) -> Reply:
    return visit.get(PATH, headers or {"Authorization": "Bearer k"}, method="POST", body=json.dumps(body))


def test_it_speaks_http_and_refuses_whoever_brings_no_key(visit: Visitor) -> None:
    """As the real one: 401 without a key, 400 for a body it cannot read, 404 elsewhere."""
    assert [401, 400, 404] == [
        _post(visit, {}, {"Authorization": ""}).status,
        _post(visit, {"messages": []}).status,
        visit.get("/ai/v1/models", {"Authorization": "Bearer k"}, method="POST", body="{}").status,
    ]
    counts = visit.get("/_sandbox/counts").json()["ai"]
    assert (3, 0, 7) == (counts["requests"], counts["answers"], counts["seed"])


def test_a_failure_is_set_like_a_malls_scenario(visit: Visitor) -> None:
    """By the same switch, with the same arguments; an unknown one is refused."""
    switch = json.dumps({"mall": "ai", "name": "http429", "arg": "7,first=1"})
    assert 200 == visit.get("/_sandbox/scenario", method="POST", body=switch).status
    prompt = build("물 2L", ["물 2L"], "s")
    body = {"model": "m", "messages": [{"role": "user", "content": prompt.user}]}
    first, second = _post(visit, body), _post(visit, body)
    assert (429, "7", 200) == (first.status, first.headers["retry-after"], second.status)
    with pytest.raises(UnknownScenario):
        visit.market.set_scenario("ai", "nonsense")
