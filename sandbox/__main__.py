"""`python -m sandbox`: the market as a process of its own; one line when it answers, gone at SIGTERM or SIGINT."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
from pathlib import Path

from sandbox.ai import SEED
from sandbox.fixtures import NoFixtures
from sandbox.gate import PASSWORD, USER, Gate
from sandbox.server import Market, serve
from sandbox.strike import UnknownScenario


def main(argv: list[str] | None = None) -> int:
    """Serve until told to stop; 0 then, 1 when it cannot start, 2 for a wrong argument."""
    args = _arguments(argv)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        market = serve(port=args.port, fixtures=args.fixtures, latency_ms=args.latency_ms, ai_seed=args.ai_seed)
    except (OSError, NoFixtures) as error:
        sys.stderr.write(f"sandbox: {error}\n")
        return 1
    with market, contextlib.ExitStack() as stack:
        try:
            gate = stack.enter_context(_gate(market, args.gate)) if args.gate else None
        except (OSError, ValueError) as error:
            sys.stderr.write(f"sandbox: --gate {args.gate}: {error}\n")
            return 1
        if not _scenarios(market, args.scenario):
            return 2
        sys.stdout.write(f"sandbox {market.url}\n")
        if gate:
            sys.stdout.write(f"gate 127.0.0.1:{gate.ports[0]}-{gate.ports[-1]} {USER}:{PASSWORD}\n")
        sys.stdout.flush()
        stop.wait()
    return 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--fixtures", type=Path, help="folder of saved real bodies to serve")
    parser.add_argument("--latency-ms", type=int, default=0, help="wait before every page")
    parser.add_argument("--ai-seed", type=int, default=SEED, help="which titles the noisy model gets wrong")
    parser.add_argument(
        "--gate", default="", metavar="FIRST:COUNT", help="a proxy gate on these ports; 0 takes free ones"
    )
    parser.add_argument("--scenario", action="append", default=[], metavar="MALL=NAME[:ARG]")
    return parser.parse_args(argv)


def _gate(market: Market, ports: str) -> Gate:
    first, _, count = ports.partition(":")
    return Gate(int(market.url.rpartition(":")[2]), first=int(first), ports=int(count or "10"))


def _scenarios(market: Market, wanted: list[str]) -> bool:
    for text in wanted:
        mall, _, rest = text.partition("=")
        name, _, arg = rest.partition(":")
        try:
            market.set_scenario(mall, name, arg)
        except UnknownScenario as error:
            sys.stderr.write(f"sandbox: --scenario {text}: {error}\n")
            return False
    return True


if __name__ == "__main__":
    raise SystemExit(main())
