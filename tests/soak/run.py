"""Many browsers, many pages, many accidents, and what must not be left of them.

    make soak                        200 starts and stops, then 1,000 pages with random faults, about 20 minutes
    .venv/bin/python -m tests.soak.run --cycles 10 --pages 60

Real Chromium on the sandbox market, the same faults for the same `--seed`: the renderer is killed, the driver stopped
(SIGSTOP), the page hangs, a script never ends, the connection is reset. Exit 1 if a zombie, a half-closed connection,
an open file, a temporary file or a browser is left over, or a page was read wrong.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import requests

import config
from crawl import malls
from crawl.browser import BrowserFetcher
from crawl.browser_places import Places
from errors import SourceFailure
from tests.conftest import ROOT
from tests.soak.left import Left, kill_renderers, look, stop_drivers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MALLS = ("coupang", "gmarket")
"""One a thread, so that each has its own faults."""
QUERY = "햇반 백미밥 210g"
IDLE_CLOSE_S = 3
CHUNK = 50
"""Pages between two looks at what is left."""
SPARE_FDS = 4
"""Open files that may be more at the end than after the first look: browsers stand ready or not."""
GRACEFUL_S = 8.0
"""How long a look waits for what is just ending."""


@dataclass(frozen=True)
class Fault:
    """An accident: what the mall does, what happens to processes while the page loads, how long it may take."""

    scenario: str = "ok"
    strike: Callable[[], None] | None = None
    limit_s: float = 20.0


FAULTS = {
    "renderer killed": Fault(strike=kill_renderers),
    "driver stopped": Fault(strike=stop_drivers, limit_s=2),
    "page hangs": Fault("hang", limit_s=2),
    "script never ends": Fault("hung", limit_s=2),
    "connection reset": Fault("reset"),
}


@dataclass
class Run:
    """One soak and its numbers."""

    market: str
    """Where the sandbox answers, in a process of its own: connections it is left with are not ours."""
    places: Path
    draw: random.Random
    share: float
    """Of the pages, those with a fault."""
    cards: dict[str, int] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: int = 0
    looks: list[Left] = field(default_factory=list)

    def fetcher(self, idle_s: int = 120, *, headless: bool = True) -> BrowserFetcher:
        """A pool of browsers for this run alone."""
        env = {"LPS_BROWSER__HEADLESS": str(headless).lower(), "LPS_BROWSER__IDLE_CLOSE_S": str(idle_s)}
        return BrowserFetcher(config.load(env=env).browser, Places(len(MALLS), self.places))

    def page(self, fetcher: BrowserFetcher, name: str, limit_s: float) -> None:
        """Read one page and hold it against the first one of its mall."""
        mall, base = malls.mall(name), f"{self.market}/{name}"
        url, home, until = mall.page_url(base, QUERY), base + mall.home_url, time.monotonic() + limit_s
        try:
            body = fetcher.get(url, until, mall.ready, mall=name, home=home, block_css=True)
        except SourceFailure as error:
            self.outcomes[f"{error.outcome.value} {error.kind}".strip()] += 1
            return
        parsed = mall.parse(str(body.content), body.url)
        expected = self.cards.setdefault(name, parsed.cards)
        fault = parsed.cards != expected or not parsed.healthy
        self.wrong += fault and time.monotonic() < until
        self.outcomes["wrong" if fault else "ok"] += 1

    def cycles(self, count: int) -> None:
        """Start, read, stop; every fifth with a display."""
        for turn in range(count):
            fetcher = self.fetcher(headless=turn % 5 != 0)
            self.page(fetcher, MALLS[0], 30)
            fetcher.close()
            if turn % 10 == 9 or turn == count - 1:
                self.see("cycles", turn + 1)

    def pages(self, count: int) -> None:
        """As many pages as said, in two threads, a share of them with a fault; then nothing until all is idle."""
        fetcher = self.fetcher(IDLE_CLOSE_S)
        with ThreadPoolExecutor(len(MALLS)) as threads:
            for done in range(0, count, CHUNK):
                plan = [self._plan() for _ in range(min(CHUNK, count - done))]
                parts = [(name, plan[n :: len(MALLS)]) for n, name in enumerate(MALLS)]
                for part in [threads.submit(self._some, fetcher, *one) for one in parts]:
                    part.result()
                self.see("pages", done + len(plan))
        until = time.monotonic() + IDLE_CLOSE_S + GRACEFUL_S
        while fetcher.standing and time.monotonic() < until:
            threading.Event().wait(0.2)
        self.see("idle", count)
        fetcher.close()
        self.see("closed", count)

    def _plan(self) -> str:
        return self.draw.choice(list(FAULTS)) if self.draw.random() < self.share else ""

    def _some(self, fetcher: BrowserFetcher, name: str, plan: list[str]) -> None:
        for word in plan:
            fault = FAULTS.get(word, Fault())
            self._behave(name, fault.scenario)
            strike = threading.Timer(self.draw.random() * 0.3, fault.strike or (lambda: None))
            strike.start()
            self.page(fetcher, name, fault.limit_s)
            strike.join()
            self._behave(name, "ok")

    def _behave(self, mall: str, scenario: str) -> None:
        body = json.dumps({"mall": mall, "name": scenario}).encode()
        requests.post(f"{self.market}/_sandbox/scenario", data=body, timeout=10).raise_for_status()

    def see(self, phase: str, number: int) -> None:
        """Look at what is left, after what is just ending has had its time."""
        until = time.monotonic() + GRACEFUL_S
        left = look(phase, number)
        while left.unclean and time.monotonic() < until:
            threading.Event().wait(0.1)
            left = look(phase, number)
        self.looks.append(left)
        say(str(left))

    def broken(self) -> Iterator[str]:
        """What must hold and does not."""
        if self.wrong:
            yield f"{self.wrong} pages were read wrong"
        for left in self.looks:
            if left.unclean:
                yield f"{left.phase} {left.number}: {left.unclean}"
        first, last = self.looks[0], self.looks[-1]
        if last.fds > first.fds + SPARE_FDS:
            yield f"open files grew from {first.fds} to {last.fds}"
        for left in self.looks:
            if left.phase in ("cycles", "idle", "closed") and (left.browsers or left.temporary):
                yield f"{left.phase} {left.number}: {left.browsers} browsers, {left.temporary} temporary files"


def say(line: str) -> None:
    """Print at once, for whoever watches a file."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@contextmanager
