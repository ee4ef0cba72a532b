"""How good and how fast the match stage decides: `python -m bench.match`.

Reads the labelled cases beside the repository (../shared/cases) and says so where they are absent; the sandbox is
always there. Nothing here is asserted: tests/ai holds the floors.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from ai import pairs, queries
from ai import spec as product_spec
from ai.gate import GATE_VERSION, Judgement, judge
from ai.match import decide
from ai.quantity import parse
from bench import match_ai
from bench.scores import CASES, Score, interval, rows
from model import Offer, Product, Same
from sandbox.catalogue import products

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

QUANTITY_FIELDS = ("unit_amount", "unit", "count", "total")


def _offer(title: str, price: int = 0, url: str = "") -> Offer:
    return Offer(mall="naver", rank=1, name=title, price_krw=price, url=url)


def korean(*files: str) -> tuple[Score, list[tuple[Judgement, bool]]]:
    """Pairs of a request and a title, undecidable ones left out; the score and every judgement with its label."""
    score, judged = Score(), []
    for row in (row for file in files for row in rows(file)):
        if row["label"] is None:
            continue
        found = judge(product_spec.read(row["request_name"], row["request_spec"]), _offer(row["offer_title"]))
        score.add(said=found.verdict == "accept", label=bool(row["label"]), reason=row["reason"])
        judged.append((found, bool(row["label"])))
    return score, judged


def sandbox() -> Score:
    """Every title of the sandbox market once against its own request."""
    score = Score()
    for product in products():
        wanted = product_spec.read(product.request.name, product.request.specification)
        for title, offer in {offer.title: offer for offer in product.offers}.items():
            found = judge(wanted, Offer(mall=offer.mall, rank=1, name=title, price_krw=1, url="", used=offer.used))
            if offer.why not in ("sold_out", "preorder", "rental", "origin", "option", "condition") or not _by_card(
                offer
            ):
                score.add(said=found.verdict == "accept", label=offer.why == "same", reason=offer.why)
    return score


def _by_card(offer: Any) -> bool:
    """Whether only the card tells what is wrong with the offer."""
    return bool(offer.used or offer.overseas or offer.sold_out or offer.option_range or offer.rental)


def lowest() -> Counter[str]:
    """Per priced request: was the offer reported as the lowest right, another one's price, wrong, or none."""
    requests: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows("ko_pairs.jsonl"):
        if row["label"] is not None and row["offer_price_krw"]:
            requests[row["request_name"], row["request_spec"]].append(row)
    out: Counter[str] = Counter()
    for (name, specification), given in requests.items():
        offers = [_offer(row["offer_title"], row["offer_price_krw"], row["id"]) for row in given]
        match = decide(Product(code="", name=name, specification=specification), offers, shipping=lambda _offer: 0)
        out[_kind(given, match.winner.offer.url if match.winner else None)] += 1
    return out


def _kind(given: list[dict[str, Any]], winner: str | None) -> str:
    same = {row["id"]: row["offer_price_krw"] for row in given if row["label"]}
    if not same:
        return "right" if winner is None else "wrong product"
    if winner is None:
        return "none though there is one"
    if winner not in same:
        return "wrong product"
    return "right" if same[winner] == min(same.values()) else "right product, not the lowest"


def quantities() -> tuple[int, int, list[str]]:
    """Exact cases, all cases, titles that are not exact."""
    given = rows("ko_quantity.jsonl")
    bad = [
        row["title"] for row in given if any(parse(row["title"]).to_json()[key] != row[key] for key in QUANTITY_FIELDS)
    ]
    return len(given) - len(bad), len(given), bad


def english(name: str) -> Score:
    """Bare English pairs by `lps pairs`."""
    given, score = rows(f"en_{name}_dev.jsonl"), Score()
    for row, found in zip(given, pairs.label([(row["left"], row["right"]) for row in given]), strict=True):
        score.add(said=found.verdict is Same.SAME, label=bool(row["label"]), reason="")
    return score


def each_us(work: Callable[[Any], object], inputs: Iterable[Any]) -> float:
    """Mean microseconds of CPU of one call, every input once: a busy machine tells nothing about the wall clock."""
    given = list(inputs)
    start = time.process_time()
    for one in given:
        work(one)
    return (time.process_time() - start) / len(given) * 1e6


