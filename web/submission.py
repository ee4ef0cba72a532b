"""What a buyer sends, checked before anything is written."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import unquote_to_bytes

from flask import request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError
from pydantic_core import PydanticCustomError

from model import Product
from store.jobs import derived_code
from web.language import text
from web.problem import FieldError, Problem

if TYPE_CHECKING:
    from werkzeug.datastructures import MultiDict

MAX_CODE_CHARS = 64
MAX_ECHO_CHARS = 60
MIN_DEADLINE_S, MAX_DEADLINE_S = 10, 300
CSRF_FIELD = "csrf_token"
_TEXTS = ("product_name", "specification", "product_code")
FLAGS = ("again", "allow_used", "allow_overseas")
_SPACES = re.compile(r"[\t\r\n ]+")
# Direction overrides make a text read differently from what it is.
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_control(char: str) -> bool:
    """Whether a character has no place in a name: controls, line ends, lone surrogates, direction overrides."""
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in _DIRECTION


def _clean(value: object) -> object:
    if not isinstance(value, str):
        return value
    if any(map(is_control, value)):
        raise PydanticCustomError("control_character", "control character")
    return value.strip()


Text = Annotated[StrictStr, BeforeValidator(_clean)]


class Search(BaseModel):
    """A submission; lengths are checked against the settings afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True)

    product_name: Text
    specification: Text = ""
    product_code: Text = ""
    again: StrictBool = False
    fallback: Literal["when_unmatched", "always", "never"] | None = None
    """When gmarket, auction and st11 are asked; None = as `[search] fallback`."""
    allow_used: StrictBool = False
    allow_overseas: StrictBool = False
    deadline_s: Annotated[StrictInt, Field(ge=MIN_DEADLINE_S, le=MAX_DEADLINE_S)] | None = None
    """Seconds for the whole search; None = as `[search] deadline_s`."""

    callback_url: Annotated[StrictStr, Field(max_length=2000)] | None = None
    """Told when the search ends, in a signed message."""

    def options(self) -> dict[str, Any]:
        """What differs from a search without any option, as it is stored with the job."""
        chosen = {"fallback": self.fallback, "allow_used": self.allow_used, "allow_overseas": self.allow_overseas}
        return {name: value for name, value in chosen.items() if value}

    def product(self) -> Product:
        """What is searched for."""
        code = self.product_code or derived_code(self.product_name, self.specification)
        return Product(code=code, name=self.product_name, specification=self.specification)


_CODES = {
    "missing": "required",
    "extra_forbidden": "unknown_field",
    "string_type": "wrong_type",
    "bool_type": "wrong_type",
    "literal_error": "not_a_choice",
    "enum": "not_a_choice",
    "string_pattern_mismatch": "wrong_form",
    "model_type": "wrong_type",
    "string_unicode": "control_character",
    "control_character": "control_character",
}

_RANGE = {"greater_than_equal": "ge", "less_than_equal": "le", "greater_than": "gt", "less_than": "lt"}


def error(field: str, code: str, **values: object) -> FieldError:
    """One mistake, told in the language of the request."""
    name = "".join(" " if is_control(char) else char for char in field[:MAX_ECHO_CHARS])
    return FieldError(field=name, code=code, detail=text(f"field.{code}", **values))


def mistakes(failed: ValidationError) -> list[FieldError]:
    """What pydantic refused, each with its field (`where.0.price` inside a list) and one of our codes."""
    found = []
    for item in failed.errors(include_url=False, include_input=False):
        kind, context = item["type"], item.get("ctx", {})
        field = ".".join(map(str, item["loc"])) or "body"
        if field == "deadline_s" and kind in _RANGE:
            found.append(error(field, "out_of_range", low=MIN_DEADLINE_S, high=MAX_DEADLINE_S))
        elif kind in _RANGE:
            name = _RANGE[kind]
            found.append(error(field, "too_small" if name in ("ge", "gt") else "too_big", limit=context[name]))
        elif kind in ("string_too_long", "too_long"):
            found.append(error(field, "too_long", limit=context["max_length"]))
        elif kind in ("string_too_short", "too_short"):
            found.append(error(field, "empty"))
        else:
            found.append(error(field, _CODES.get(kind, "wrong_type")))
    return found


def storable(value: str | None, field: str) -> str | None:
    """A text that the database takes.

    Raises:
        Problem: LPS_BAD_INPUT: it holds control characters.
    """
    if value is not None and any(map(is_control, value)):
        raise Problem("LPS_BAD_INPUT", errors=[error(field, "control_character")])
    return value


def check(raw: object, *, max_name_chars: int, max_spec_chars: int) -> Search:
    """A submission from decoded JSON or a form.

    Raises:
        Problem: LPS_BAD_INPUT with every mistake and its field.
    """
    try:
        search = Search.model_validate(raw)
    except ValidationError as failed:
        raise Problem("LPS_BAD_INPUT", errors=mistakes(failed)) from None
    wrong = []
    if not search.product_name:
        wrong.append(error("product_name", "empty"))
    limits = {"product_name": max_name_chars, "specification": max_spec_chars, "product_code": MAX_CODE_CHARS}
    for field, limit in limits.items():
        if len(getattr(search, field)) > limit:
            wrong.append(error(field, "too_long", limit=limit))
    if wrong:
        raise Problem("LPS_BAD_INPUT", errors=wrong)
    return search


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name stands twice")
    return members


def decode(body: bytes, *, is_json: bool) -> object:
    """The JSON of a request body.

    Raises:
        Problem: LPS_NO_BODY, LPS_BAD_JSON, or LPS_NOT_JSON_TYPE for JSON sent under another type.
    """
    if not body.strip():
        raise Problem("LPS_NO_BODY", errors=[error("body", "required")])
    try:
        raw: object = json.loads(body.decode("utf-8"), object_pairs_hook=_no_twins)
    except (ValueError, RecursionError):
        raise Problem("LPS_BAD_JSON", errors=[error("body", "not_json")]) from None
    if not is_json:
        raise Problem("LPS_NOT_JSON_TYPE", errors=[error("Content-Type", "not_json_type")])
    return raw


def _not_utf8(body: bytes) -> list[str]:
    """Fields of an urlencoded form that are not UTF-8; werkzeug would let them pass, quoted once more."""
    wrong = []
    for pair in body.split(b"&"):
        name, _, value = pair.partition(b"=")
        try:
            unquote_to_bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            wrong.append(unquote_to_bytes(name).decode("utf-8", "replace"))
    return wrong


def from_form(form: MultiDict[str, str]) -> dict[str, Any]:
    """The fields of the page's form, white space as a browser or a spreadsheet pastes it made single.

    Raises:
        Problem: LPS_BAD_INPUT: a field that the form has not, one that stands twice, or one that is not UTF-8.
    """
    known = {*_TEXTS, *FLAGS, "fallback", "deadline_s", CSRF_FIELD}
    wrong = [error(name, "unknown_field") for name in form if name not in known]
    wrong += [error(name, "twice") for name in known if len(form.getlist(name)) > 1]
    wrong += [error(name, "not_text") for name in _not_utf8(request.get_data())]
    if wrong:
        raise Problem("LPS_BAD_INPUT", errors=wrong)
    raw: dict[str, Any] = {name: _SPACES.sub(" ", form.get(name, "")) for name in _TEXTS}
    raw |= {name: form.get(name) == "1" for name in FLAGS}
    raw["fallback"] = form.get("fallback") or None
    deadline = form.get("deadline_s", "").strip()
    raw["deadline_s"] = int(deadline) if re.fullmatch(r"[0-9]{1,4}", deadline) else deadline or None
    return raw
