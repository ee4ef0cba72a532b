"""Where settings are said: TOML files and the environment, as leaves with their place; what is wrong, as lines."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from config.settings import BLOCKS, LEAVES, SECRETS, KeyPath

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

OPERATOR_NAMES: dict[str, KeyPath] = {
    "DB_HOST": ("database", "host"),
    "DB_PORT": ("database", "port"),
    "DB_NAME": ("database", "name"),
    "DB_USER": ("database", "user"),
    "DB_PASSWORD": ("database", "password"),
    "DB_CONNECTION_BUDGET": ("database", "connection_budget"),
    "DB_POOL_SIZE": ("database", "pool_size"),
    "DB_MAX_OVERFLOW": ("database", "max_overflow"),
    "PROCESS_COUNT": ("web", "processes"),
    "WORKER_CONCURRENCY": ("worker", "concurrency"),
    "NAVER_KEYS": ("naver", "keys"),
    "LPS_PROFILE_DIR": ("browser", "profile_dir"),
    "DECODO_HOST": ("proxy", "host"),
    "DECODO_PORT": ("proxy", "port"),
    "DECODO_USER": ("proxy", "user"),
    "DECODO_USERNAME": ("proxy", "user"),
    "DECODO_PASSWORD": ("proxy", "password"),
    "OPENAI_API_KEY": ("ai", "api_key"),
    "LPS_ALERT_WEBHOOK": ("alert", "webhook"),
    "LPS_ALERT_DEAD_1H": ("alert", "dead", "limit"),
    "LPS_ALERT_BLOCKS_1H": ("alert", "blocks", "limit"),
    "LPS_ALERT_QUEUE_LAG_SEC": ("alert", "queue_lag", "limit"),
    "LPS_ALERT_DEADLINE_1H": ("alert", "deadline", "limit"),
    "LPS_ALERT_COST_1H_USD": ("alert", "cost", "limit"),
    "LPS_ALERT_PORTS_LOW_PCT": ("alert", "proxy_ports_low", "limit"),
    "LPS_ALERT_BLOCK_SESSIONS_6H": ("alert", "budget_leak", "limit"),
}
"""What operators already call things; set but empty is as good as unset, for compose passes names on that way."""

VARIABLES = {"LPS_" + "__".join(path).upper(): path for path in LEAVES} | OPERATOR_NAMES
SECRET_FILES = {f"{name}_FILE": path for name, path in VARIABLES.items() if path in SECRETS}
_DECODO = [name for name in (*OPERATOR_NAMES, *SECRET_FILES) if name.startswith("DECODO_")]
NOT_SETTINGS = ("LPS_CONFIG", "LPS_LIVE", "LPS_PYTHON", "LPS_TEST_DATABASE_URL")
"""Variables of the launcher and the tests that share the prefix."""

OLD_SECTIONS: dict[str, dict[str, KeyPath]] = {
    "MainDBConfig": {
        "host": ("database", "host"),
        "port": ("database", "port"),
        "id": ("database", "user"),
        "pw": ("database", "password"),
        "name": ("database", "name"),
        "connection_budget": ("database", "connection_budget"),
        "pool_size": ("database", "pool_size"),
        "max_overflow": ("database", "max_overflow"),
    },
    "NaverConfig": {"keys": ("naver", "keys")},
    "OpenAIConfig": {"api_key": ("ai", "api_key")},
    "DecodoConfig": {
        "host": ("proxy", "host"),
        "port": ("proxy", "port"),
        "user": ("proxy", "user"),
        "username": ("proxy", "user"),
        "id": ("proxy", "user"),
        "password": ("proxy", "password"),
        "pw": ("proxy", "password"),
    },
    "LogConfig": {"log_level": ("log", "level")},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One value as someone said it."""

    path: KeyPath
    value: Any
    source: str
    """File or variable, as `lps config show` prints it."""
    where: str
    """File and key, or variable, as a mistake names it."""


class Layer:
    """All that one file or the environment says: `leaves` by path, `mistakes` as lines."""

    def __init__(self) -> None:
        self.leaves: dict[KeyPath, Leaf] = {}
        self.mistakes: list[str] = []

    def add(self, leaf: Leaf) -> None:
        """Take a leaf in; the same key said twice, differently, is a mistake."""
        before = self.leaves.setdefault(leaf.path, leaf)
        if before is not leaf and before.value != leaf.value:
            self.mistakes.append(f"{leaf.where}: says something else than {before.where}; keep one of the two")


def key_of(path: KeyPath) -> str:
    """A path as a file has it: `[alert.dead] limit`."""
    return f"[{'.'.join(path[:-1])}] {path[-1]}"


