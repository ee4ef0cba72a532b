"""Which view needs which role: every view says it with `needs` or `public`; one that says nothing is the admins' own.

People have a role, programs have scopes; each role is one scope:
    viewer read · buyer submit · operator ops · admin admin
A role includes those before it. A key has what it lists: `ops` includes `read`, `admin` includes all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Role = Literal["viewer", "buyer", "operator", "admin"]
LADDER: tuple[Role, ...] = ("viewer", "buyer", "operator", "admin")
SCOPE_OF: dict[Role, str] = {"viewer": "read", "buyer": "submit", "operator": "ops", "admin": "admin"}
SCOPES = tuple(SCOPE_OF.values())
PUBLIC = "public"
_INCLUDED = {"ops": ("read",), "admin": SCOPES}
_MARK = "lps_needs"
_MAX = "lps_max_body"
View = TypeVar("View", bound="Callable[..., Any]")


def needs(role: Role) -> Callable[[View], View]:
    """Mark a view; the order among its decorators does not matter, the check is made before any view runs."""

    def mark(view: View) -> View:
        setattr(view, _MARK, role)
        return view

    return mark


def public(view: View) -> View:
    """Mark a view that anybody may see."""
    setattr(view, _MARK, PUBLIC)
    return view


def takes(max_bytes: int) -> Callable[[View], View]:
    """Mark a view whose body may be larger than others'."""

    def mark(view: View) -> View:
        setattr(view, _MAX, max_bytes)
        return view

    return mark


def max_body(view: Callable[..., Any] | None) -> int | None:
    """Bytes that the body of a view may have; None as all others."""
    return getattr(view, _MAX, None)


def needed(view: Callable[..., Any] | None) -> str:
    """The role a view needs, or `public`."""
    return str(getattr(view, _MARK, "admin"))


def includes(role: Role | None, wanted: str) -> bool:
    """Whether a person of this role may do what needs `wanted`."""
    return role is not None and LADDER.index(role) >= LADDER.index(wanted)


def allowed(scopes: Iterable[str], wanted: str) -> bool:
    """Whether a key of these scopes may do what needs the role `wanted`."""
    scope = SCOPE_OF[wanted]  # type: ignore[index]  # one of LADDER
    return any(scope == own or scope in _INCLUDED.get(own, ()) for own in scopes)
