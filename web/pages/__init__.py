"""The pages a buyer works in: the form, a search and its result, its evidence sheet, a product's prices.

Every one works without JavaScript.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

if TYPE_CHECKING:
    from flask import Flask

blueprint = Blueprint("pages", __name__)


def install(app: Flask) -> None:
    """Add the views."""
    from web.pages import bulk, evidence, home, job, product, sheet, verdict, watch  # noqa: F401, PLC0415 - loads the tasks, which read the settings

    app.register_blueprint(blueprint)