def read_file(file: Path, label: str, *, old_names: bool = True) -> Layer:
    """What a TOML file says; `label` names it in mistakes."""
    layer = Layer()
    try:
        table = tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        layer.mistakes.append(f"{label}: cannot be read ({error.strerror}); mend its path or permissions")
    except UnicodeDecodeError as error:
        layer.mistakes.append(f"{label}: is not UTF-8 (byte {error.start}); save it as UTF-8")
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+)", str(error))
        layer.mistakes.append(f"{label}:{place[1] if place else 'end'}: is not TOML: {error}; mend that line")
    else:
        for name, value in table.items():
            if old_names and name in OLD_SECTIONS:
                _read_old(name, value, label, layer)
            else:
                _walk((name,), value, label, layer)
    return layer


def _read_old(section: str, table: Any, label: str, layer: Layer) -> None:
    known = OLD_SECTIONS[section]
    if not isinstance(table, dict):
        layer.mistakes.append(f"{label}: {section}: should be a section: write [{section}]")
        return
    for key, value in table.items():
        where = f"{label}: [{section}] {key}"
        if key in known:
            layer.add(Leaf(path=known[key], value=value, source=label, where=where))
        else:
            layer.mistakes.append(f"{where}: unknown key; {_hint(key, known)}")


def _walk(path: KeyPath, value: Any, label: str, layer: Layer) -> None:
    name = ".".join(path)
    if path in LEAVES:
        layer.add(Leaf(path=path, value=value, source=label, where=f"{label}: {key_of(path)}"))
    elif path not in BLOCKS:
        layer.mistakes.append(f"{label}: {_unknown(path, value)}")
    elif not isinstance(value, dict):
        layer.mistakes.append(f"{label}: {name}: should be a section: write [{name}]")
    else:
        for key, inner in value.items():
            _walk((*path, key), inner, label, layer)


def _unknown(path: KeyPath, value: Any) -> str:
    if len(path) > 1:
        known = {one[len(path) - 1] for one in LEAVES if one[: len(path) - 1] == path[:-1]}
        elsewhere = [key_of(one) for one in LEAVES if one[-1] == path[-1]]
        near = difflib.get_close_matches(path[-1], known, 1)
        hint = f"did you mean {elsewhere[0]}?" if elsewhere and not near else _hint(path[-1], known)
        return f"{key_of(path)}: unknown key; {hint}"
    if isinstance(value, dict):
        return f"[{path[0]}]: unknown section; {_hint(path[0], [*(one[0] for one in LEAVES), *OLD_SECTIONS])}"
    elsewhere = [key_of(one) for one in LEAVES if one[-1] == path[0]]
    return f"{path[0]}: stands outside any section; " + (f"did you mean {elsewhere[0]}?" if elsewhere else "move it")


def _hint(name: str, known: Iterable[str]) -> str:
    by_fold = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), by_fold, 1)
    return f"did you mean {by_fold[near[0]]}?" if near else f"known are {', '.join(sorted(by_fold.values()))}"


def read_environment(env: Mapping[str, str]) -> Layer:
    """What the environment says, each text turned into its key's kind."""
    layer = Layer()
    for name, path, text in _spoken(env, layer):
        try:
            value = TypeAdapter(LEAVES[path]).validate_python(text)
        except ValidationError:
            # Kept as said: the validation of all blocks will refuse it too, and say what is allowed.
            value = text
        layer.add(Leaf(path=path, value=value, source=name, where=name))
    return layer


def _spoken(env: Mapping[str, str], layer: Layer) -> Iterator[tuple[str, KeyPath, str]]:
    for name, text in sorted(env.items()):
        if name in VARIABLES:
            if text or name not in OPERATOR_NAMES:
                yield name, VARIABLES[name], text
        elif name in SECRET_FILES:
            secret = _read_secret(name, text, layer) if text else ""
            if secret:
                yield name, SECRET_FILES[name], secret
        elif name.startswith("DECODO_"):
            layer.mistakes += [f"{name}: unknown variable; {_hint(name, _DECODO)}"] if text else []
        elif name.upper().startswith("LPS_") and name not in NOT_SETTINGS:
            near = difflib.get_close_matches(name.upper(), [*VARIABLES, *SECRET_FILES, *NOT_SETTINGS], 1)
            hint = f"did you mean {near[0]}?" if near else "write LPS_<BLOCK>__<KEY>, as in LPS_WEB__PORT"
            layer.mistakes.append(f"{name}: unknown variable; {hint}")


def _read_secret(name: str, file: str, layer: Layer) -> str:
    try:
        secret = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        layer.mistakes.append(f"{name}: the file it names cannot be read ({reason}); mend the path or unset it")
        return ""
    if not secret:
        layer.mistakes.append(f"{name}: the file it names is empty; put the secret there or unset it")
    return secret


def complaint(message: str) -> str:
    """Pydantic's words as a complaint about a setting."""
    words = re.sub(r"^(Value error, |(Input|String|Value|Data) )", "", message).partition(", unable to parse")[0]
    return words.replace("should have at least 1 character", "should not be empty")
