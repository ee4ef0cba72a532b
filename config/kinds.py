"""The kinds of value a setting can have, and what each refuses.

No message here repeats the value it refuses: it may be a secret in the wrong place.
"""

from __future__ import annotations

import json
import re
from datetime import date  # noqa: TC003 - pydantic reads it at run time
from decimal import Decimal  # noqa: TC003 - as above
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from config.cron import check_cron

if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN = "********"


class Block(BaseModel):
    """A frozen block that refuses what it does not know and never shows what it was given."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            yield name, without_login(value) if isinstance(value, str) else value


def listed(names: str) -> frozenset[str]:
    """The names in "a, b", in lower case."""
    return frozenset(name.strip().lower() for name in names.split(",") if name.strip())


def without_login(address: str) -> str:
    """The text with the login of any address in it hidden."""
    # The last @ before the path ends the login: a password may itself hold an unquoted @.
    hidden = re.sub(r"://[^/?#]*@", f"://{HIDDEN}@", address)
    return re.sub(r"(password=)[^&]*", rf"\g<1>{HIDDEN}", hidden)


def on_this_machine(address: str) -> bool:
    """Whether the address is a loopback one."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


class NaverKey(Block):
    """One application registered at Naver."""

    id: str = Field(min_length=1)
    secret: SecretStr = Field(min_length=1)


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        # The library's own error repeats the address, password and all.
        raise ValueError("is not an address that can be read (host, port)") from None
    return parts


def _web_address(value: str) -> str:
    parts = _split(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError('should be an address like "https://www.example.com"')
    return value.rstrip("/")


def _database_address(value: SecretStr) -> SecretStr:
    address = value.get_secret_value()
    if address and not re.match(r"postgres(ql)?://[^/]*[^/@]", address):
        raise ValueError('should be an address like "postgresql://user:password@host:5432/name"')
    _split(address)
    return value


def _secret_web_address(value: SecretStr) -> SecretStr:
    parts = _split(value.get_secret_value())
    if value.get_secret_value() and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError('should be an address like "https://hooks.example.com/…", or empty')
    return value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _naver_keys(value: Any) -> tuple[NaverKey, ...]:
    form = 'key {} is not understood: write [{{id = "…", secret = "…"}}], the same as JSON, or "id:secret,id:secret"'
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            value = json.loads(value)
        except ValueError:
            # The parser's own error carries the text, secrets and all.
            raise ValueError(form.format(1)) from None
    if isinstance(value, str):
        value = [pair.strip().split(":", 1) for pair in value.split(",") if pair.strip()]
    keys = []
    for n, one in enumerate(value if isinstance(value, (list, tuple)) else [value], start=1):
        key = one if isinstance(one, NaverKey) else _naver_key(one)
        if key is None:
            raise ValueError(form.format(n))
        keys.append(key)
    return tuple(keys)


def _naver_key(pair: Any) -> NaverKey | None:
    fields = [pair.get("id"), pair.get("secret")] if isinstance(pair, dict) and len(pair) == 2 else pair
    if not isinstance(fields, list) or len(fields) != 2 or not all(isinstance(text, str) for text in fields):
        return None
    name, secret = (text.strip() for text in fields)
    return NaverKey(id=name, secret=SecretStr(secret)) if name and secret else None


class ModelPrice(Block):
    """What a model costs from a day on, USD per million tokens."""

    model: str = Field(min_length=1)
    since: date
    input_usd: Decimal = Field(ge=0)
    cached_usd: Decimal = Field(ge=0)
    output_usd: Decimal = Field(ge=0)

    def __str__(self) -> str:
        return f"{self.model} {self.since}: {self.input_usd}/{self.cached_usd}/{self.output_usd}"


def _model_prices(value: Any) -> tuple[ModelPrice, ...]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise ValueError("should be the list of config.toml, written as JSON") from None
    rows = value if isinstance(value, (list, tuple)) else [value]
    return tuple(row if isinstance(row, ModelPrice) else _model_price(row, n) for n, row in enumerate(rows, start=1))


def _model_price(row: Any, n: int) -> ModelPrice:
    form = f'row {n} should be {{model = "…", since = "2025-01-31", input_usd = …, cached_usd = …, output_usd = …}}'
    if not isinstance(row, dict):
        raise ValueError(form)  # noqa: TRY004 - pydantic takes ValueError for a refusal
    try:
        # A price is what is written, not its nearest binary fraction.
        return ModelPrice.model_validate({key: str(part) for key, part in row.items()})
    except ValidationError:
        raise ValueError(form) from None


def _hosts(value: Any) -> tuple[str, ...]:
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise ValueError('should be a list of host names like ["example.com"], or "example.com,example.net"')
    found = tuple(name.strip().lower() for name in names if name.strip())
    if wrong := [name for name in found if not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", name)]:
        raise ValueError(f"{wrong[0]!r} is no host name: write it as in example.com, without https:// and path")
    return found


Whole = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0)]
SecondsOrOff = Annotated[float, Field(ge=0)]
Amount = Annotated[float, Field(ge=0)]
Word = Annotated[str, Field(min_length=1)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
# Who knows a webhook's address may write to it.
SecretWebAddress = Annotated[SecretStr, AfterValidator(_secret_web_address)]
DatabaseAddress = Annotated[SecretStr, AfterValidator(_database_address)]
Hosts = Annotated[tuple[str, ...], BeforeValidator(_hosts)]
NaverKeys = Annotated[tuple[NaverKey, ...], BeforeValidator(_naver_keys)]
ModelPrices = Annotated[tuple[ModelPrice, ...], BeforeValidator(_model_prices)]
Cron = Annotated[str, AfterValidator(check_cron)]
LogLevel = Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)]
