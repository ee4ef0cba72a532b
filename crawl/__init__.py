"""One fetch of one mall: address → page → offers, or the typed reason why not.

    page = Crawler(settings).fetch("coupang", "햇반 210g 24개", deadline=time.monotonic() + 15)

Importing this package loads neither a browser nor an HTTP client.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from model import Offer, SourceOutcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What a mall answered: OK with offers, or EMPTY because the mall itself says so."""

    mall: str
    query: str
    outcome: SourceOutcome
    offers: tuple[Offer, ...] = ()
    cards: int = 0
    took_ms: int = 0
    size_bytes: int = 0
    url: str = ""
    status: int | None = None


class Crawler:
    """Reads malls; one per process, safe to use from several threads."""

    def __init__(self, settings: Any) -> None:
        self.settings = settings

    def fetch(self, mall: str, query: str, deadline: float) -> Page:
        """One search at one mall, ended before `deadline` (`time.monotonic()` seconds).

        Raises: a `SourceFailure` whose `.outcome` and `.kind` say what became of the source.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close browsers and connections; calling it twice is harmless."""
