"""What is asked of a mall and what it answers: plain data between the server and the malls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HTML = "text/html; charset=utf-8"
JSON = "application/json; charset=utf-8"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """One request, as a mall sees it."""

    mall: str
    path: str
    """Below the mall's prefix, beginning with a slash: `/np/search`."""
    base: str
    """Where the mall's own pages live: `http://127.0.0.1:PORT/coupang`, no trailing slash."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Decoded parameters; the last one wins."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    ip: str = "127.0.0.1"
    """Where it comes from: this machine, or an address of the proxy gate."""
    ip_page_no: int = 0
    """The how-manieth page of this mall (front page, search, product) for that address."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One response, before a scenario has had its way with it."""

    body: bytes
    status: int = 200
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()
    cut_at: int | None = None
    """Send only so many bytes of the promised body, then close."""


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What of its offers, and how, a mall shows."""

    old: bool = False
    """The mall's former markup."""
    empty: bool = False
    sold_out: bool = False
    """Every offer is sold out."""
    no_price: bool = False
    """Every third card has no price."""
    loading: bool = False
    """The shell without its data."""
    ads: bool = False
    """As many of its cards are ads as on the real page that was counted."""
    bait: bool = False
    """The cheapest right offer shows a tenth of its price."""
    full: bool = False
    """The hits over again, until the page has as many cards as a full one."""
    banned: bool = False
    """The mall's JSON says that this visitor is refused (11st)."""


PLAIN = View()


def html(text: str, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    """An HTML answer, marked as a sandbox's."""
    return Answer(body=text.encode(), status=status, headers=headers)
