"""The JSON API under /v1/lps: a file a subject, the same functions as the pages and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from web.api import access, alerts, batches, openapi, operating, products, searches, watches
from web.api.searches import take

if TYPE_CHECKING:
    from flask import Flask

__all__ = ["install", "take"]


def install(app: Flask) -> None:
    """Add every endpoint, and their documentation."""
    for part in (searches, batches, watches, products, operating, alerts, access):
        app.register_blueprint(part.api.blueprint)
    app.register_blueprint(openapi.blueprint)
