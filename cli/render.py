"""A finished search for people, and as one JSON document."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from model import MALLS, JobStatus, Same

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cli.follow import Finished
    from model import Decision, Job, JobSource

CHEAPER_SHOWN = 8


def document(found: Finished) -> dict[str, Any]:
    """The stored result with the job it belongs to, every source, and every offer with its verdict and reason."""
    job = found.job
    result = dict(job.result or {"outcome": None, "complete": False, "lowest": None, "metrics": {}})
    stored = result.get("sources", {})
    return {
        "job_id": job.job_id,
        "status": job.status.name,
        "product": dataclasses.asdict(job.product),
        "deduped": found.submitted.deduped,
        "cached": found.submitted.cached,
        "error": job.error,
        **result,
        "sources": {source.mall: stored.get(source.mall) or _open_source(source) for source in found.sources},
        "offers": [_offer(decision) for decision in found.decisions],
    }


def _open_source(source: JobSource) -> dict[str, Any]:
    report = source.report
    return {
        "outcome": source.outcome,
        "error": report.error if report else "",
        "offers": len(report.offers) if report else 0,
    }


def _offer(decision: Decision) -> dict[str, Any]:
    return {
        **decision.offer.to_json(),
        "verdict": decision.verdict,
        "reason": decision.reason,
        "confidence": round(decision.confidence, 3),
        "decided_by": decision.source,
        "version": decision.version,
        "cost_usd": float(decision.cost_usd),
        "note": decision.note,
        "effective_price_krw": decision.effective_price_krw,
        "shipping_known": decision.shipping_known,
        "our_unit_price": decision.unit_price,
        "matched": list(decision.matched),
        "missing": list(decision.missing),
    }


def text(found: Finished) -> Iterator[str]:
    """Line by line."""
    job, product = found.job, found.job.product
    wanted = f"{product.name} · {product.specification}" if product.specification else product.name
    note = " (fresh answer of an earlier search)" if found.submitted.cached else ""
    yield f"{wanted}{note}"
    if job.status is not JobStatus.DONE or job.result is None:
        yield f"No result: the search is {job.status.name}: {_plain(job.error or 'no reason was stored')}"
        yield from _sources(job.result["sources"] if job.result else {})
        return
    lowest = job.result.get("lowest")
    if lowest:
        yield from _winner(lowest, job.result.get("lowest_confirmed"))
    elif job.result["outcome"] == "no_safe_match":
        yield "No safe match: there are offers, and none is certain to be this product."
    elif job.result["complete"]:
        yield "Not found: no mall has it."
    else:
        yield "Nothing found so far: not every mall could be read."
    yield ""
    yield from _sources(job.result["sources"])
    yield from _cheaper(found.decisions, lowest["price"] if lowest else None)
    yield from _metrics(job)


def won(price: int | None) -> str:
    """A price as people read it."""
    return "?" if price is None else f"{price:,}원"


def _winner(lowest: dict[str, Any], confirmed: dict[str, Any] | None) -> Iterator[str]:
    yield f"  {won(lowest['price'])} = {_parts(lowest)}   {lowest['mall']}{_of(lowest['seller'])}"
    yield f"  {_plain(lowest['title'])}"
    yield f"  {_plain(lowest['url'])}"
    if lowest.get("unit_price"):
        yield f"  {lowest['unit_price']}"
    if confirmed and confirmed["url"] != lowest["url"]:
        yield f"  With known shipping: {won(confirmed['price'])} = {_parts(confirmed)}   {confirmed['mall']}"
        yield f"  {_plain(confirmed['url'])}"


def _parts(offer: dict[str, Any]) -> str:
    known = "" if offer["shipping_known"] else " (assumed: the mall does not say)"
    return f"{won(offer['item_price'])} + shipping {won(offer['shipping'])}{known}"


def _of(seller: str | None) -> str:
    return f" · {_plain(seller)}" if seller else ""


def _sources(stored: dict[str, dict[str, Any]]) -> Iterator[str]:
    if not stored:
        return
    yield f"  {'source':<8} {'outcome':<13} {'offers':>6} {'same':>5} {'ms':>7} {'bytes':>9}"
    for mall in (mall for mall in MALLS if mall in stored):
        source = stored[mall]
        why = ": ".join(str(source[key]) for key in ("kind", "error") if source.get(key))
        numbers = f"{source['offers']:>6} {source['same']:>5} {source['took_ms']:>7} {source['bytes']:>9}"
        yield f"  {mall:<8} {source['outcome']:<13} {numbers}  {_plain(why)[:90]}".rstrip()


def _cheaper(decisions: Sequence[Decision], price: int | None) -> Iterator[str]:
    """Offers that look cheaper than the winner and are not taken; without a winner, the cheapest."""

    def asked(decision: Decision) -> int:
        return decision.offer.price_krw

    rest = [one for one in decisions if one.verdict is not Same.SAME and (price is None or asked(one) < price)]
    if not rest:
        return
    yield ""
    yield "  Cheaper, and not taken:" if price else "  The cheapest, and why not:"
    for one in sorted(rest, key=asked)[:CHEAPER_SHOWN]:
        reason = one.reason if one.verdict is Same.DIFFERENT else f"unsure: {one.reason}"
        yield f"  {won(asked(one)):>11}  {one.offer.mall:<8} {reason:<18} {_plain(one.offer.name)[:70]}"
    if len(rest) > CHEAPER_SHOWN:
        yield f"  and {len(rest) - CHEAPER_SHOWN} more"


def _metrics(job: Job) -> Iterator[str]:
    metrics = (job.result or {})["metrics"]
    cost = metrics["cost"]["total_usd"]
    yield ""
    complete = "" if (job.result or {}).get("complete") else " · incomplete: not every mall could be read"
    yield f"  {metrics['duration_ms'] / 1000:.1f} s · {cost:.4f} USD · job {job.job_id}{complete}"


def _plain(text: str) -> str:
    """A mall's text, unable to move the cursor or to forge a line."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
