"""The market itself: which page answers which request, what it counts, which scenario is on."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from sandbox import assets, blocked, heavy, oddities, product, scenario
from sandbox.ai import SEED, Oracle
from sandbox.answer import JSON, PLAIN, Answer, Ask, View, html
from sandbox.catalogue import offers_of
from sandbox.fixtures import Fixtures
from sandbox.malls import HOSTS, MALLS, home, naver, st11
from sandbox.scenario import Scenario
from sandbox.search import Index

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_CACHED_PAGES = 512
NOTHING = Answer(body=b"", status=204)
IP_HOST = "ip.decodo.com"
"""Answers whoever asks with the address he comes from, as the proxy's own page does."""
_LOOPBACK = ("127.0.0.1", "localhost", "")


class Malls:
    """Five malls behind one door; safe to call from many threads."""

    def __init__(self, *, fixtures: Path | None = None, latency_ms: int = 0, ai_seed: int = SEED) -> None:
        self.latency_s = latency_ms / 1000
        self._fixtures = Fixtures(fixtures) if fixtures else None
        self._indexes = {mall: Index(mall, offers_of(mall)) for mall in MALLS}
        self._offers = {mall: {str(one.offer_id): one for one in offers_of(mall)} for mall in MALLS}
        self._pages: OrderedDict[tuple[Any, ...], Answer] = OrderedDict()
        self._lock = threading.Lock()
        self.oracle = Oracle(ai_seed)
        self.reset()

    def reset(self) -> None:
        """All counts to zero, all scenarios off."""
        self.oracle.reset()
        with self._lock:
            self._counts = {mall: {"requests": 0, "searches": 0, "bytes": 0} for mall in MALLS}
            self._scenarios = {mall: (Scenario(), 0) for mall in MALLS}
            self._by_ip: dict[str, dict[str, int]] = {}

    def set_scenario(self, mall: str, name: str, arg: str = "") -> None:
        """From now on this mall, or the model ("ai"), behaves like that. Raises scenario.UnknownScenario."""
        if mall == "ai":
            self.oracle.fail(name, arg)
            return
        made = scenario.read(mall, name, arg)
        with self._lock:
            self._scenarios[mall] = (made, 0)

    def scenarios(self) -> dict[str, Scenario]:
        """What is set for each mall."""
        with self._lock:
            return {mall: made for mall, (made, _) in self._scenarios.items()}

    def counts(self) -> dict[str, dict[str, int]]:
        """Per mall: `requests` (all), `searches` (result pages), `bytes` (sent, heads included)."""
        with self._lock:
            return {mall: dict(row) for mall, row in self._counts.items()}

    def count(self, mall: str, *, searches: int = 0, requests: int = 0, size_bytes: int = 0) -> None:
        """Add to a mall's counts."""
        with self._lock:
            row = self._counts[mall]
            row["requests"] += requests
            row["searches"] += searches
            row["bytes"] += size_bytes

    def pages_by_ip(self) -> dict[str, dict[str, int]]:
        """Address → mall → pages it asked for (front page, searches, products)."""
        with self._lock:
            return {ip: dict(row) for ip, row in self._by_ip.items()}

    def answer(
        self, target: str, host: str, headers: Mapping[str, str], ip: str = "127.0.0.1"
    ) -> tuple[str, Answer, float]:
        """(mall or "", answer, seconds to wait first) to a GET of `target` that comes from `ip`."""
        parts = urlsplit(target)
        if parts.path.startswith(heavy.ADS):
            return "", heavy.advertisement(parts.path), 0.0
        if parts.path.startswith(oddities.THIRD):
            return "", NOTHING, int(dict(parse_qsl(parts.query)).get("ms", "0")) / 1000
        if host.partition(":")[0] == IP_HOST:
            return "", Answer(body=_json({"sandbox": True, "proxy": {"ip": ip}}), content_type=JSON), 0.0
        mall, base, path = _addressed(parts.path, host)
        if not mall:
            return "", _elsewhere(path, host), 0.0
        ask = Ask(
            mall=mall,
            path=path,
            base=base,
            query=dict(parse_qsl(parts.query, keep_blank_values=True, errors="replace")),
            headers=headers,
            ip=ip,
        )
        asset = _asset(ask)
        self.count(mall, requests=1, searches=int(path in MALLS[mall].SEARCH_PATHS))
        return (mall, asset, 0.0) if asset else (mall, *self._page(ask))

    def _page(self, ask: Ask) -> tuple[Answer, float]:
        with self._lock:
            made, pages = self._scenarios[ask.mall]
            self._scenarios[ask.mall] = (made, pages + 1)
            row = self._by_ip.setdefault(ask.ip, {})
            row[ask.mall] = row.get(ask.mall, 0) + 1
            ask = replace(ask, ip_page_no=row[ask.mall])
        kind = (made if made.holds(pages + 1) else Scenario()).kind
        wait_s = self.latency_s + (kind.wait_s(made.value) if kind.wait_s else 0.0)
        instead = kind.instead(ask, made.value) if kind.instead else None
        if instead:
            return instead, wait_s
        answer = self._plain(ask, kind.view(PLAIN) if kind.view else PLAIN)
        answer = kind.change(answer, ask, made.value) if kind.change else answer
        return st11.in_euckr(answer) if ask.path == st11.OPEN_API else answer, wait_s

    def _plain(self, ask: Ask, view: View) -> Answer:
        pages = MALLS[ask.mall]
        if ask.path in pages.SEARCH_PATHS:
            refused = naver.refusal(ask) if ask.mall == "naver" else None
            return refused or self._cached(ask, view)
        if any(ask.path.startswith(path) for path in pages.PRODUCT_PATHS):
            return product.page(ask, self._offers[ask.mall])
        if ask.path in ("", "/", "/main"):
            return home(ask)
        return naver.failure("SE05") if ask.mall == "naver" else html("<!-- sandbox --><h1>404</h1>", status=404)

    def _cached(self, ask: Ask, view: View) -> Answer:
        key = (ask.base, ask.path, tuple(sorted(ask.query.items())), view)
        with self._lock:
            if key in self._pages:
                self._pages.move_to_end(key)
                return self._pages[key]
        answer = self._searched(ask, view)
        with self._lock:
            self._pages[key] = answer
            while len(self._pages) > _CACHED_PAGES:
                self._pages.popitem(last=False)
        return answer

    def _searched(self, ask: Ask, view: View) -> Answer:
        if self._fixtures and view == PLAIN:
            return self._fixtures.search(ask)
        pages = MALLS[ask.mall]
        hits = [] if view.empty else self._indexes[ask.mall].search(pages.keyword(ask))
        if view.full and hits:
            hits = (hits * heavy.CARDS)[: heavy.CARDS]
        hits = oddities.advertised(hits) if view.ads else hits
        return pages.search(ask, oddities.baited(hits) if view.bait else hits, view)

    def control(self, path: str, body: bytes | None) -> Answer:
        """The sandbox's own switches below `/_sandbox/`; a body means POST."""
        if body is None:
            return {
                "/_sandbox/counts": Answer(
                    body=_json({"sandbox": True, "malls": self.counts(), "ai": self.oracle.counts()}), content_type=JSON
                ),
                "/_sandbox/ips": Answer(body=_json({"sandbox": True, "ips": self.pages_by_ip()}), content_type=JSON),
                "/_sandbox/scenario": Answer(body=scenario.as_json(self.scenarios()), content_type=JSON),
            }.get(path, _problem(404, "no such switch"))
        if path == "/_sandbox/reset":
            self.reset()
            return Answer(body=_json({"sandbox": True, "reset": True}), content_type=JSON)
        return self._switch(body) if path == "/_sandbox/scenario" else _problem(404, "no such switch")

    def _switch(self, body: bytes) -> Answer:
        try:
            wanted = json.loads(body)
            self.set_scenario(str(wanted["mall"]), str(wanted["name"]), str(wanted.get("arg") or ""))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return _problem(400, f"wants {{mall, name, arg?}}: {error}")
        return Answer(body=scenario.as_json(self.scenarios()), content_type=JSON)


