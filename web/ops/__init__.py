"""Health for machines, and the pages an operator works in at three in the morning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

if TYPE_CHECKING:
    from flask import Flask

blueprint = Blueprint("ops", __name__)


def install(app: Flask) -> None:
    """Add the views."""
    from web.ops import health  # noqa: F401, PLC0415 - loads the tasks, which read the settings

    app.register_blueprint(blueprint)
