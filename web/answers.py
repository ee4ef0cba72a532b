"""Answers with a body: JSON, and 304 when the asker has it already."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson
from flask import Response, g, request

if TYPE_CHECKING:
    from collections.abc import Mapping


def _plain(value: object) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(type(value).__name__)


def plain(members: Mapping[str, Any]) -> dict[str, Any]:
    """Members with their times as ISO 8601."""
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in members.items()}


def json(members: object, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> Response:
    """Members as JSON; Decimal (USD) becomes a number."""
    body = orjson.dumps(members, default=_plain, option=orjson.OPT_APPEND_NEWLINE)
    return Response(body, status, headers, content_type="application/json")


def known(stamp: str) -> Response | None:
    """304 when the asker named the ETag that `stamped` gave an answer of this stamp; None otherwise."""
    if request.if_none_match.contains_weak(_tag(stamp)):
        response = Response(status=HTTPStatus.NOT_MODIFIED)
        response.set_etag(_tag(stamp), weak=True)
        return response
    return None


def stamped(response: Response, stamp: str) -> Response:
    """The response with an ETag of its stamp: whoever asks again learns that nothing changed before it is made."""
    response.set_etag(_tag(stamp), weak=True)
    return response


def _tag(stamp: str) -> str:
    return hashlib.sha256(f"{g.lang} {request.full_path} {stamp}".encode()).hexdigest()[:32]


def unless_known(response: Response) -> Response:
    """The response with an ETag of its body, or 304 when the asker named that very ETag."""
    response.set_etag(hashlib.sha256(response.get_data()).hexdigest()[:32])
    response.make_conditional(request)
    return response
