"""The five malls, one file each: pure, no I/O."""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING

from errors import BadConfig
from model import MALLS

if TYPE_CHECKING:
    from crawl.mall import Mall


def mall(name: str) -> Mall:
    """The mall of that name, its file imported on first use.

    Raises:
        BadConfig: there is none; the text suggests the nearest.
    """
    if name not in MALLS:
        near = difflib.get_close_matches(name.lower(), MALLS, 1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(MALLS)}"
        raise BadConfig(f"there is no mall {name!r}; {hint}")
    found: Mall = importlib.import_module(f"crawl.malls.{name}").MALL
    return found
