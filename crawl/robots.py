"""What a mall's robots.txt says about the pages LPS asks for (RFC 9309). Parsing is pure.

LPS reports the rules and does not enforce them: whether they bind is for the operator to judge, with the mall's terms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from crawl import malls
from crawl.text import decode
from errors import SourceFailure

if TYPE_CHECKING:
    from crawl.http import HttpFetcher

AGENT = "lps"
"""The group of rules that would be meant for us alone; else `*`."""
MOST_BYTES = 512_000
"""The RFC lets a reader stop here."""
_LINE = re.compile(r"\s*([A-Za-z-]+)\s*:\s*(.*)")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line that allows or forbids."""

    allow: bool
    path: str

    def matches(self, target: str) -> bool:
        """Whether it speaks of this path with its query; `*` is any text, a final `$` the end."""
        parts = (re.escape(part) for part in self.path.removesuffix("$").split("*"))
        return bool(re.match(".*".join(parts) + ("$" if self.path.endswith("$") else ""), target))

    def __str__(self) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {self.path}"


@dataclass(frozen=True, slots=True)
class Group:
    """The rules for some robots."""

    agents: tuple[str, ...]
    rules: tuple[Rule, ...]
    delay_s: str = ""
    """`Crawl-delay`, as written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What a mall's robots.txt says about one address."""

    mall: str
    url: str
    robots_url: str
    status: int | None
    allowed: bool
    why: str
    """The rule that decides, or why there is none."""
    agents: tuple[str, ...] = ()
    """Whom that group of rules is for."""
    delay_s: str = ""


def read(text: str) -> list[Group]:
    """The groups of a robots.txt, whatever else stands in it."""
    groups: list[Group] = []
    agents: list[str] = []
    rules: list[Rule] = []
    delay, open_ = "", False
    for line in text[:MOST_BYTES].splitlines():
        found = _LINE.match(line.partition("#")[0])
        word, value = (found[1].lower(), found[2].strip()) if found else ("", "")
        if word == "user-agent":
            if open_:
                groups.append(Group(tuple(agents), tuple(rules), delay))
                agents, rules, delay, open_ = [], [], "", False
            agents.append(value.lower())
        elif word in ("allow", "disallow") and agents:
            open_ = True
            if value:
                rules.append(Rule(word == "allow", value))
        elif word == "crawl-delay" and agents:
            open_, delay = True, value
    return [*groups, Group(tuple(agents), tuple(rules), delay)] if agents else groups


def rules_for(groups: list[Group], agent: str = AGENT) -> Group:
    """The rules for this robot: the groups that name it, else those for all."""
    for name in (agent, "*"):
        mine = [group for group in groups if name in group.agents]
        if mine:
            delay = next((group.delay_s for group in mine if group.delay_s), "")
            return Group((name,), tuple(rule for group in mine for rule in group.rules), delay)
    return Group((), ())


def decisive(group: Group, target: str) -> Rule | None:
    """The longest rule that speaks of the path; of two equally long ones the one that allows."""
    speaking = [rule for rule in group.rules if rule.matches(target)]
    return max(speaking, key=lambda rule: (len(rule.path), rule.allow), default=None)


def ask(http: HttpFetcher, mall: str, block: Any, deadline: float) -> list[Verdict]:
    """Fetch the robots.txt of each host this mall is asked on, and judge the address of a search.

    Args:
        http: what fetches.
        mall: the mall's one word.
        block: its block of settings.
        deadline: `time.monotonic()` seconds.

    A host that cannot be reached forbids: its rules are not known.
    """
    found = malls.mall(mall)
    addresses = [found.search_url(block.base_url, "햇반")]
    shop = getattr(block, "pages_url", "")
    if shop and found.page_url is not found.search_url:
        addresses.append(found.page_url(shop, "햇반"))
    return [
        _judged(http, mall, base, url, deadline) for base, url in zip((block.base_url, shop), addresses, strict=False)
    ]


def _judged(http: HttpFetcher, mall: str, base: str, url: str, deadline: float) -> Verdict:
    robots_url = f"{base}/robots.txt"
    try:
        body = http.get(robots_url, deadline)
    except SourceFailure as error:
        why = f"cannot be fetched: {error}"
        return Verdict(mall=mall, url=url, robots_url=robots_url, status=None, allowed=False, why=why)
    status = body.status or 0
    none = Verdict(
        mall=mall, url=url, robots_url=robots_url, status=body.status, allowed=True, why="no rule speaks of it"
    )
    if status >= 500:
        return replace(none, allowed=False, why=f"HTTP {status}: to be taken as forbidden")
    if status >= 400:
        return replace(none, why=f"HTTP {status}: no rules")
    group = rules_for(read(decode(body.content) if isinstance(body.content, bytes) else body.content))
    rule = decisive(group, url.removeprefix(base) or "/")
    found = replace(none, agents=group.agents, delay_s=group.delay_s)
    return replace(found, allowed=rule.allow, why=str(rule)) if rule else found
