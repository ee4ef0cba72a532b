"""Health for machines: /healthz without the database, /readyz with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import store.migrate
from web import answers
from web.ops import blueprint
from web.parts import here
from web.roles import public

if TYPE_CHECKING:
    from flask import Response


@blueprint.get("/healthz")
@public
def healthz() -> Response:
    """The process answers; the database is not asked."""
    return answers.json({"status": "ok"})


@blueprint.get("/readyz")
@public
def readyz() -> Response:
    """The database answers and has this code's schema and our origin; 503 otherwise."""
    store.migrate.check(here().pool, here().settings.origin)
    return answers.json({"status": "ready"})
