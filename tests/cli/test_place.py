"""Worlds, settings and databases of a command."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from cli import place, units
from cli.place import World
from errors import BadConfig, DatabaseDown, PortTaken, SchemaMismatch, Setup, WrongOrigin
from store import databases
from store.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SANDBOX, LIVE = World(), World(live=True)


@pytest.fixture
def env(server_url: str) -> Iterator[dict[str, str]]:
    """An operator's environment with a database of the test server; what a test makes there is dropped."""
    named = f"{server_url.rsplit('/', 1)[0]}/lps_test_place"
    yield {"LPS_DATABASE__URL": named}
    for name in databases.beginning_with(lambda _: server_url, "lps_test_place"):
        databases.drop(lambda _: server_url, name)


def test_the_sandbox_stands_in_for_every_mall() -> None:
    """No real key, address, proxy or webhook is left, whatever the operator has set."""
    own = {"NAVER_KEYS": "real:key", "DECODO_HOST": "gate", "LPS_ALERT_WEBHOOK": "https://hooks.example/x"}
    settled = place.settle(own, SANDBOX)
    settings = settled.settings
    base = f"http://127.0.0.1:{settled.market_port}"
    assert "sandbox" == settings.origin
    assert {f"{base}/{mall}" for mall in ("naver", "coupang", "gmarket", "auction", "st11")} == {
        settings.mall(mall).base_url for mall in ("naver", "coupang", "gmarket", "auction", "st11")
    }
    assert "" == settings.proxy.host == settings.alert.webhook.get_secret_value()
    assert "real" not in str(settled.env)
    assert [] == [mall for mall in ("naver", "coupang", "st11") if settings.mall(mall).why_disabled]


def test_the_sandbox_asks_no_real_model() -> None:
    """The operator's key and address are gone; only --ai switches one on, and it is the sandbox's own."""
    own = {"OPENAI_API_KEY": "sk-real", "LPS_AI__BASE_URL": "https://model.example/v1", "LPS_AI__ENABLED": "true"}
    off, on = place.settle(own, SANDBOX), place.settle(own, World(ai=True))
    assert "switched off" == off.settings.ai.why_off
    assert ("", f"http://127.0.0.1:{on.market_port}/ai/v1") == (on.settings.ai.why_off, on.settings.ai.base_url)
    assert "sk-real" not in f"{off.env} {on.env}"


def test_the_sandbox_has_a_gate_of_its_own_by_switch() -> None:
    """Ten ports side by side, as settings of the workers and as an argument of the sandbox."""
    settled = place.settle({"LPS_SANDBOX__PROXY": "true", "DECODO_HOST": "gate"}, SANDBOX)
    proxy = settled.settings.proxy
    assert (settled.gate, proxy.host, proxy.ports) == (f"{proxy.port}:10", "127.0.0.1", 10)
    assert "10" in units.market(1, None, 0, settled.gate).command[-1]


def test_the_sandbox_takes_its_own_databases_name_from_the_operator() -> None:
    """It is judged as the sandbox's from the first look at the settings on."""
    own = {"DB_HOST": "127.0.0.1", "DB_NAME": "lps_sandbox", "DB_USER": "lps"}
    assert "lps_sandbox" == place.settle(own, SANDBOX).name


def test_the_live_world_is_what_the_operator_set() -> None:
    """Nothing is changed, and no market is started."""
    settled = place.settle({"NAVER_KEYS": "real:key"}, LIVE)
    assert ("live", 0, {"NAVER_KEYS": "real:key"}) == (settled.settings.origin, settled.market_port, settled.env)


def test_live_and_a_sandbox_setting_contradict() -> None:
    """Neither wins silently."""
    with pytest.raises(BadConfig, match="--live contradicts"):
        place.settle({"LPS_SANDBOX__ON": "true"}, LIVE)


