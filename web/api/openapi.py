"""/openapi.json, made of the endpoints themselves, and /docs, which shows it offline under the strict policy."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Blueprint, render_template, send_from_directory
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from errors import LpsError
from web import answers
from web.api.kit import ENDPOINTS, PREFIX, Endpoint
from web.roles import SCOPE_OF, public

if TYPE_CHECKING:
    from flask import Response

blueprint = Blueprint("openapi", __name__)
ASSETS = ("swagger-ui.css", "swagger-ui-bundle.js")
ALWAYS = (400, 401, 403, 421, 429, 500, 503)
WITH_BODY = (413, 415, 422)
_STATUS = {
    200: "Done",
    201: "Made",
    202: "Taken; the work goes on",
    204: "Done, nothing to say",
    304: "Nothing changed",
    400: "Not understood",
    401: "No key, or none that holds",
    403: "Not allowed with this key",
    404: "There is no such thing",
    409: "Not now",
    413: "Too large",
    415: "Of the wrong type",
    421: "A foreign host name",
    422: "Something in the input is wrong",
    429: "Too many requests",
    500: "The server failed",
    503: "The database does not answer",
}


class FieldProblem(BaseModel):
    """One mistake."""

    field: str
    code: str
    detail: str


class ProblemBody(BaseModel):
    """RFC 9457 problem details with a stable code."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    instance: str
    reason: str = ""
    errors: list[FieldProblem] = []


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document."""
    models = {ProblemBody: "validation"} | {model: "validation" for end in ENDPOINTS for model in _models(end)}
    refs, schemas = models_json_schema(list(models.items()), ref_template="#/components/schemas/{model}")  # type: ignore[arg-type]  # the mode is a literal
    paths: dict[str, Any] = {}
    for endpoint in ENDPOINTS:
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", endpoint.rule)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, refs)
    return {
        "openapi": "3.1.0",
        "info": {"title": "LPS", "version": "1", "description": "The true lowest price across Korean online malls."},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas.get("$defs", {}),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "bearerFormat": "lps_…"}},
        },
    }


def _models(endpoint: Endpoint) -> list[type[BaseModel]]:
    return [model for model in (endpoint.body, endpoint.query, *endpoint.answers.values()) if model]


def _operation(endpoint: Endpoint, refs: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "description": f"Scope `{SCOPE_OF[endpoint.role]}`.",
        "operationId": re.sub(r"\W+", "_", f"{endpoint.method.lower()}{endpoint.rule.removeprefix(PREFIX)}").strip("_"),
        "security": [{"key": []}],
        "parameters": _parameters(endpoint),
        "responses": _responses(endpoint, refs),
    }
    if endpoint.body:
        told["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": refs[endpoint.body, "validation"]}},
        }
    if endpoint.upload:
        file = {"schema": {"type": "string", "format": "binary"}}
        told["requestBody"] = {"required": True, "content": dict.fromkeys(endpoint.upload, file)}
    return told


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    names = re.findall(r"<(?:\w+:)?(\w+)>", endpoint.rule)
    told = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]
    if endpoint.query:
        schema = endpoint.query.model_json_schema()
        for name, kind in schema["properties"].items():
            one = {"name": name, "in": "query", "required": name in schema.get("required", []), "schema": kind}
            told.append(one)
    return told


def _responses(endpoint: Endpoint, refs: Any) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if endpoint.files:
        file = {"schema": {"type": "string", "format": "binary"}}
        told["200"] = {"description": _STATUS[200], "content": dict.fromkeys(endpoint.files, file)}
    for status, model in endpoint.answers.items():
        content = {"application/json": {"schema": refs[model, "validation"] if model else {}}}
        if status == 200:
            content |= {media: {"schema": {"type": "string"}} for media in endpoint.also}
        told[str(status)] = {"description": _STATUS[status]}
        if status not in (204, 304):
            told[str(status)]["content"] = content
    refused = {*ALWAYS, *endpoint.problems, *(WITH_BODY if endpoint.body or endpoint.upload else ())}
    if "<" in endpoint.rule:
        refused.add(404)
    if endpoint.query:
        refused.add(422)
    schema = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}
    return told | {str(status): {"description": _STATUS[status], "content": schema} for status in sorted(refused)}


@cache
def _document() -> dict[str, Any]:
    return document()


@cache
def assets_folder() -> Path:
    """Where the locked wheel keeps swagger-ui; nothing of it is imported.

    Raises:
        LpsError: it is not installed.
    """
    found = find_spec("flask_openapi3_swagger")
    if found is None or not found.submodule_search_locations:
        raise LpsError("flask-openapi3-swagger is not installed: ./lps setup installs what the lock file names")
    return Path(found.submodule_search_locations[0]) / "templates" / "swagger"


@blueprint.get("/openapi.json")
@public
def openapi_json() -> Response:
    """What the API takes and gives, for programs."""
    return answers.unless_known(answers.json(_document()))


@blueprint.get("/docs")
@public
def docs() -> str:
    """The same for people; it can send requests with a key of theirs."""
    return render_template("docs.html")


@blueprint.get("/docs/<name>")
@public
def docs_asset(name: str) -> Response:
    """Script and style sheet of the documentation, from the locked wheel."""
    folder = {"swagger-ui.css": "css", "swagger-ui-bundle.js": "js"}.get(name, "none")
    return send_from_directory(assets_folder() / folder, name, max_age=3600)
