"""Titles that talk to the reader: none is shown to a model, and none changes who wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import config
from ai.ask_alone import Alone
from ai.client import Client
from ai.match import decide
from ai.prompt_guard import speaks
from bench.hostile import INJECTIONS
from model import Offer, Product, Same
from sandbox.server import Market, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEA = Product(code="", name="들샘 보리차 1.5L", specification="12개")
OPEN = "들샘 보리차 블랙라벨 1.5L 12개"


@pytest.fixture(scope="module")
def market() -> Iterator[Market]:
    """A sandbox with its model."""
    with serve() as running:
        yield running


@pytest.fixture
def counsel(market: Market) -> Iterator[Alone]:
    """That model, asked about what rules leave open."""
    market.reset()
    env = {"LPS_SANDBOX__ON": "true", "OPENAI_API_KEY": "k", "LPS_AI__BASE_URL": f"{market.url}/ai/v1"}
    settings = config.load(env=env).ai
    client = Client(settings)
    yield Alone(settings, client)
    client.close()


def _offer(title: str, price: int) -> Offer:
    return Offer(mall="naver", rank=1, name=title, price_krw=price, url=title, shipping_krw=0)


def _winner(counsel: Alone, *offers: Offer) -> str | None:
    match = decide(TEA, offers, shipping=lambda _: 3000, counsel=counsel)
    return match.winner.offer.name if match.winner else None


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_hostile_title_changes_the_winner(market: Market, counsel: Alone, text: str) -> None:
    """The endpoint obeys it and passes the controls; it is cheapest; it stays unsure, and the honest offer wins."""
    bad, good = f"{OPEN} {text}", "들샘 보리차 골드라벨 1.5L 12개"
    market.oracle.obey([bad, f"{text} {OPEN}"])
    before = _winner(counsel, _offer(good, 15_000))
    assert before == good
    after = _winner(counsel, _offer(bad, 9_000), _offer(good, 15_000), _offer(f"{text} {OPEN}", 9_100))
    assert before == after


def test_the_endpoint_would_obey(market: Market, counsel: Alone) -> None:
    """What is not recognised as hostile is obeyed: the test above tests something."""
    market.oracle.obey([OPEN])
    assert _winner(counsel, _offer(OPEN, 9_000), _offer("들샘 보리차 골드라벨 1.5L 12개", 15_000)) == OPEN
    match = decide(TEA, [_offer(OPEN, 9_000)], shipping=lambda _: 0, counsel=counsel)
    assert Same.SAME is match.decisions[0].verdict


def test_a_models_word_alone_carries_no_price_far_below_a_sure_one(market: Market, counsel: Alone) -> None:
    """A tenth below what the rules are sure of, a model's "same" is a doubt, not a winner."""
    sure = _offer("들샘 보리차 1.5L 12개", 15_000)
    assert sure.name == _winner(counsel, sure, _offer(OPEN, 13_400))
    assert OPEN == _winner(counsel, sure, _offer(OPEN, 13_600))


def test_words_of_the_request_are_no_suspicion() -> None:
    """Who asks for a book on prompts may be offered one."""
    assert speaks("프롬프트 엔지니어링 교과서")
    assert not speaks("프롬프트 엔지니어링 교과서", "프롬프트 엔지니어링 교과서")


def test_real_titles_are_shown(shared: Path) -> None:
    """Of 20,000 real ones at most one in two hundred is held back."""
    titles = (shared / "cases/ko_titles_sample.txt").read_text(encoding="utf-8").splitlines()
    assert len(titles) / 200 > sum(map(speaks, titles))
