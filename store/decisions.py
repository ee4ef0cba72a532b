"""Rows of `match_decision`, what was ever paid for or said by a person about a pair, and of `match_round`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from model import Mode, Reason, Same
from ruling import Ruling
from store.sql import beside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from model import Match
    from store.pool import Cursor, Pool

SQL = beside(__file__)


class Pair(Protocol):
    """A request and a title with the names they are remembered under (`ai.cache.Pair`)."""

    @property
    def id(self) -> str:
        """Of the texts alone."""

    @property
    def key(self) -> str:
        """Of the texts and the versions."""

    @property
    def name(self) -> str: ...  # noqa: D102 - as it says
    @property
    def specification(self) -> str: ...  # noqa: D102 - as it says
    @property
    def title(self) -> str: ...  # noqa: D102 - as it says
    @property
    def version(self) -> str: ...  # noqa: D102 - as it says


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """What decided one match round."""

    round: int
    mode: Mode
    why: str
    open: int
    asked: int
    cached: int
    took_ms: int
    version: str


def take(
    pool: Pool, me: str, pairs: Sequence[Pair], *, model: str, lease_s: float
) -> tuple[dict[str, Ruling], set[str]]:
    """What is known of these pairs, and the keys that are ours to ask for `lease_s`; the rest is being asked elsewhere.

    A pair whose asker died becomes ours once its lease is over, or at once when the asker was `me` in an earlier try:
    it may then be paid for twice, and the ledger shows it.
    """
    keys = [pair.key for pair in pairs]
    wanted = {
        "keys": keys,
        "pairs": [pair.id for pair in pairs],
        "names": [_text(pair.name) for pair in pairs],
        "specs": [_text(pair.specification) for pair in pairs],
        "titles": [_text(pair.title) for pair in pairs],
        "versions": [pair.version for pair in pairs],
    }
    with pool.autocommit() as cur:
        cur.execute(SQL["take"], wanted | {"me": me, "model": model, "lease_s": lease_s})
        ours = {str(row[0]) for row in cur.fetchall()}
        cur.execute(SQL["known"], (keys,))
        return {row[0]: _ruling(row[1:]) for row in cur.fetchall()}, ours


def keep(pool: Pool, me: str, rulings: Mapping[str, Ruling]) -> None:
    """Remember a model's verdicts on pairs that are ours; one that was taken over meanwhile keeps the other's."""
    said = list(rulings.values())
    with pool.autocommit() as cur:
        cur.execute(
            SQL["keep"],
            {
                "me": me,
                "keys": list(rulings),
                "verdicts": [one.verdict.value for one in said],
                "reasons": [one.reason.value for one in said],
                "confidences": [one.confidence for one in said],
                "costs": [one.cost_usd for one in said],
            },
        )


def give_back(pool: Pool, me: str, keys: Sequence[str]) -> None:
    """Let others ask about these."""
    with pool.autocommit() as cur:
        cur.execute(SQL["give_back"], {"me": me, "keys": list(keys)})


def corrections(cur: Cursor, ids: Sequence[str]) -> dict[str, Ruling]:
    """What people said of these pairs, by the pair's id."""
    cur.execute(SQL["corrections"], (list(ids),))
    return {row[0]: _ruling(row[1:]) for row in cur.fetchall()}


def correct(cur: Cursor, pair: Pair, verdict: Same, reason: Reason, *, who: str, why: str) -> None:
    """Keep a person's word on a pair; it holds from the next match on, for every offer with this title."""
    row = {"pair": pair.id, "name": _text(pair.name), "spec": _text(pair.specification), "title": _text(pair.title)}
    cur.execute(SQL["correct"], row | {"verdict": verdict, "reason": reason, "who": who, "why": _text(why)})


def labelled(cur: Cursor) -> list[dict[str, Any]]:
    """Every pair a person decided, JSON-ready, in the form of the labelled cases: `label` 1 is the same product."""
    cur.execute(SQL["labelled"])
    return [
        {
            "request_name": name,
            "request_spec": spec,
            "offer_title": title,
            "label": int(verdict == Same.SAME),
            "reason": reason,
            "who": who,
            "why": why,
            "decided_at": at.isoformat(),
            "model_said": model_said,
        }
        for name, spec, title, verdict, reason, who, why, at, model_said in cur.fetchall()
    ]


def record_round(cur: Cursor, job_id: str, round_: int, match: Match, took_ms: int) -> None:
    """Note what decided this round."""
    values = {"job_id": job_id, "round": round_, "mode": match.mode, "why": match.why, "open": match.open}
    more = {"asked": match.asked, "cached": match.cached, "took_ms": took_ms, "version": match.version}
    cur.execute(SQL["record_round"], values | more)


def rounds(cur: Cursor, job_id: str) -> list[Round]:
    """Every match round of a search, in order."""
    cur.execute(SQL["rounds"], (job_id,))
    names = ("round", "mode", "why", "open", "asked", "cached", "took_ms", "version")
    return [Round(**dict(zip(names, row, strict=True))) for row in cur.fetchall()]


def _ruling(row: Sequence[Any]) -> Ruling:
    verdict, reason, confidence, source, version, cost_usd, *person = row
    who, why = person or ("", "")
    return Ruling(
        verdict=Same(verdict),
        reason=Reason(reason),
        confidence=confidence,
        source=source,
        version=version,
        cost_usd=cost_usd,
        who=who or "",
        why=why or "",
    )


def _text(text: str) -> str:
    """As PostgreSQL can hold it."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
