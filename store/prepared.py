"""Statements whose plan a connection keeps.

For those few that run with every message, parsing and planning is half of their cost. A plan is kept for long, and the
table it was made for grows from nothing to a million rows in between: callers that must not be caught by a plan of
yesterday run it with `INDEXED` before it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

BEGIN = "BEGIN; "
"""Opens a transaction in the same round trip."""
INDEXED = (
    "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off; "
    "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; "
)
"""One plan for all values, row by row through the indexes, whatever the table held when it was made."""
_PARAMETER = re.compile(r"%\((\w+)\)s")


class _Parts(NamedTuple):
    name: str
    prepare: str
    execute: str


def execute(cur: Any, name: str, statement: str, values: Mapping[str, Any], before: str = "") -> None:
    """Run a statement, prepared on its connection at the first time.

    Args:
        cur: of a connection of `store.pool`; in autocommit, unless `before` is empty.
        name: unique in the program.
        statement: with `%(key)s` parameters whose types PostgreSQL can tell.
        values: the parameters.
        before: `BEGIN` or `INDEXED`, sent in the same round trip.
    """
    parts = _parts(name, statement)
    prepared: set[str] = cur.connection.prepared
    if name not in prepared:
        cur.execute(parts.prepare)
        prepared.add(name)
    cur.execute(before + parts.execute, values)


@cache
def _parts(name: str, statement: str) -> _Parts:
    names = list(dict.fromkeys(_PARAMETER.findall(statement)))
    body = _PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", statement).replace("%%", "%")
    arguments = ", ".join(f"%({key})s" for key in names)
    return _Parts(name, f"PREPARE {name} AS {body}", f"EXECUTE {name} ({arguments})")
