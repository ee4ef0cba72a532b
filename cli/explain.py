"""`lps explain`, `lps correct`: why an offer won or did not, and a person's word on it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from cli.operator import operated, table
from model import Reason, Same

if TYPE_CHECKING:
    from collections.abc import Iterator

_REASONS = [reason.value for reason in Reason if reason not in (Reason.OK, Reason.PRICE)]


@click.command()
@click.argument("job_id", metavar="JOB")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of a table.")
@click.option("--all", "everything", is_flag=True, help="Also the offers that are surely another product.")
@operated
def explain(*, job_id: str, as_json: bool, everything: bool, who: str) -> int:
    """Print how a search was decided: every offer with its verdict and why, every round, every payment."""
    from tasks.explain import explained  # noqa: PLC0415 - reads the settings as it is loaded

    del who
    told = explained(job_id)
    if as_json:
        print(json.dumps(told, ensure_ascii=False, indent=2))
        return 0
    product = told["product"]
    print(f"{product['name']} {product['specification']}".rstrip(), "→", told["outcome"] or told["status"])
    for line in _rounds(told):
        print(line)
    shown = [one for one in told["offers"] if everything or one["verdict"] != "different"]
    table(("#", "verdict", "reason", "by", "conf", "KRW", "mall", "title", "missing", "note"), map(_row, shown))
    hidden = len(told["offers"]) - len(shown)
    if hidden:
        print(f"{hidden} offers of other products are not shown; --all shows them")
    return 0


def _rounds(told: dict[str, Any]) -> Iterator[str]:
    for one in told["rounds"]:
        why = f" ({one['why']})" if one["why"] else ""
        yield (
            f"round {one['round']}: {one['mode']}{why}; {one['open']} open, {one['asked']} asked, {one['cached']} "
            f"remembered; {one['took_ms']} ms; {one['version']}"
        )
    for one in told["payments"]:
        settled = "open" if one["settled_usd"] is None else f"{one['settled_usd']:.6f} USD"
        lost = ", written off" if one["written_off"] else ""
        yield f"paid for {one['kind']}: {settled} of {one['reserved_usd']:.6f} reserved{lost}"


def _row(one: dict[str, Any]) -> tuple[object, ...]:
    price = "" if one["effective_price_krw"] is None else f"{one['effective_price_krw']:,}"
    missing = " ".join(one["missing"])
    by, confidence = one["decided_by"], f"{one['confidence']:.2f}"
    title = one["title"]
    return one["n"], one["verdict"], one["reason"], by, confidence, price, one["mall"], title, missing, one["note"]


@click.command()
@click.argument("job_id", metavar="JOB", required=False)
@click.argument("offer", required=False)
@click.argument("verdict", type=click.Choice(["same", "different"]), required=False)
@click.option("--why", default="", help="In words; kept with the case.")
@click.option("--reason", type=click.Choice(_REASONS), help="What differs; unknown when not given.")
@click.option("--export", is_flag=True, help="Print every correction so far as JSON lines instead.")
@operated
def correct(
    *,
    job_id: str | None,
    offer: str | None,
    verdict: str | None,
    why: str,
    reason: str | None,
    export: bool,
    who: str,
) -> int:
    """Say of an offer that it is, or is not, the product: `lps correct JOB 3 different --why "다른 맛"`.

    OFFER is its number in `lps explain`, its id at the mall or its title. It holds for this title from the next search
    on and wins over rules and model; the finished search stays as it is.
    """
    from tasks import correct as people  # noqa: PLC0415 - reads the settings as it is loaded

    if export:
        for case in people.cases():
            print(json.dumps(case, ensure_ascii=False))
        return 0
    if job_id is None or offer is None or verdict is None:
        raise click.UsageError("give JOB, OFFER and same or different, or --export")
    was = people.correct(job_id, offer, Same(verdict), who=who, why=why, reason=Reason(reason) if reason else None)
    print(f"{was.offer.mall}: {was.offer.name}: was {was.verdict} ({was.source}), is {verdict} from the next search on")
    return 0
