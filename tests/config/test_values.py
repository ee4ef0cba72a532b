"""What the values in force answer: addresses, secrets, malls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg2.extensions
import pytest
from pydantic import ValidationError

import config
from errors import BadConfig

if TYPE_CHECKING:
    from tests.config.conftest import Place

SECRETS = ("pw-hunter2", "sk-hunter2", "nv-hunter2", "hk-hunter2", "ai-hunter2", "ob-hunter2", "tok-hunter2")
LOADED = {
    "LPS_DATABASE__URL": "postgresql://kim:pw-hunter2@h:5432/d?password=tok-hunter2",
    "OPENAI_API_KEY": "sk-hunter2",
    "NAVER_KEYS": "id1:nv-hunter2",
    "LPS_ALERT_WEBHOOK": "https://hooks.example/hk-hunter2",
    "LPS_AI__BASE_URL": "http://me:ai-hunter2@127.0.0.1:1/v1/",
    "LPS_OUTBOX__URL": "https://erp.example/cb?key=ob-hunter2",
}


def parts(dsn: str) -> dict[str, str]:
    """What libpq reads out of an address."""
    found: dict[str, str] = psycopg2.extensions.parse_dsn(dsn)
    return found


def test_it_quotes_every_part_of_the_database_address(place: Place) -> None:
    """PostgreSQL's own parser reads back exactly what was set."""
    settings = place.load(DB_HOST="::1", DB_USER="김@x", DB_PASSWORD="p:/?#@ %", DB_NAME="a/b?c", DB_PORT="6000")
    assert parts(settings.database.dsn()) == {
        "host": "::1",
        "port": "6000",
        "user": "김@x",
        "password": "p:/?#@ %",
        "dbname": "a/b?c",
    }


def test_it_takes_a_socket_directory_as_host(place: Place) -> None:
    """A host that begins with a slash is a directory, to libpq too."""
    assert parts(place.load(DB_HOST="/run/pg").database.dsn())["host"] == "/run/pg"


def test_it_keeps_the_given_address_and_can_name_another_database(place: Place) -> None:
    """Options of the operator's address survive; the login may come from elsewhere."""
    settings = place.load(LPS_DATABASE__URL="postgresql://h:6000/d?sslmode=require", DB_USER="kim", DB_PASSWORD="x y")
    assert settings.database.dsn() == "postgresql://kim:x%20y@h:6000/d?sslmode=require"
    assert settings.database.dsn("postgres").endswith("@h:6000/postgres?sslmode=require")


def test_it_has_no_address_where_no_database_is_named(place: Place) -> None:
    """Nobody connects to a guessed server."""
    settings = place.load()
    assert not settings.database.external
    with pytest.raises(BadConfig, match="set DB_HOST"):
        settings.database.dsn()


def test_it_shows_no_secret(place: Place) -> None:
    """Neither `show` nor repr nor str holds a secret; what was set is still seen to be set."""
    settings = place.load(**LOADED)
    rows = {key: shown for key, shown, _ in settings.explain()}
    told = f"{rows} {settings!r} {settings} {settings.database!r} {settings.ai!r} {settings.naver.keys!r}"
    assert [secret for secret in SECRETS if secret in told] == []
    assert rows["ai.api_key"] == rows["naver.keys"] == rows["alert.webhook"] == rows["outbox.url"] == "********"
    assert rows["database.url"] == "postgresql://********@h:5432/d?password=********"
    assert rows["ai.base_url"] == "http://********@127.0.0.1:1/v1"
    assert rows["database.password"] == ""


@pytest.mark.parametrize("name", sorted(LOADED))
def test_it_keeps_secrets_out_of_refusals(place: Place, name: str) -> None:
    """A secret in the wrong form, or in a wrong place, is not repeated in the complaint."""
    broken = {
        **LOADED,
        name: f"x\x00 hunter2 [{LOADED[name]}",
        "LPS_WEB__PORT": "hunter2",
        "LPS_SEARCH__FALLBACK": "hunter2",
    }
    text = '[web]\nprocesses = "hunter2"\n[naver]\nkeys = [{ id = "hunter2", secret = 3 }]\n[ai]\napi_key = ["hunter2"]'
    lines = place.mistakes(text, **broken)
    assert any(line.startswith("LPS_WEB__PORT: ") for line in lines)
    assert "hunter2" not in "\n".join(lines)


@pytest.mark.parametrize("url", ["postgresql://u:hunter2@h:99999/x", "postgresql://u:hunter2@[x/y", "hunter2://u@h/x"])
def test_it_keeps_the_login_out_of_the_complaint_about_an_address(place: Place, url: str) -> None:
    """Python's own errors about addresses repeat them; ours do not."""
    lines = place.mistakes(LPS_DATABASE__URL=url, LPS_AI__BASE_URL=url)
    assert sorted(line.partition(":")[0] for line in lines) == ["LPS_AI__BASE_URL", "LPS_DATABASE__URL"]
    assert "hunter2" not in "\n".join(lines)


def test_it_refuses_a_field_no_block_has(place: Place) -> None:
    """A block made by hand is as strict as one that was read."""
    with pytest.raises(ValidationError, match="Extra inputs"):
        config.LogConfig.model_validate({"level": "info", "format": "json", "colour": "red"})


def test_it_cannot_be_changed(place: Place) -> None:
    """Settings are frozen all the way down."""
    settings = place.load()
    with pytest.raises(ValidationError):
        settings.alert.dead.limit = 1


def test_it_says_why_a_mall_is_not_asked(place: Place) -> None:
    """Real pages wait for the operator's consent, the real API for a key; a server on this machine needs neither."""
    live = place.load(LPS_ST11__ENABLED="off", LPS_GMARKET__OPERATOR_ACCEPTS_TERMS="true")
    assert "terms" in live.mall("coupang").why_disabled
    assert "NAVER_KEYS" in live.mall("naver").why_disabled
    assert "enabled = false" in live.mall("st11").why_disabled
    assert live.mall("gmarket").why_disabled == ""
    local = place.load(
        LPS_COUPANG__BASE_URL="http://127.0.0.1:8/coupang/", LPS_NAVER__BASE_URL="http://localhost:8/naver"
    )
    assert local.mall("coupang").base_url == "http://127.0.0.1:8/coupang"
    assert local.mall("coupang").why_disabled == local.mall("naver").why_disabled == ""


def test_it_knows_no_other_mall(place: Place) -> None:
    """A block that is not a mall is not handed out as one."""
    with pytest.raises(BadConfig, match="naver, coupang"):
        place.load().mall("web")


def test_a_command_that_has_settled_speaks_for_its_process() -> None:
    """What is adopted is given without arguments, and only then."""
    settled = config.load(env={"LPS_WEB__PORT": "9777"})
    before = list(config._adopted)
    config.adopt(settled)
    try:
        assert settled is config.load()
        assert 9600 == config.load(env={}).web.port
    finally:
        config._adopted[:] = before
