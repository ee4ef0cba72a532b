"""What crawling costs: browsers (time, memory), and bytes.

    make bench-crawl [N=15] [PAGES=1000]

Each part prints its numbers and its goals; the exit code is 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import logging

PARTS = ("bench.crawl_browser", "bench.crawl_bytes")
"""Modules with `run(runs, pages) -> bool`: print, and say whether every goal was met."""


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15, help="repetitions of each measurement")
    parser.add_argument("--pages", type=int, default=1000, help="pages over which memory must stay flat")
    parser.add_argument("--only", choices=[name.rpartition("_")[2] for name in PARTS])
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    asked = [name for name in PARTS if not args.only or name.endswith(args.only)]
    met = [importlib.import_module(name).run(args.runs, args.pages) for name in asked if importlib.util.find_spec(name)]
    raise SystemExit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
