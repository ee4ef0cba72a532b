"""What a model adds to the rules, and what it costs: `python -m bench.match_ai`, also printed by `bench.match`.

Three measures. Recorded: real gpt-4o-mini answers to four wordings stand for the model on the pairs that the rules
would ask about. Hostile: an endpoint that obeys every injected title. Catalogue: every product of the sandbox, all its
offers, with the sandbox's noisy model (self-written, its errors as often as recorded). Nothing here is asserted.
"""

from __future__ import annotations

import contextlib
import statistics
import sys
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import config
from ai import pairs
from ai.ask_alone import Alone
from ai.cache import pair
from ai.client import Client
from ai.match import decide
from ai.prompt_guard import speaks
from bench.hostile import INJECTIONS
from bench.scores import CASES, Score, interval, rows
from model import Offer, Product, Same
from sandbox.ai import SEED
from sandbox.catalogue import products
from sandbox.server import serve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ai.ask import Model
    from model import Decision, Match
    from sandbox.catalogue import SandboxOffer, SandboxProduct
    from sandbox.server import Market

RECORDED = "en_abt-buy_recorded_answers_dev.jsonl"
SHIPPING_KRW = 3000
TEA = Product(code="", name="들샘 보리차 1.5L", specification="12개")
OPEN = "들샘 보리차 블랙라벨 1.5L 12개"
"""Another edition, which only reading can tell: the rules leave it open."""


def _f1(given: Sequence[dict[str, Any]], said: Sequence[bool]) -> Score:
    score = Score()
    for row, same in zip(given, said, strict=True):
        score.add(said=same, label=bool(row["label"]), reason="")
    return score


def recorded() -> None:
    """Abt-Buy with recorded answers, one wording at a time."""
    given = rows(RECORDED)
    found = pairs.label([(row["left"], row["right"]) for row in given])
    paid = sum(one.ask for one in found) / len(given)
    print(f"recorded answers: {len(given)} Abt-Buy pairs, {paid:.1%} of them paid for")
    print(f"  {'rules alone':38} {_f1(given, [one.verdict is Same.SAME for one in found])}")
    scores = []
    for wording in given[0]["answers"]:
        answers = [row["answers"][wording] == 1 for row in given]
        alone = _f1(given, answers)
        said = [yes if one.ask else one.verdict is Same.SAME for one, yes in zip(found, answers, strict=True)]
        score = _f1(given, said)
        low, high = interval(score)
        scores.append(score.f1)
        print(f"  {wording:38} {score}  F1 95 % interval {low:.3f}-{high:.3f}  (model alone {alone.f1:.3f})")
    print(f"  spread of the four wordings {max(scores) - min(scores):.3f}, lowest F1 {min(scores):.3f}")


@contextlib.contextmanager
def _market(seed: int = SEED) -> Iterator[tuple[Market, config.Settings, Client]]:
    """The sandbox with its model, and settings that name it."""
    with serve(ai_seed=seed) as market:
        env = {"LPS_SANDBOX__ON": "true", "OPENAI_API_KEY": "sandbox", "LPS_AI__BASE_URL": f"{market.url}/ai/v1"}
        settings = config.load(env=env)
        client = Client(settings.ai)
        yield market, settings, client
        client.close()


def hostile() -> None:
    """Whether an injected title changes the winner, where the endpoint does what titles say and passes the controls."""
    honest = [_offer("들샘 보리차 1.5L 12개", 20_000), _offer("들샘 보리차 골드라벨 1.5L 12개", 15_000)]
    with _market() as (market, settings, client):
        before = _winner(settings, client, honest)
        obeyed_if_asked = changed = 0
        for at, text in enumerate(INJECTIONS):
            bad = f"{OPEN} {text}"
            market.oracle.obey([bad])
            changed += _winner(settings, client, [*honest, _offer(bad, 9_000 + at)]) != before
            obeyed_if_asked += _obeyed(settings, client, bad)
        bad_ones = [_offer(f"{text} {OPEN}", 9_000 + at) for at, text in enumerate(INJECTIONS)]
        market.oracle.obey([offer.name for offer in bad_ones])
        together = _winner(settings, client, [*honest, *bad_ones]) != before
    shown = sum(not speaks(f"{OPEN} {text}", "들샘 보리차 1.5L 12개") for text in INJECTIONS)
    print(
        f"hostile titles: {len(INJECTIONS)}, an endpoint that obeys them: winner changed {changed} times one by one, "
        f"{int(together)} of 1 all together; {shown} were shown to the model at all; had they been shown, "
        f"{obeyed_if_asked} would have been obeyed"
    )


def _winner(settings: config.Settings, client: Model, offers: list[Offer]) -> str | None:
    match = decide(TEA, offers, shipping=lambda _: SHIPPING_KRW, counsel=Alone(settings.ai, client))
    return match.winner.offer.name if match.winner else None


def _obeyed(settings: config.Settings, client: Model, title: str) -> bool:
    """What the endpoint would say of the title, asked without any guard: shows that the attack is real."""
    asked = pair(TEA, title, model=settings.ai.model)
    told = Alone(settings.ai, client).rule([asked])
    return asked.key in told.rulings and told.rulings[asked.key].verdict is Same.SAME


def _offer(title: str, price: int) -> Offer:
    return Offer(mall="naver", rank=1, name=title, price_krw=price, url=title, shipping_krw=0)


