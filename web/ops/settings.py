"""The settings in force, each with where it came from; secrets are hidden as on the command line."""

from __future__ import annotations

from itertools import groupby

from web.ops import blueprint
from web.ops.frame import page
from web.parts import here
from web.roles import needs


@blueprint.get("/ops/settings")
@needs("operator")
def settings() -> str:
    """Block by block."""
    rows = here().settings.explain()
    blocks = [(block, list(keys)) for block, keys in groupby(rows, key=lambda row: row[0].split(".")[0])]
    return page("settings", blocks=blocks)