def wilson(right: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """95 % interval of a share, sound for small counts and for all or none."""
    if not of:
        return 0.0, 1.0
    share, spread = right / of, z * math.sqrt(right / of * (1 - right / of) / of + z * z / (4 * of * of))
    middle, scale = share + z * z / (2 * of), 1 + z * z / of
    return (middle - spread) / scale, (middle + spread) / scale


def calibration_error(judged: list[tuple[Judgement, bool]]) -> float:
    """Expected calibration error over accepted and rejected offers: mean distance of stated and reached, weighted."""
    table = [row for row in reliability(judged) if row[0] != "ask"]
    return sum(count * abs(said - right) for _, said, count, right in table) / sum(count for *_, count, _ in table)


def reliability(judged: list[tuple[Judgement, bool]]) -> list[tuple[str, float, int, float]]:
    """(verdict, stated confidence, how many, share that was right)."""
    groups: dict[tuple[str, float], list[bool]] = defaultdict(list)
    for found, label in judged:
        groups[found.verdict, found.confidence].append(label if found.verdict == "accept" else not label)
    return [(verdict, said, len(right), sum(right) / len(right)) for (verdict, said), right in sorted(groups.items())]


def _quality() -> None:
    for name, files in (("ko_pairs", ["ko_pairs.jsonl"]), ("ko_pairs_small", ["ko_pairs_small.jsonl"])):
        score, _ = korean(*files)
        print(f"{name:16} {score}  hard facts accepted {score.hard}")
        _intervals(score)
    score, judged = korean("ko_pairs.jsonl", "ko_pairs_small.jsonl")
    print("  both, by reason class (right of all, Wilson 95 %):")
    for why in sorted(score.seen):
        low, high = wilson(score.right[why], score.seen[why])
        print(f"    {why:16} {score.right[why]:3}/{score.seen[why]:<3}  {low:.2f}-{high:.2f}")
    print(f"  reliability (verdict, stated, n, right); ECE {calibration_error(judged):.3f} over accept and reject:")
    for verdict, said, count, right in reliability(judged):
        print(f"    {verdict:7} {said:.2f}  {count:4}  {right:.3f}")
    found = lowest()
    print(
        f"{'lowest offer':16}",
        "  ".join(f"{kind} {count}" for kind, count in found.most_common()),
        f"of {found.total()}",
    )
    exact, total, bad = quantities()
    print(f"{'quantity':16} {exact}/{total} exact", *(f"\n    not exact: {title}" for title in bad))
    for name in ("abt-buy", "amazon-google", "walmart-amazon"):
        score = english(name)
        low, high = interval(score)
        print(f"{name:16} {score}  F1 95 % interval {low:.3f}-{high:.3f}")


def _intervals(score: Score) -> None:
    precision = wilson(score.tp, score.tp + score.fp)
    recall = wilson(score.tp, score.tp + score.fn)
    low, high = interval(score)
    print(
        f"  95 %: P {precision[0]:.3f}-{precision[1]:.3f}  R {recall[0]:.3f}-{recall[1]:.3f} (Wilson)"
        f"  F1 {low:.3f}-{high:.3f} (bootstrap)"
    )


def _speed() -> None:
    titles = (CASES / "ko_titles_sample.txt").read_text(encoding="utf-8").splitlines()
    print(f"{'quantity':16} {each_us(parse, titles):.0f} us of CPU a title, {len(titles)} titles, no crash")
    given = rows("ko_pairs.jsonl")
    work = [
        (product_spec.read(row["request_name"], row["request_spec"]), _offer(f"{row['offer_title']} {at}"))
        for at, row in enumerate(given)
    ]
    print(f"{'gate':16} {each_us(lambda pair: judge(*pair), work):.0f} us of CPU a pair, titles never seen before")
    offers = [_offer(f"{given[at % len(given)]['offer_title']} {at}번", 1000 + at, str(at)) for at in range(1000)]
    product = Product(code="", name=given[0]["request_name"], specification=given[0]["request_spec"])
    took = each_us(lambda given: decide(product, given, shipping=lambda _offer: 3000), [offers])
    print(f"{'decide':16} {took / 1e6:.3f} s of CPU for 1,000 offers")


def _always() -> None:
    long = "가나 500ml x 2개 + (증정 3개) " * 500
    print(f"{'10 kB title':16} {each_us(parse, [long[:10_000]]) / 1000:.2f} ms quantity")
    score = sandbox()
    print(f"{'sandbox':16} {score}  hard facts accepted {score.hard}")
    ladder = queries.ladder(Product(code="", name="[공식] 가람 보리차 1.5L", specification="12개"), 3)
    print(f"{'query ladder':16} {' | '.join(ladder)}")


def main() -> int:
    """Print the table."""
    print(f"gate version {GATE_VERSION}, rules only")
    if CASES.is_dir():
        _quality()
        _speed()
    else:
        print(f"skipped: labelled cases are not at {CASES}", file=sys.stderr)
    _always()
    print()
    return match_ai.main()


if __name__ == "__main__":
    sys.exit(main())