@dataclass
class Tally:
    """How searches ended."""

    ends: Counter[str] = field(default_factory=Counter)
    calls: list[int] = field(default_factory=list)
    usd: list[Decimal] = field(default_factory=list)

    def __str__(self) -> str:
        ends = "  ".join(f"{end} {self.ends[end]}" for end in ("right", "dearer", "wrong", "none", "rightly none"))
        if not any(self.calls):
            return f"{ends}  calls 0  0 USD"
        paid = sorted(self.usd)
        return (
            f"{ends}  calls {sum(self.calls)} (at most {max(self.calls)} a round)  {sum(paid):.5f} USD, "
            f"median {statistics.median(paid):.6f}, most {paid[-1]:.6f}"
        )


def seeds(last: int = 8) -> None:
    """The same searches with other errors of the model."""
    tally = Tally()
    for seed in range(1, last + 1):
        with _market(seed) as (_, settings, client):
            for product in products():
                _search(product, Alone(settings.ai, client, product.request.code), tally)
    print(f"  seeds 1 to {last}, rules + model: {tally}")


def catalogue() -> None:
    """Every product of the sandbox against all its offers, decided four ways."""
    given = products()
    tallies = {name: Tally() for name in ("cheapest hit", "rules only", "model alone", "rules + model", "again")}
    with _market() as (market, settings, client):
        seed = market.oracle.counts()["seed"]
        for product in given:
            _ways(product, settings, client, tallies)
        counted = market.oracle.counts()
    offers = sum(len(product.offers) for product in given)
    print(f"sandbox catalogue: {len(given)} products, {offers} offers, noisy model P .93 R .90, seed {seed}")
    print(
        "  right = the true lowest price; dearer = the product, not at its lowest; none = no winner though there is one"
    )
    for name, tally in tallies.items():
        print(f"  {name:14} {tally}")
    billed = (
        counted["input_tokens"] * settings.ai.prices[0].input_usd
        + counted["output_tokens"] * settings.ai.prices[0].output_usd
    ) / 1_000_000
    ours = sum((sum(tally.usd) for tally in tallies.values()), start=billed * 0)
    print(f"  the endpoint billed {billed:.6f} USD in {counted['answers']} answers, our ledger says {ours:.6f}")


def _wanted(product: SandboxProduct) -> Product:
    request = product.request
    return Product(code=request.code, name=request.name, specification=request.specification)


def _search(product: SandboxProduct, counsel: Alone | None, tally: Tally) -> None:
    """Decide one request over all its offers as a match round does, and count how it ended and what it cost."""
    offers = {str(one.offer_id): one for one in product.offers}
    cards = [_card(one, rank) for rank, one in enumerate(product.offers, 1) if not one.sold_out]
    calls, usd = (len(counsel.calls), counsel.spent_usd) if counsel else (0, Decimal(0))
    match = decide(_wanted(product), cards, shipping=lambda _: SHIPPING_KRW, counsel=counsel)
    tally.ends[_end(product, _chosen(match, offers))] += 1
    if counsel:
        tally.calls.append(len(counsel.calls) - calls)
        tally.usd.append(counsel.spent_usd - usd)


def _ways(product: SandboxProduct, settings: config.Settings, client: Client, tallies: dict[str, Tally]) -> None:
    cheapest = min(product.offers, key=lambda one: one.effective_krw, default=None)
    tallies["cheapest hit"].ends[_end(product, cheapest)] += 1
    _search(product, None, tallies["rules only"])
    counsel = Alone(settings.ai, client, product.request.code)
    _search(product, counsel, tallies["rules + model"])
    _search(product, counsel, tallies["again"])
    alone = Alone(settings.ai, client, f"alone {product.request.code}")
    _alone(product, _wanted(product), alone, tallies["model alone"])


def _alone(product: SandboxProduct, wanted: Product, counsel: Alone, tally: Tally) -> None:
    """No rules at all: every title is asked about, in pieces of `max_offers`, and the cheapest "same" wins."""
    titles = list({one.title: pair(wanted, one.title, model=counsel.model) for one in product.offers}.values())
    said: dict[str, Same] = {}
    for at in range(0, len(titles), 40):
        piece = titles[at : at + 40]
        told = counsel.rule(piece)
        said |= {one.title: told.rulings[one.key].verdict for one in piece if one.key in told.rulings}
    same = [one for one in product.offers if said.get(one.title) is Same.SAME]
    tally.ends[_end(product, min(same, key=lambda one: one.effective_krw, default=None))] += 1
    tally.calls.append(len(counsel.calls))
    tally.usd.append(counsel.spent_usd)


def _card(one: SandboxOffer, rank: int) -> Offer:
    """An offer as its mall's parser would read it."""
    return Offer(
        mall=one.mall,
        rank=rank,
        name=one.title,
        price_krw=one.price_krw,
        url=str(one.offer_id),
        mall_item_id=str(one.offer_id),
        shipping_krw=one.shipping_krw,
        free_shipping_from_krw=one.free_from_krw,
        seller=one.seller,
        ad=one.ad,
        used=one.used or 4 <= one.product_type <= 6,
        overseas=one.overseas or one.agent,
        preorder=one.product_type >= 10,
        catalogue=one.catalogue,
        option_range=one.option_range,
    )


def _chosen(match: Match, offers: dict[str, SandboxOffer]) -> SandboxOffer | None:
    winner: Decision | None = match.winner
    return offers[winner.offer.url] if winner else None


def _end(product: SandboxProduct, chosen: SandboxOffer | None) -> str:
    if chosen is None:
        return "rightly none" if product.right_price is None else "none"
    if not chosen.same:
        return "wrong"
    return "right" if chosen.effective_krw == product.right_price else "dearer"


def main() -> int:
    """Print all measures."""
    if CASES.is_dir():
        recorded()
    else:
        print(f"skipped: recorded answers are not at {CASES}", file=sys.stderr)
    hostile()
    catalogue()
    seeds()
    return 0


if __name__ == "__main__":
    sys.exit(main())
