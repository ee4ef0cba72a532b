"""The web process: pages for people, JSON for programs, health for machines.

Neither selenium nor openai is loaded here, so that a web process stays small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask
from jinja2 import StrictUndefined

from web import api, assets, auth, filters, guard, language, login, ops, pages, parts, problem

if TYPE_CHECKING:
    from config import Settings
    from store.pool import Pool

MAX_BODY_BYTES = 64 * 1024


def create_app(settings: Settings | None = None, pool: Pool | None = None, submit: parts.Submit | None = None) -> Flask:
    """The application; what is not given comes from `tasks.runtime`.

    Args:
        settings: the `[web]`, `[search]` and `[sandbox]` blocks are read.
        pool: where jobs are read from.
        submit: takes a product and answers with the job that searches for it.
    """
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["lps"] = parts.gather(settings, pool, submit)
    language.install(app)
    guard.install(app)
    auth.install(app)
    problem.install(app)
    filters.install(app)
    assets.install(app)
    app.register_blueprint(login.blueprint)
    api.install(app)
    pages.install(app)
    ops.install(app)
    return app
