"""How an endpoint of the API is written: what it takes and gives as pydantic models, checked and documented from here.

An endpoint is a function that gets `body` and `query` (if it declares them) and the parts of its address, and returns a
response, or plain members which become JSON. Whatever it refuses is a `Problem`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from flask import Blueprint, Response, request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from web import answers, submission
from web.problem import Problem
from web.roles import needs, takes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from web.roles import Role

PREFIX = "/v1/lps"
BIGGEST_ID = 2**63 - 1
View = TypeVar("View", bound="Callable[..., Any]")


class Strict(BaseModel):
    """What a caller sends: unknown members are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Query(BaseModel):
    """What stands behind the ? of an address: texts, read as numbers and flags where these are asked for."""

    model_config = ConfigDict(extra="forbid")


class Page(Query):
    """A part of a list."""

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[str, Field(max_length=200)] | None = None
    """`next` of the page before."""


class Answer(BaseModel):
    """What an endpoint gives; members may be added in later versions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """All that /openapi.json tells of one endpoint."""

    method: str
    rule: str
    role: Role
    tag: str
    summary: str
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    answers: dict[int, type[BaseModel] | None] = field(default_factory=dict)
    also: Sequence[str] = ()
    """Further media types of a 200."""
    upload: Sequence[str] = ()
    """Media types of a body that is a file."""
    files: Sequence[str] = ()
    """Media types of a 200 that is a file."""
    max_body: int | None = None
    """Bytes, where it is not [web]'s."""
    problems: Sequence[int] = ()
    """Statuses of refusals beyond those that every endpoint has."""


ENDPOINTS: list[Endpoint] = []


class Api:
    """One file's endpoints.

    Args:
        name: of the blueprint.
        tag: heading in the documentation.
    """

    def __init__(self, name: str, tag: str) -> None:
        self.blueprint = Blueprint(f"api_{name}", __name__, url_prefix=PREFIX)
        self.tag = tag

    def route(self, method: str, rule: str, role: Role, **more: Any) -> Callable[[View], View]:
        """Make a function an endpoint; `more` are the fields of `Endpoint`."""

        def decorate(view: View) -> View:
            summary = (view.__doc__ or "").strip().splitlines()[0].rstrip(".")
            endpoint = Endpoint(method=method, rule=PREFIX + rule, role=role, tag=self.tag, summary=summary, **more)
            ENDPOINTS.append(endpoint)

            @functools.wraps(view)
            def run(**parts: str) -> Response:
                given: dict[str, Any] = dict(parts)
                if endpoint.query:
                    given["query"] = read_query(endpoint.query)
                if endpoint.body:
                    given["body"] = read_body(endpoint.body)
                answer = view(**given)
                return answer if isinstance(answer, Response) else answers.json(answer)

            if endpoint.max_body:
                takes(endpoint.max_body)(run)
            self.blueprint.add_url_rule(rule, view.__name__, needs(role)(run), methods=[method])
            return view

        return decorate


def read_body(model: type[BaseModel]) -> BaseModel:
    """The JSON body as this model.

    Raises:
        Problem: LPS_NO_BODY, LPS_BAD_JSON, LPS_NOT_JSON_TYPE, LPS_BAD_INPUT with every mistake and its field.
    """
    raw = submission.decode(request.get_data(), is_json=request.is_json)
    try:
        return model.model_validate(raw)
    except ValidationError as failed:
        raise Problem("LPS_BAD_INPUT", errors=submission.mistakes(failed)) from None


def read_query(model: type[BaseModel]) -> BaseModel:
    """What stands behind the ? as this model; `lang` is everybody's.

    Raises:
        Problem: LPS_BAD_INPUT: unknown, said twice, or of the wrong kind.
    """
    said = {name: values for name, values in request.args.lists() if name != "lang"}
    twice = [submission.error(name, "twice") for name, values in said.items() if len(values) > 1]
    if twice:
        raise Problem("LPS_BAD_INPUT", errors=twice)
    try:
        return model.model_validate({name: values[0] for name, values in said.items()})
    except ValidationError as failed:
        raise Problem("LPS_BAD_INPUT", errors=submission.mistakes(failed)) from None


def number(text: str, missing: str) -> int:
    """The number in an address.

    Raises:
        Problem: `missing`, when this can be no id.
    """
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:20]) <= BIGGEST_ID:
        raise Problem(missing)
    return int(text)
