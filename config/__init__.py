"""The only reader of settings and environment.

Layers, each over the one before:
    1. config.toml, which holds every key
    2. config.local.toml or config/config.local.toml
    3. the file that LPS_CONFIG names
    4. the environment: LPS_<BLOCK>__<KEY>, the names operators already use, and <NAME>_FILE for secrets

A package, so that no file is long: kinds (of value) · cron · blocks and paid (models) · settings (all blocks) ·
sources (files, environment) · checks (across blocks) · pool (connections).
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr, ValidationError

from config.alerting import AlertConfig
from config.blocks import (
    BrowserConfig,
    DatabaseConfig,
    LogConfig,
    MallConfig,
    NaverConfig,
    OutboxConfig,
    PageMallConfig,
    PeriodicConfig,
    QueueConfig,
    SandboxConfig,
    SearchConfig,
    WebConfig,
    WorkerConfig,
)
from config.checks import findings
from config.kinds import NaverKey
from config.paid import AiConfig, MoneyConfig
from config.pool import PoolPlan, pool_plan
from config.proxied import ProxyConfig, SessionConfig
from config.settings import LEAVES, SECRETS, KeyPath, Settings
from config.sources import Layer, Leaf, complaint, key_of, read_environment, read_file
from config.st11 import St11Config
from errors import BadConfig
from model import MALLS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AiConfig",
    "AlertConfig",
    "BrowserConfig",
    "DatabaseConfig",
    "LogConfig",
    "MallConfig",
    "MoneyConfig",
    "NaverConfig",
    "NaverKey",
    "OutboxConfig",
    "PageMallConfig",
    "PeriodicConfig",
    "PoolPlan",
    "ProxyConfig",
    "QueueConfig",
    "SandboxConfig",
    "SearchConfig",
    "SessionConfig",
    "Settings",
    "St11Config",
    "WebConfig",
    "WorkerConfig",
    "adopt",
    "load",
    "pool_plan",
]

ROOT = Path(__file__).resolve().parent.parent
BUILT_IN = ROOT / "config.toml"
Leaves = dict[KeyPath, Leaf]
_adopted: list[Settings] = []


def load(
    path: Path | None = None,
    env: Mapping[str, str] | None = None,
    root: Path | None = None,
    *,
    built_in: Path = BUILT_IN,
) -> Settings:
    """The settings in force.

    Args:
        path: a further local file, instead of the one LPS_CONFIG names.
        env: the environment; None is this process's.
        root: the folder in which config.local.toml is looked for; None is the program's.
        built_in: the file with every key.

    Raises:
        BadConfig: with all mistakes, a line each: where, what, how to mend it; never a secret's value.
    """
    if _adopted and path is None and env is None and root is None:
        return _adopted[-1]
    env = os.environ if env is None else env  # noqa: TID251 - this is the one place that reads the environment
    first = read_file(built_in, built_in.name, old_names=False)
    first.mistakes += [
        f"{built_in.name}: {key_of(missing)}: is missing; put the key back"
        for missing in ([] if first.mistakes else LEAVES)
        if missing not in first.leaves
    ]
    layers = [first, *_local_layers(root or ROOT, path, env), read_environment(env)]
    mistakes = [line for layer in layers for line in layer.mistakes]
    if first.mistakes:
        raise BadConfig("\n".join(mistakes))
    settings, wrong = _settle(layers)
    if wrong or mistakes or settings is None:
        raise BadConfig("\n".join(dict.fromkeys(mistakes + wrong)))
    return settings


def adopt(settings: Settings) -> None:
    """Let `load()` without arguments give these from now on, in this process.

    For a command that has settled on a world of its own: the environment alone says less than it knows.
    """
    _adopted[:] = [settings]


def _local_layers(root: Path, path: Path | None, env: Mapping[str, str]) -> list[Layer]:
    files = [root / "config.local.toml", root / "config" / "config.local.toml"]
    there = [file for file in files if file.exists()]
    layers = [read_file(file, str(file.relative_to(root))) for file in there]
    if len(there) > 1:
        layers[0].mistakes.append("config.local.toml: config/config.local.toml is there too; keep one of the two")
    further = path or (Path(env["LPS_CONFIG"]) if env.get("LPS_CONFIG") else None)
    return [*layers, read_file(further, str(further))] if further else layers


def _settle(layers: list[Layer]) -> tuple[Settings | None, list[str]]:
    """The settings, and what is wrong with them.

    A refused value is replaced by the built-in one, so that whatever else is wrong is found in the same run.
    """
    first = layers[0].leaves
    said: Leaves = {path: leaf for layer in layers for path, leaf in layer.leaves.items()}
    leaves = _fill_open(said)
    settings, complaints = _validate(leaves)
    wrong = [
        f"{leaves[path].where}: {text}; {_example(leaves[path], first[path])}" for path, text in complaints.items()
    ]
    if settings is None:
        leaves = _fill_open({path: first[path] if path in complaints else leaf for path, leaf in said.items()})
        settings, _ = _validate(leaves)
    for paths, text in findings(settings, leaves) if settings else ():
        if not set(complaints).intersection(paths):
            wrong.append(f"{leaves[paths[0]].where}: {text}")
    return settings, wrong


def _fill_open(said: Leaves) -> Leaves:
    """Put in what config.toml leaves open because it follows from another key."""
    leaves = dict(said)
    shipping = said["search", "assumed_shipping_krw"]
    for mall in MALLS:
        own = said[mall, "assumed_shipping_krw"]
        if own.value == -1:
            leaves[own.path] = replace(shipping, path=own.path, source=f"{shipping.source} [search]")
    name = said["database", "name"]
    if name.value == "":
        url, sandbox = said["database", "url"].value, said["sandbox", "on"]
        text = url.get_secret_value() if isinstance(url, SecretStr) else url
        origin = "lps_sandbox" if sandbox.value is True else "lps_db"
        try:
            in_url = unquote(urlsplit(text).path.strip("/")) if isinstance(text, str) else ""
        except ValueError:
            in_url = ""
        source = said["database", "url"].source if in_url else f"{sandbox.source} [sandbox]"
        leaves[name.path] = replace(name, value=in_url or origin, source=source)
    return leaves


def _validate(leaves: Leaves) -> tuple[Settings | None, dict[KeyPath, str]]:
    table: dict[str, Any] = {}
    for path, leaf in leaves.items():
        block = table
        for name in path[:-1]:
            block = block.setdefault(name, {})
        block[path[-1]] = leaf.value
    sources = {path: leaf.source for path, leaf in leaves.items()}
    try:
        return Settings.model_validate(table, strict=True, context=sources), {}
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
    complaints: dict[KeyPath, str] = {}
    for one in found:
        path = next(path for path in leaves if path == tuple(one["loc"])[: len(path)])
        complaints.setdefault(path, complaint(one["msg"]))
    return None, complaints


def _example(leaf: Leaf, built_in: Leaf) -> str:
    if leaf.path in SECRETS or built_in.value in ("", -1):
        return f"{key_of(leaf.path)} in config.toml says what it means"
    # JSON writes numbers, truth values and plain text as TOML does.
    return f"the built-in one is {leaf.path[-1]} = {json.dumps(built_in.value, ensure_ascii=False)}"
