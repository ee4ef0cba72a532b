"""Secrets of people and programs: made here, shown once, stored as hashes only; each act leaves a row in `audit`."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from store import accounts, audit, keys

if TYPE_CHECKING:
    from store.accounts import Role
    from store.keys import Wanted
    from store.pool import Cursor

KEY_PREFIX = "lps_"
SHOWN_CHARS = 12
"""The beginning of a key by which it is looked up and which people see."""
MIN_PASSWORD_CHARS = 10
LINK_S = 24 * 3600
ADMIN = "admin"
_N, _R, _P = 14, 8, 5
"""scrypt's cost: 16 MB and about 0.2 s for one guess."""


def digest(token: str) -> bytes:
    """What is stored of a random token: nothing slower is needed for 256 bits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def hash_password(password: str) -> str:
    """The stored form of a password, its salt and cost in it."""
    salt = secrets.token_bytes(16)
    return "$".join(("scrypt", str(_N), str(_R), str(_P), _text(salt), _text(_scrypt(password, salt, _N, _R, _P))))


def matches(password: str, stored: str) -> bool:
    """Whether this is the password; as slow for an account without one, so that time tells nothing."""
    try:
        _, n, r, p, salt, wanted = stored.split("$")
    except ValueError:
        _scrypt(password, b"no password here", _N, _R, _P)
        return False
    found = _scrypt(password, base64.b64decode(salt), int(n), int(r), int(p))
    return hmac.compare_digest(found, base64.b64decode(wanted))


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    body = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(body, salt=salt, n=2**n, r=r, p=p, maxmem=2**n * r * 160, dklen=32)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def first_admin(cur: Cursor, *, who: str) -> bool:
    """Make the account `admin`, without a password, when there is no account at all; whether that was so."""
    if accounts.listed(cur):
        return False
    return add_account(cur, ADMIN, "admin", who=who)


def add_account(cur: Cursor, name: str, role: Role, *, who: str) -> bool:
    """A new account without a password; False when the name is taken."""
    if accounts.add(cur, name, role) is None:
        return False
    audit.note(cur, who, "account.add", name, {"role": role})
    return True


def set_role(cur: Cursor, name: str, role: Role, *, who: str) -> bool:
    """Another role; False when there is no such account."""
    if not accounts.set_role(cur, name, role):
        return False
    audit.note(cur, who, "account.role", name, {"role": role})
    return True


def set_disabled(cur: Cursor, name: str, *, disabled: bool, who: str) -> bool:
    """Keep a person out, signed in or not, or let them in again; False when there is no such account."""
    if not accounts.set_disabled(cur, name, disabled=disabled):
        return False
    audit.note(cur, who, "account.disable" if disabled else "account.enable", name)
    return True


def login_link(cur: Cursor, name: str, *, who: str, seconds: float = LINK_S) -> str | None:
    """The secret of a link that signs this person in once; None when there is no such account, or it is disabled."""
    account = accounts.one(cur, name)
    if account is None or account.disabled_at:
        return None
    token = secrets.token_urlsafe(32)
    accounts.add_link(cur, digest(token), account.account_id, made_by=who, seconds=seconds)
    audit.note(cur, who, "account.login_link", name)
    return token


def new_key(cur: Cursor, wanted: Wanted, *, who: str) -> tuple[int, str]:
    """A new key: (its id, the key itself, which nobody can show again)."""
    secret = KEY_PREFIX + secrets.token_urlsafe(32)
    key_id = keys.add(cur, wanted, prefix=secret[:SHOWN_CHARS], key_hash=digest(secret), made_by=who)
    audit.note(cur, who, "key.add", secret[:SHOWN_CHARS], {"name": wanted.name, "scopes": list(wanted.scopes)})
    return key_id, secret


def revoke_key(cur: Cursor, key_id: int, *, who: str) -> bool:
    """Take a key away for good; False when there is none that holds."""
    if not keys.revoke(cur, key_id, who=who):
        return False
    audit.note(cur, who, "key.revoke", str(key_id))
    return True


def revoke_named(cur: Cursor, name: str, *, who: str) -> None:
    """Take every key of this name away."""
    if keys.revoke_named(cur, name, who=who):
        audit.note(cur, who, "key.revoke", name)
