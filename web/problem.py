"""Errors as RFC 9457 problem+json with a stable code; a browser that asked for a page gets a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson
from flask import Response, current_app, render_template, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.http import HTTP_STATUS_CODES

from errors import DatabaseDown, OverBudget, SchemaMismatch, WrongOrigin
from store.pool import DatabaseError, is_missing_table
from web.language import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask import Flask

    from errors import Setup

CODES = {
    "LPS_BAD_REQUEST": 400,
    "LPS_NO_BODY": 400,
    "LPS_BAD_JSON": 400,
    "LPS_LOGIN_NEEDED": 401,
    "LPS_BAD_KEY": 401,
    "LPS_CROSS_SITE": 403,
    "LPS_FORBIDDEN": 403,
    "LPS_CSRF": 403,
    "LPS_NOT_FOUND": 404,
    "LPS_JOB_NOT_FOUND": 404,
    "LPS_PRODUCT_NOT_FOUND": 404,
    "LPS_BATCH_NOT_FOUND": 404,
    "LPS_WATCH_NOT_FOUND": 404,
    "LPS_NO_RESULT": 404,
    "LPS_NO_EVIDENCE": 404,
    "LPS_METHOD_NOT_ALLOWED": 405,
    "LPS_NOT_NOW": 409,
    "LPS_IN_PROGRESS": 409,
    "LPS_TOO_LARGE": 413,
    "LPS_URI_TOO_LONG": 414,
    "LPS_NOT_JSON_TYPE": 415,
    "LPS_WRONG_HOST": 421,
    "LPS_BAD_INPUT": 422,
    "LPS_NO_REASON": 422,
    "LPS_WEAK_PASSWORD": 422,
    "LPS_BAD_FILE": 422,
    "LPS_KEY_REUSED": 422,
    "LPS_RATE_LIMITED": 429,
    "LPS_QUOTA_SPENT": 429,
    "LPS_BUDGET_SPENT": 429,
    "LPS_INTERNAL": 500,
    "LPS_OVER_BUDGET": 503,
    "LPS_DATABASE_DOWN": 503,
    "LPS_WRONG_SCHEMA": 503,
}
_BY_STATUS = {
    404: "LPS_NOT_FOUND",
    405: "LPS_METHOD_NOT_ALLOWED",
    413: "LPS_TOO_LARGE",
    414: "LPS_URI_TOO_LONG",
    415: "LPS_NOT_JSON_TYPE",
    500: "LPS_INTERNAL",
}
_MACHINE_PATHS = ("/v1/", "/healthz", "/readyz")
RETRY_AFTER_S = 5
BUDGET_AGAIN_S = 600
MAX_ERRORS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldError:
    """One mistake in what was sent."""

    field: str
    """The name as it was sent; "body" for the whole."""
    code: str
    """required, empty, too_long, control_character, wrong_type, unknown_field, …"""
    detail: str


class Problem(Exception):
    """A view ends here; the code says why."""

    def __init__(
        self,
        code: str,
        *,
        errors: Sequence[FieldError] = (),
        reason: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status = CODES[code]
        self.errors = tuple(errors[:MAX_ERRORS])
        self.reason = reason
        self.headers = dict(headers or {})


def body(problem: Problem) -> dict[str, Any]:
    """The members of RFC 9457, ours (`code`, `errors`), and `result.desc` for older clients."""
    members: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTP_STATUS_CODES[problem.status],
        "status": problem.status,
        "code": problem.code,
        "detail": text(f"problem.{problem.code}"),
        "instance": request.path,
        "result": {"desc": problem.code},
    }
    if problem.reason:
        members["reason"] = problem.reason
    if problem.errors:
        members["errors"] = [asdict(error) for error in problem.errors]
    return members


def wants_page() -> bool:
    """Whether a person's browser asks, and not for the API."""
    if request.path.startswith(_MACHINE_PATHS):
        return False
    best = request.accept_mimetypes.best_match(("application/problem+json", "application/json", "text/html"))
    return best == "text/html"


def answer(problem: Problem) -> Response:
    """The problem as the caller can read it."""
    members = body(problem)
    if wants_page():
        page = render_template("error.html", problem=members)
        return Response(page, problem.status, problem.headers, content_type="text/html; charset=utf-8")
    option = orjson.OPT_APPEND_NEWLINE
    return Response(orjson.dumps(members, option=option), problem.status, problem.headers, "application/problem+json")


def _from_http(error: HTTPException) -> Response | HTTPException:
    status = error.code or 500
    if status < HTTPStatus.BAD_REQUEST:
        return error  # a redirect is raised as an error, too
    headers = {}
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return answer(_too_large())
    fallback = "LPS_INTERNAL" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "LPS_BAD_REQUEST"
    return answer(Problem(_BY_STATUS.get(status, fallback), headers=headers))


def _too_large() -> Problem:
    """What may be sent here at most, in kB."""
    limit = (request.max_content_length or 0) // 1024
    detail = text("field.too_many_bytes", limit=limit)
    return Problem("LPS_TOO_LARGE", errors=[FieldError(field="body", code="too_many_bytes", detail=detail)])


def _database_down(error: DatabaseDown) -> Response:
    current_app.logger.warning("database down: %s", error)
    return answer(Problem("LPS_DATABASE_DOWN", headers={"Retry-After": str(RETRY_AFTER_S)}))


def _over_budget(error: OverBudget) -> Response:
    current_app.logger.warning("over budget: %s", error)
    return answer(Problem("LPS_OVER_BUDGET", reason=error.scope, headers={"Retry-After": str(BUDGET_AGAIN_S)}))


def _wrong_database(error: Setup) -> Response:
    """Our own text says what to do; it names no secret."""
    current_app.logger.warning("wrong database: %s", error)
    return answer(Problem("LPS_WRONG_SCHEMA", reason=str(error), headers={"Retry-After": str(RETRY_AFTER_S)}))


def _database_error(error: Exception) -> Response:
    if is_missing_table(error):
        return _wrong_database(SchemaMismatch("the database has no LPS schema yet: run `lps migrate`"))
    current_app.logger.error("unhandled", exc_info=error)
    return answer(Problem("LPS_INTERNAL"))


def install(app: Flask) -> None:
    """Turn every error into an answer."""
    app.register_error_handler(Problem, answer)
    app.register_error_handler(HTTPException, _from_http)
    app.register_error_handler(DatabaseDown, _database_down)
    app.register_error_handler(OverBudget, _over_budget)
    app.register_error_handler(SchemaMismatch, _wrong_database)
    app.register_error_handler(WrongOrigin, _wrong_database)
    app.register_error_handler(DatabaseError, _database_error)
