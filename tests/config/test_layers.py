"""Which of several values is in force, under which name it may be given, and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import config

if TYPE_CHECKING:
    from tests.config.conftest import Place


def source(settings: config.Settings, key: str) -> str:
    """Where the value of a key came from."""
    return next(where for name, _, where in settings.explain() if name == key)


def value(settings: config.Settings, key: str) -> object:
    """The value of block.key."""
    found: object = settings
    for name in key.split("."):
        found = getattr(found, name)
    return found


def test_it_starts_with_nothing_set(place: Place) -> None:
    """config.toml alone is a working configuration."""
    settings = place.load()
    assert (settings.web.port, settings.search.deadline_s, settings.alert.dead.limit) == (9600, 90, 20)
    assert (settings.origin, settings.database.name, settings.database.external) == ("live", "lps_db", False)


@pytest.mark.parametrize("name", ["config.local.toml", "config/config.local.toml"])
def test_it_puts_the_local_file_over_the_built_in_one(place: Place, name: str) -> None:
    """The local file may lie beside the program or in config/."""
    place.write("[web]\nport = 9601\n", name)
    settings = place.load()
    assert (settings.web.port, source(settings, "web.port")) == (9601, name)
    assert source(settings, "web.threads") == "config.toml"


def test_it_puts_the_named_file_over_the_local_file_and_the_environment_over_both(place: Place) -> None:
    """Built-in < local < LPS_CONFIG < environment."""
    further = place.write("[web]\nport = 9602\nthreads = 3\n", "more.toml")
    settings = place.load(
        "[web]\nport = 9601\nthreads = 2\nprocesses = 2\n", LPS_CONFIG=str(further), LPS_WEB__PORT="9603"
    )
    assert (settings.web.port, settings.web.threads, settings.web.processes) == (9603, 3, 2)
    assert source(settings, "web.port") == "LPS_WEB__PORT"
    assert source(settings, "web.threads") == str(further)


def test_it_prefers_the_path_it_is_given_to_the_one_the_environment_names(place: Place) -> None:
    """`--config` wins over LPS_CONFIG."""
    given = place.write("[web]\nport = 9602\n", "given.toml")
    settings = config.load(given, {"LPS_CONFIG": "not-there.toml"}, place.root)
    assert settings.web.port == 9602


@pytest.mark.parametrize(
    ("name", "text", "key", "expected"),
    [
        ("DB_HOST", "db.example", "database.host", "db.example"),
        ("DB_PORT", "6543", "database.port", 6543),
        ("DB_NAME", "shop", "database.name", "shop"),
        ("DB_USER", "kim", "database.user", "kim"),
        ("DB_CONNECTION_BUDGET", "90", "database.connection_budget", 90),
        ("DB_POOL_SIZE", "3", "database.pool_size", 3),
        ("DB_MAX_OVERFLOW", "2", "database.max_overflow", 2),
        ("PROCESS_COUNT", "4", "web.processes", 4),
        ("WORKER_CONCURRENCY", "3", "worker.concurrency", 3),
        ("LPS_PROFILE_DIR", "/profiles", "browser.profile_dir", "/profiles"),
        ("LPS_ALERT_DEAD_1H", "21", "alert.dead.limit", 21),
        ("LPS_ALERT_BLOCKS_1H", "81", "alert.blocks.limit", 81),
        ("LPS_ALERT_QUEUE_LAG_SEC", "301", "alert.queue_lag.limit", 301),
        ("LPS_ALERT_DEADLINE_1H", "6", "alert.deadline.limit", 6),
        ("LPS_ALERT_COST_1H_USD", "1.5", "alert.cost.limit", 1.5),
        ("LPS_ALERT_PORTS_LOW_PCT", "31", "alert.proxy_ports_low.limit", 31),
        ("LPS_ALERT_BLOCK_SESSIONS_6H", "2", "alert.budget_leak.limit", 2),
        ("LPS_ALERT__DEAD__LIMIT", "22", "alert.dead.limit", 22),
        ("LPS_SANDBOX__ON", "true", "sandbox.on", True),
        ("LPS_LOG__LEVEL", "DEBUG", "log.level", "debug"),
    ],
)
def test_it_reads_every_name_operators_use(place: Place, name: str, text: str, key: str, expected: object) -> None:
    """The variables of the operations guide, and LPS_<BLOCK>__<KEY>, reach their key."""
    settings = place.load(**{name: text})
    assert value(settings, key) == expected
    assert source(settings, key) == name


def test_it_takes_an_empty_operator_variable_as_unset(place: Place) -> None:
    """Compose passes `DB_HOST: ${DB_HOST:-}` on as an empty text."""
    settings = place.load("[database]\nhost = 'db'\n", DB_HOST="", OPENAI_API_KEY="", DECODO_HOST="", DECODO_PORT="")
    assert settings.database.host == "db"


def test_it_reads_the_old_sections_of_a_local_file(place: Place) -> None:
    """A file of the earlier LPS works as it is."""
    settings = place.load("""
        [MainDBConfig]
        host = "db"
        port = 6000
        id = "kim"
        pw = "pass word"
        name = "lps_db"
        connection_budget = 50
        pool_size = 5
        max_overflow = 1
        [NaverConfig]
        keys = [{ id = "one", secret = "s1" }, { id = "two", secret = "s2" }]
        [OpenAIConfig]
        api_key = "sk-old"
        [DecodoConfig]
        host = ""
        [LogConfig]
        log_level = "debug"
    """)
    assert settings.database.dsn() == "postgresql://kim:pass%20word@db:6000/lps_db"
    assert (settings.database.connection_budget, settings.database.pool_size, settings.database.max_overflow) == (
        50,
        5,
        1,
    )
    assert [key.id for key in settings.naver.keys] == ["one", "two"]
    assert settings.ai.api_key.get_secret_value() == "sk-old"
    assert settings.log.level == "debug"


@pytest.mark.parametrize(
    "text",
    ['[{"id": "a", "secret": "x:y"}, {"id": "b", "secret": "z"}]', '[["a", "x:y"], ["b", "z"]]', "a:x:y, b:z"],
)
def test_it_reads_naver_keys_in_every_form(place: Place, text: str) -> None:
    """JSON or `id:secret,id:secret`."""
    keys = place.load(NAVER_KEYS=text).naver.keys
    assert [(key.id, key.secret.get_secret_value()) for key in keys] == [("a", "x:y"), ("b", "z")]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("DB_PASSWORD", "database.password"),
        ("OPENAI_API_KEY", "ai.api_key"),
        ("LPS_AI__API_KEY", "ai.api_key"),
        ("LPS_ALERT_WEBHOOK", "alert.webhook"),
        ("LPS_DATABASE__URL", "database.url"),
    ],
)
def test_it_reads_a_secret_from_a_file(place: Place, name: str, key: str) -> None:
    """<NAME>_FILE names a file that holds the secret; the newline at its end is not part of it."""
    secret = {"alert.webhook": "https://hooks.example/T1", "database.url": "postgresql://h/d"}.get(key, "s3cret")
    file = place.write(secret + "\n", "secret")
    settings = place.load(**{f"{name}_FILE": str(file)})
    assert value(settings, key).get_secret_value() == secret  # type: ignore[attr-defined] # it is a SecretStr
    assert source(settings, key) == f"{name}_FILE"


def test_it_lets_a_mall_follow_the_search_unless_it_has_its_own_shipping(place: Place) -> None:
    """-1 in a mall's block is [search]'s assumption, and `show` says so."""
    settings = place.load("[search]\nassumed_shipping_krw = 2500\n", LPS_ST11__ASSUMED_SHIPPING_KRW="0")
    assert settings.mall("gmarket").assumed_shipping_krw == 2500
    assert settings.mall("st11").assumed_shipping_krw == 0
    assert source(settings, "gmarket.assumed_shipping_krw") == "config.local.toml [search]"


def test_it_names_the_database_by_its_world(place: Place) -> None:
    """Sandbox and live have separate databases unless the operator names one."""
    assert place.load(LPS_SANDBOX__ON="1").database.name == "lps_sandbox"
    assert place.load(LPS_SANDBOX__ON="1", DB_NAME="mine").database.name == "mine"
    assert place.load(LPS_DATABASE__URL="postgresql://h/theirs").database.name == "theirs"
