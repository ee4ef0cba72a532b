"""A notice as Slack-compatible receivers take it: Slack, Mattermost, Discord's `/slack`, Rocket.Chat.

Slack's limits are kept: 50 blocks, 3,000 characters a section, about 13,000 in all. What a mall or a database wrote is
escaped: `<!channel>` in it calls nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from alerts.engine import Kind

MOST_ITEMS = 10
SECTION_CHARS = 1000
_MARK: dict[Kind, str] = {"firing": "🔴", "repeated": "🔴", "resolved": "🟢", "unknown": "⚪", "known": "🟢"}
_ORDER: tuple[Kind, ...] = ("firing", "unknown", "repeated", "resolved", "known")


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One rule's news."""

    kind: Kind
    rule: str
    labels: str
    text: str
    since: datetime
    """Firing or unmeasured since."""
    peak: float = 0


def compose(items: Sequence[Item], *, now: datetime, snapshot: str = "", origin: str = "") -> dict[str, Any]:
    """One message for all news of an evaluation: at most ten, and how many more.

    Args:
        items: the news; must not be empty.
        now: when it was evaluated.
        snapshot: one line on workers, proxy ports and sessions.
        origin: `sandbox` or `live`.
    """
    ordered = sorted(items, key=lambda item: (_ORDER.index(item.kind), item.rule, item.labels))
    lines = [_line(item, now) for item in ordered[:MOST_ITEMS]]
    if len(ordered) > MOST_ITEMS:
        lines.append(f"… and {len(ordered) - MOST_ITEMS} more: lps alerts list")
    head = f"LPS{f' ({origin})' if origin else ''}: {_count(ordered)}"
    foot = escape(snapshot[:SECTION_CHARS])
    sections = [head, *lines, *([foot] if foot else [])]
    return {
        "text": "\n".join(sections),
        "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": text}} for text in sections],
    }


def escape(text: str) -> str:
    """Text that Slack shows as it is: no mention, no link, no line of its own."""
    flat = "".join(char if char.isprintable() else " " for char in text)
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _line(item: Item, now: datetime) -> str:
    name = f"*{escape(item.rule)}*" + (f" [{escape(item.labels)}]" if item.labels else "")
    lasted = _lasted((now - item.since).total_seconds())
    if item.kind == "resolved":
        said = f"resolved after {lasted}, peak {item.peak:g}"
    elif item.kind == "known":
        said = f"can be measured again after {lasted}"
    elif item.kind == "unknown":
        said = f"could not be measured for {lasted}: {item.text}"
    else:
        said = item.text + (f", for {lasted} now" if item.kind == "repeated" else "")
    return f"{_MARK[item.kind]} {name} {escape(said)[:SECTION_CHARS]} · runbook: {escape(item.rule)}"


def _count(items: Sequence[Item]) -> str:
    bad = sum(item.kind in ("firing", "repeated") for item in items)
    unknown = sum(item.kind == "unknown" for item in items)
    good = len(items) - bad - unknown
    parts = ((bad, "firing"), (unknown, "not measured"), (good, "resolved"))
    return ", ".join(f"{n} {word}" for n, word in parts if n)


def _lasted(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours < 48 else f"{hours // 24} days"