def test_a_taken_market_port_is_said() -> None:
    """Before anything is started."""
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(PortTaken, match=r"\[sandbox\] port"):
        place.settle({"LPS_SANDBOX__PORT": str(taken.getsockname()[1])}, SANDBOX)


def test_a_missing_database_is_made_and_migrated(env: dict[str, str]) -> None:
    """The second time it is found as it is."""
    for _ in range(2):
        with place.prepared(SANDBOX, shared=True, env=env) as here:
            assert "lps_test_place" == here.name
            with closing(place.pool(here.settings, "test")) as pool, pool.autocommit() as cur:
                cur.execute("SELECT origin FROM lps.origin")
                assert [("sandbox",)] == cur.fetchall()


def test_a_database_of_the_other_world_is_refused(env: dict[str, str]) -> None:
    """Sandbox and live never mix."""
    with place.prepared(SANDBOX, shared=True, env=env):
        pass
    with pytest.raises(WrongOrigin), place.prepared(LIVE, shared=True, env=env):
        pass


def test_a_newer_schema_is_refused(env: dict[str, str]) -> None:
    """The text says to update LPS."""
    with (
        place.prepared(SANDBOX, shared=True, env=env) as here,
        closing(Pool(here.dsn, size=1)) as pool,
        pool.transaction() as cur,
    ):
        cur.execute("INSERT INTO lps_migration (number, name, sha256) VALUES (9999, '9999_future', 'x')")
    with pytest.raises(SchemaMismatch, match=r"newer.*9999_future"), place.prepared(SANDBOX, shared=True, env=env):
        pass


@pytest.mark.parametrize(
    ("part", "said"), [("//postgres:", "password authentication failed"), ("127.0.0.1:", "refused|could not connect")]
)
def test_a_database_that_cannot_be_used_is_one_line(env: dict[str, str], part: str, said: str) -> None:
    """Wrong password, or nobody there."""
    url = env["LPS_DATABASE__URL"]
    with socket.create_server(("127.0.0.1", 0)) as dead:
        port = dead.getsockname()[1]
    wrong = url.replace(part, f"{part}x") if part.startswith("//") else f"postgresql://u:p@127.0.0.1:{port}/x"
    with (
        pytest.raises(DatabaseDown, match=said) as caught,
        place.prepared(SANDBOX, shared=True, env={"LPS_DATABASE__URL": wrong}),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_saved_pages_have_a_database_of_their_own(env: dict[str, str], tmp_path: Path) -> None:
    """A cached answer from one folder must not answer for another, nor for the invented market."""
    names = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        with place.reached(World(fixtures=folder), env) as here:
            names.append(here.name)
    assert 2 == len({*names, "lps_test_place"} - {"lps_test_place"})
    assert all(name.startswith("lps_test_place_") for name in names)


def test_two_searches_at_once_do_not_share_a_database(env: dict[str, str]) -> None:
    """The second gets one for itself, which is gone afterwards."""
    with place.prepared(SANDBOX, shared=False, env=env) as first:
        with place.prepared(SANDBOX, shared=False, env=env) as second:
            assert "lps_test_place" == first.name != second.name
            dsn = second.settings.database.dsn
            assert [second.name] == databases.beginning_with(dsn, second.name)
        assert [] == databases.beginning_with(dsn, second.name)


def test_what_a_killed_search_left_is_dropped(env: dict[str, str]) -> None:
    """Its database holds the pid of a process that is no more."""
    with place.prepared(SANDBOX, shared=True, env=env) as here:
        orphan = f"{here.name}{place._PART}{2**22 + 1}"
        databases.ensure(here.settings.database.dsn, orphan)
    with place.prepared(SANDBOX, shared=False, env=env) as here:
        assert [] == databases.beginning_with(here.settings.database.dsn, orphan)


def test_only_one_of_a_kind_runs_in_a_checkout() -> None:
    """The second is told so."""
    with place.only_one("test"), pytest.raises(Setup, match="lps test runs already"), place.only_one("test"):
        pass
