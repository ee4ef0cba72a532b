"""Health for machines, and the pages an operator works in at three in the morning.

Each page is thin: it calls the function that the command line calls, which also writes the audit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

if TYPE_CHECKING:
    from flask import Flask

blueprint = Blueprint("ops", __name__)


def install(app: Flask) -> None:
    """Add the views."""
    import web.ops.views  # noqa: F401, PLC0415 - loads the tasks, which read the settings

    app.register_blueprint(blueprint)