def _addressed(path: str, host: str) -> tuple[str, str, str]:
    """(mall, base, path below it): by prefix, by the real host's name, or by a product path that names its mall."""
    first, _, rest = path.lstrip("/").partition("/")
    if first in MALLS:
        return first, f"http://{host}/{first}", f"/{rest}"
    name = host.partition(":")[0]
    if name in HOSTS:
        return HOSTS[name], f"http://{host}", path
    for mall, pages in MALLS.items():
        if name in _LOOPBACK and any(path.startswith(prefix) for prefix in pages.PRODUCT_PATHS):
            return mall, f"http://{host}/{mall}", path
    return "", "", path


def _asset(ask: Ask) -> Answer | None:
    if ask.path.startswith(("/img/heavy", "/static/heavy")):
        return heavy.asset(ask)
    if ask.path.startswith("/img/"):
        digits = "".join(char for char in ask.path if char.isdigit())
        return assets.picture(int(digits or "1") % 64)
    if ask.path.startswith("/static/"):
        return assets.script() if ask.path.endswith(".js") else assets.css(ask.mall)
    if ask.path.startswith("/cdn-cgi/"):
        return blocked.challenge_script()
    if ask.path == "/robots.txt":
        return oddities.robots(ask.mall)
    return NOTHING if ask.path == "/favicon.ico" else None


def _elsewhere(path: str, host: str) -> Answer:
    """The front door; 204 for the hosts that a browser calls on its own."""
    if path.startswith("/cdn-cgi/"):
        return blocked.challenge_script()
    if path == "/favicon.ico" or host.partition(":")[0] not in _LOOPBACK:
        return NOTHING
    if path != "/":
        return html("<!-- sandbox --><h1>404</h1>", status=404)
    links = "".join(f'<li><a href="/{mall}/">{pages.BRAND}</a></li>' for mall, pages in MALLS.items())
    head = '<!DOCTYPE html><html lang="ko"><meta charset="utf-8"><title>LPS sandbox</title>'
    return html(f"{head}<h1>LPS sandbox</h1><ul>{links}</ul>")


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _problem(status: int, text: str) -> Answer:
    return Answer(body=_json({"sandbox": True, "error": text}), status=status, content_type=JSON)
