"""Our own stylesheet and script, addressed by their content so that a browser may keep them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from flask import request, url_for

from web.parts import here

if TYPE_CHECKING:
    from flask import Flask, Response

FOLDER = Path(__file__).parent / "static"
YEAR_S = 365 * 24 * 3600


def install(app: Flask) -> None:
    """Give the templates `asset(name)` and `sandbox`."""
    versions = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:8] for path in FOLDER.iterdir()}

    def asset(name: str) -> str:
        return url_for("static", filename=name, v=versions[name])

    def keep(response: Response) -> Response:
        if request.endpoint == "static" and "v" in request.args:
            response.cache_control.no_cache = None
            response.cache_control.max_age = YEAR_S
            response.cache_control.immutable = True
        return response

    app.after_request(keep)
    app.jinja_env.globals["asset"] = asset
    app.context_processor(lambda: {"sandbox": here().sandbox})
