"""A search as its reader sees it: the JSON of the API, which the pages render, too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from model import MALLS, JobStatus, Same, SourceOutcome
from web import order, texts
from web.language import text
from web.parts import here

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from model import Decision, Job, JobSource
    from store.attempts import Attempt
    from web.service import Found

SAFE_URL = re.compile(r"https?://[^\s\x00-\x20/\\@<>\"?#]+([/?#][^\s\x00-\x20\\<>\"]*)?", re.IGNORECASE)
OPTIONS = ("fallback", "allow_used", "allow_overseas")
LOGIN = re.compile(r"//[^/\s@]+@")


def safe_url(url: str | None) -> str | None:
    """The address if it is plainly http(s), else None: javascript:, data: and user@host tricks are no links."""
    return url if url and SAFE_URL.fullmatch(url) else None


def without_login(error: str | None) -> str | None:
    """An error text without the user:password of an address in it."""
    return LOGIN.sub("//***@", error) if error else error


def _when(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="milliseconds") if moment else None


def _known(kind: str, word: str) -> str:
    key = f"{kind}.{word}"
    return text(key) if texts.has(key) else word


def mall_text(mall: str) -> str:
    """The name of a mall as people know it."""
    return _known("mall", mall)


def reason_text(reason: str) -> str:
    """A reason in words."""
    return _known("reason", reason)


def tone(word: str) -> str:
    """The colour family of a state or outcome: good, bad, warn, off, or reading (still going on)."""
    if word in ("reading", "pending", "running"):
        return "reading"
    if word in ("ok", "done", "found"):
        return "good"
    if word in ("empty", "maybe", "not_asked", "disabled", "released", "skipped", "cancelled", "not_found"):
        return "off"
    return "warn" if word in ("retry", "lost", "paused", "no_safe_match") else "bad"


def offer(decision: Decision) -> dict[str, Any]:
    """One compared offer with its verdict and why."""
    members = decision.offer.to_json()
    return members | {
        "url": safe_url(decision.offer.url),
        "unit_price": decision.unit_price or decision.offer.unit_price,
        "mall_text": mall_text(decision.offer.mall),
        "effective_price_krw": decision.effective_price_krw,
        "shipping_known": decision.shipping_known,
        "verdict": decision.verdict,
        "verdict_text": text(f"verdict.{decision.verdict}"),
        "reason": decision.reason,
        "reason_text": reason_text(decision.reason),
        "confidence": round(decision.confidence, 4),
        "decided_by": decision.source,
        "version": decision.version,
        "cost_usd": float(decision.cost_usd),
        "note": decision.note,
        "matched": decision.matched,
        "missing": decision.missing,
    }


def offers(decisions: Iterable[Decision]) -> list[dict[str, Any]]:
    """Every compared offer, cheapest first; those without an effective price last."""
    return order.by(map(offer, decisions), "price")


def _source(mall: str, row: JobSource | None, *, final: bool) -> dict[str, Any]:
    if row is None:
        state = "not_asked" if final else "maybe"
    else:
        state = row.outcome or ("unfinished" if final else "reading")
    report = row.report if row else None
    return {
        "mall": mall,
        "mall_text": mall_text(mall),
        "outcome": row.outcome if row else None,
        "state": state,
        "state_text": _known("source", state),
        "tone": tone(state),
        "failed": bool(row and row.outcome and not SourceOutcome(row.outcome).answered),
        "kind": report.kind if report else "",
        "error": without_login(report.error) if report else "",
        "offers": (len(report.offers) if row.offers is None else row.offers) if row and report else None,
        "took_ms": report.took_ms if report else None,
        "bytes": report.size_bytes if report else None,
        "queries": report.queries if report else (),
        "round": row.round if row else None,
    }


def sources(rows: Iterable[JobSource], *, final: bool) -> list[dict[str, Any]]:
    """Every mall in the order of the path, those not asked included."""
    by_mall = {row.mall: row for row in rows}
    return [_source(mall, by_mall.get(mall), final=final) for mall in MALLS]


def stage_text(stage: str) -> str:
    """The name of a stage as people know it."""
    return mall_text(stage) if stage in MALLS else _known("stage", stage)


def stage(attempt: Attempt) -> dict[str, Any]:
    """One finished try of one stage."""
    name = stage_text(attempt.stage)
    outcome = _known("attempt" if texts.has(f"attempt.{attempt.outcome}") else "source", attempt.outcome)
    again = text("stage.round", n=attempt.round + 1) if attempt.round else ""
    return {
        "stage": attempt.stage,
        "round": attempt.round,
        "try": attempt.try_,
        "outcome": attempt.outcome,
        "text": f"{name}{again} · {outcome}",
        "tone": tone(attempt.outcome),
        "started_at": _when(attempt.started_at),
        "ended_at": _when(attempt.ended_at),
        "took_ms": attempt.took_ms,
        "error": without_login(attempt.error),
    }


def timeline(found: Found) -> list[dict[str, Any]]:
    """Every ended try with where it stands in the whole, in percent: `left` and `width`."""
    if not found.attempts:
        return []
    begin = found.job.created_at
    ends = [attempt.ended_at for attempt in found.attempts]
    whole = max((max(ends) - begin).total_seconds(), 0.001)

    def place(attempt: Attempt) -> dict[str, Any]:
        left = 100 * max(0.0, (attempt.started_at - begin).total_seconds()) / whole
        width = max(0.6, 100 * attempt.took_ms / 1000 / whole)
        left = min(left, 99.4)
        after_ms = max(0, round((attempt.started_at - begin).total_seconds() * 1000))
        return stage(attempt) | {
            "left": round(left, 1),
            "width": round(min(width, 100 - left), 1),
            "after_ms": after_ms,
            "worker": attempt.worker,
        }

    return [place(attempt) for attempt in found.attempts]


def _result(result: dict[str, Any] | None) -> dict[str, Any] | None:
    if result is None:
        return None
    safe = dict(result)
    for name in ("lowest", "lowest_confirmed"):
        if safe.get(name):
            safe[name] = safe[name] | {"url": safe_url(safe[name].get("url"))}
    return safe


def job(row: Job) -> dict[str, Any]:
    """The job alone."""
    state = JobStatus(row.status).name.lower()
    done, outcome = row.status is JobStatus.DONE, (row.result or {}).get("outcome")
    return {
        "job_id": row.job_id,
        "status": int(row.status),
        "state": state,
        "state_text": _known("outcome", outcome) if done and outcome else text(f"state.{state}"),
        "tone": tone(outcome if done and outcome else state),
        "final": row.final,
        "origin": here().settings.origin,
        "product": {
            "code": row.product.code,
            "name": row.product.name,
            "specification": row.product.specification,
        },
        "options": {name: row.options[name] for name in OPTIONS if row.options.get(name)},
        "round": row.round,
        "created_at": _when(row.created_at),
        "deadline_at": _when(row.deadline_at),
        "finished_at": _when(row.finished_at),
        "error": without_login(row.error),
        "result": _result(row.result),
        "links": links(row.job_id),
    }


def job_state(status: int | None, outcome: str | None) -> dict[str, str] | None:
    """A job's state as one word with its tone; None without a job."""
    if status is None:
        return None
    word = outcome if status == JobStatus.DONE and outcome else JobStatus(status).name.lower()
    return {"tone": tone(word), "text": _known("outcome" if word == outcome else "state", word)}


def search(found: Found) -> dict[str, Any]:
    """The job with its sources, stages and offers."""
    return job(found.job) | {
        "sources": sources(found.sources, final=found.job.final),
        "stages": [stage(attempt) for attempt in found.attempts],
        "offers": offers(found.decisions),
    }


def links(job_id: str) -> dict[str, str]:
    """Where a job is found, as JSON and as a page."""
    return {"self": f"/v1/lps/jobs/{job_id}", "page": f"/jobs/{job_id}"}


def winner(found: dict[str, Any]) -> dict[str, Any] | None:
    """The compared offer that the result names as the lowest."""
    lowest = (found["result"] or {}).get("lowest")
    if not lowest:
        return None
    same = (row for row in found["offers"] if row["verdict"] == Same.SAME and row["mall"] == lowest.get("mall"))
    return next((row for row in same if row["name"] == lowest.get("title") and row["url"] == lowest.get("url")), None)


def lowest_by_mall(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """The lowest effective price (KRW) of the accepted offers of each mall; rows come cheapest first."""
    lowest: dict[str, int] = {}
    for row in rows:
        if row["verdict"] == Same.SAME and row["effective_price_krw"] is not None:
            lowest.setdefault(row["mall"], row["effective_price_krw"])
    return lowest
