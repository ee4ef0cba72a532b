"""The shape of a mall, and what passes between fetching and reading.

A mall is one file in `malls/` that does no I/O: how to ask, how to read the answer, and how its pages tell that they
are finished. Everything here is plain data, so that a saved page reads exactly like a fetched one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from model import Offer


@dataclass(frozen=True, kw_only=True, slots=True)
class Ready:
    """When a page in a browser is worth reading: CSS selectors only, so that a poll costs one query."""

    cards: str
    """Matches every product card; a full list in the parsed document is complete, a short one must stand still."""
    settled: str
    """Matches once the mall has said all it will say without cards (its own no-result box, embedded data)."""
    whole: str = ""
    """Matches where the document itself carries the whole list, so that a short one need not stand still."""
    screenshot: bool = False
    """Bring a picture of the page along; what is not loaded is not on it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Via:
    """By which way a page is fetched, and as which visitor; by default directly."""

    proxy: str = ""
    """`HOST:PORT` of a forwarder on loopback, which everything of the browser goes through; empty = directly."""
    profile: str = ""
    """Name of the browser's profile, one per proxy port, kept below `[browser] profile_dir`; empty = the next free."""
    generation: int = 0
    """Which address behind the proxy: a browser that last used another forgets that visitor and warms up again."""
    fresh: bool = False
    """Forget the visitor although the address is the same, as after a refusal."""


DIRECT = Via()


@dataclass(frozen=True, kw_only=True, slots=True)
class Body:
    """One answer, as received."""

    content: bytes | str
    """Bytes over HTTP, the serialised document from a browser."""
    url: str
    """Where it came from in the end, redirects followed."""
    status: int | None = None
    """None where the fetcher cannot know it (a browser)."""
    charset: str | None = None
    """As declared by the answer's header."""
    size_bytes: int = 0
    """Bytes over the wire, both ways where known."""
    retry_after_s: float | None = None
    """How long the other side asked us to wait, if it did."""
    screenshot: bytes | None = None
    """PNG of the page, where one was asked for."""
    ip_request_no: int | None = None
    """How many searches this visitor has asked this mall for, this one included; None where nobody counts."""
    warmed_up: bool = False
    """The front page was asked for before it, which is one request more for this address."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Parsed:
    """What a mall's parser read from one page; it never raises on bad markup, it reports."""

    offers: tuple[Offer, ...] = ()
    cards: int = 0
    """Product cards on the page, ads and unreadable ones included."""
    search_page: bool = False
    """The page is this mall's search page, whatever its content."""
    no_result: bool = False
    """The mall itself says that nothing was found."""
    loading: bool = False
    """The page says that its result is still to come."""
    banned: str = ""
    """The mall's own data say that this visitor, or this key, is refused: the kind, e.g. `banned`, `key`."""
    dropped: dict[str, int] = field(default_factory=dict)
    """Cards without an offer, by what was missing: `name`, `price`, `url`."""
    having: dict[str, int] = field(default_factory=dict)
    """Cards that have a field, offers or not: `name`, `price`, `url`, `item_id`."""
    truncated: bool = False
    """The body ends in the middle of its data."""

    @property
    def healthy(self) -> bool:
        """Whether enough cards read for their prices to be trusted: at least one, and at least half."""
        return bool(self.offers) and 2 * len(self.offers) >= self.cards


@dataclass(frozen=True, kw_only=True, slots=True)
class Mall:
    """One market: how to ask it and how to read it."""

    name: str
    """The one word: stage, queue, config block, log field."""
    home_url: str
    """Path of the warm-up page below `base_url`."""
    search_url: Callable[[str, str], str]
    """(base_url, query) → the address of the first result page, as an HTTP client asks for it."""
    page_url: Callable[[str, str], str]
    """The same as a browser asks for it: another address only where the mall has data for programs."""
    parse: Callable[[str, str], Parsed]
    """(page text, its address) → what is on it. Pure; without an address links lead to the real mall."""
    ready: Ready
    headers: tuple[tuple[str, str], ...] = ()
    """What an HTTP request must carry beyond the usual."""


class Fetcher(Protocol):
    """Fetches one page in a browser; every failure is a `SourceFailure`."""

    def get(
        self, url: str, deadline: float, ready: Ready, *, mall: str, home: str, block_css: bool, via: Via = DIRECT
    ) -> Body:
        """The page at `url`, before `deadline` (`time.monotonic()` seconds).

        Args:
            url: what to open.
            deadline: when it must be there.
            ready: how a complete page is recognised.
            mall: whose page it is.
            home: the mall's front page, opened once per visitor before the first search; empty = none. A refusal
                there is handed back in the search's place.
            block_css: leave style sheets out.
            via: by which way, and as which visitor.
        """

    def abort(self, thread: int) -> None:
        """End what the thread of this ident fetches: it gets UpstreamDown. Nothing if it fetches nothing."""

    def close(self) -> None:
        """Give back whatever is held; calling it twice is harmless."""