def sandbox() -> Iterator[str]:
    """The sandbox market in a process of its own; gives its address."""
    command = [sys.executable, "-m", "sandbox", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().split()[-1]
        process.terminate()


def soak(cycles: int, pages: int, share: float, seed: int) -> tuple[Run, list[str]]:
    """Run both parts in a temporary folder of their own; the run, and what is broken."""
    folder = Path(tempfile.mkdtemp(prefix="lps_soak_"))
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        with sandbox() as market:
            run = Run(market, folder / "places", random.Random(seed), share)  # noqa: S311 - repeatable, not secret
            run.places.mkdir()
            run.cycles(1)
            run.looks.clear()
            run.see("start", 0)
            run.cycles(cycles)
            run.pages(pages)
            return run, list(run.broken())
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder)


def main() -> None:
    """Soak, print, and say whether all held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--faults", type=float, default=0.15, help="share of the pages that meet one")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    started = time.monotonic()
    run, broken = soak(args.cycles, args.pages, args.faults, args.seed)
    say(json.dumps({"looks": [asdict(one) for one in run.looks], "outcomes": run.outcomes, "wrong": run.wrong}))
    say(f"\n{args.cycles} cycles, {args.pages} pages in {(time.monotonic() - started) / 60:.1f} min: {run.outcomes}")
    say("\n".join(f"BROKEN: {line}" for line in broken) or "all held")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
