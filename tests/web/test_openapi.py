"""/openapi.json and /docs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import jsonschema_rs

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient


def test_it_tells_of_every_endpoint(app: Flask, client: FlaskClient) -> None:
    """Each address and method under /v1 stands there, and nothing else."""
    told = json.loads(client.get("/openapi.json").data)
    assert "3.1.0" == told["openapi"]
    there = {(method.upper(), path) for path, methods in told["paths"].items() for method in methods}
    routes = {
        (method, re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/v1/")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert routes == there


def test_every_reference_leads_somewhere(client: FlaskClient) -> None:
    """Each $ref names a schema that is there, each schema is one, each operation has its own id."""
    text = client.get("/openapi.json").text
    told = json.loads(text)
    schemas = told["components"]["schemas"]
    assert set(re.findall(r'"#/components/schemas/([^"]+)"', text)) <= set(schemas)
    for name in schemas:
        jsonschema_rs.validator_for({"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}})
    ids = [one["operationId"] for methods in told["paths"].values() for one in methods.values()]
    assert len(set(ids)) == len(ids)


def test_the_documentation_needs_nothing_from_outside(client: FlaskClient) -> None:
    """Script and style come from here, and none stands in the page."""
    page = client.get("/docs").text
    assert "//" not in re.sub(r"<!doctype[^>]*>", "", page)
    for name in re.findall(r'(?:src|href)="(/[^"]+)"', page):
        with client.get(name) as answer:
            assert 200 == answer.status_code, name
    assert 404 == client.get("/docs/index.html").status_code
    assert 404 == client.get("/docs/..%2fplugins.py").status_code
