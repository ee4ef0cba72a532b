"""All blocks together, in the order a search meets them, and where each value came from."""

import re
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, PrivateAttr, SecretStr

from config.alerting import AlertConfig, RetentionConfig
from config.blocks import (
    BrowserConfig,
    BulkConfig,
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
from config.kinds import HIDDEN, Block, ModelPrice, NaverKeys, without_login
from config.paid import AiConfig, MoneyConfig
from config.proxied import ProxyConfig, SessionConfig
from config.st11 import St11Config
from config.watching import CanaryConfig, EvidenceConfig
from errors import BadConfig
from model import MALLS

KeyPath = tuple[str, ...]


class Settings(Block):
    """Everything that is set."""

    sandbox: SandboxConfig
    database: DatabaseConfig
    web: WebConfig
    search: SearchConfig
    bulk: BulkConfig
    queue: QueueConfig
    worker: WorkerConfig
    naver: NaverConfig
    coupang: PageMallConfig
    browser: BrowserConfig
    proxy: ProxyConfig
    session: SessionConfig
    evidence: EvidenceConfig
    canary: CanaryConfig
    ai: AiConfig
    money: MoneyConfig
    gmarket: PageMallConfig
    auction: PageMallConfig
    st11: St11Config
    retention: RetentionConfig
    outbox: OutboxConfig
    periodic: PeriodicConfig
    alert: AlertConfig
    log: LogConfig

    _sources: dict[KeyPath, str] = PrivateAttr(default_factory=dict)

    def model_post_init(self, context: dict[KeyPath, str] | None, /) -> None:
        """Keep where every value came from."""
        self._sources = dict(context or {})

    @property
    def origin(self) -> Literal["sandbox", "live"]:
        """The world this process belongs to; the two never share a database."""
        return "sandbox" if self.sandbox.on else "live"

    def mall(self, name: str) -> MallConfig:
        """The block of one mall.

        Raises:
            BadConfig: no mall has this name.
        """
        if name not in MALLS:
            raise BadConfig(f"{name!r} is no mall: {', '.join(MALLS)}")
        block: MallConfig = getattr(self, name)
        return block

    def explain(self) -> list[tuple[str, str, str]]:
        """Each setting as (block.key, value, where it came from), secrets hidden."""
        return [(".".join(path), shown(self.value(path)), self._sources.get(path, "")) for path in LEAVES]

    def value(self, path: KeyPath) -> Any:
        """What is in force at a path of `LEAVES`."""
        value: Any = self
        for name in path:
            value = getattr(value, name)
        return value


def shown(value: Any) -> str:
    """A value as people may see it: no password, no key."""
    if isinstance(value, SecretStr):
        # Of a database's address only the login is secret.
        text = value.get_secret_value()
        return without_login(text) if re.match(r"postgres(ql)?://", text) else HIDDEN if text else ""
    if isinstance(value, tuple) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, tuple):
        # The tuples of models are prices, all others keys.
        return "; ".join(map(str, value)) if value and isinstance(value[0], ModelPrice) else HIDDEN if value else ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return without_login(str(value))


def _leaves(model: type[BaseModel], path: KeyPath = ()) -> dict[KeyPath, Any]:
    found: dict[KeyPath, Any] = {}
    for name, kind in get_type_hints(model, include_extras=True).items():
        if name in model.model_fields:
            block = isinstance(kind, type) and issubclass(kind, BaseModel)
            found.update(_leaves(kind, (*path, name)) if block else {(*path, name): kind})
    return found


LEAVES: dict[KeyPath, Any] = _leaves(Settings)
"""Every key with the kind of its value."""

BLOCKS = {path[:depth] for path in LEAVES for depth in range(1, len(path))}
"""Every block, nested ones too."""

SECRETS = {path for path, kind in LEAVES.items() if kind is NaverKeys or "SecretStr" in repr(kind)}
"""Keys whose value nobody may see."""
