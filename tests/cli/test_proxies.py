"""`lps proxies`: what an operator sees of the ports, and forgetting what is held against one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    from tests.conftest import Database


@pytest.fixture
def lps(db: Database) -> Callable[..., Result]:
    """Run `lps proxies …` on this run's database."""
    from cli.proxies import proxies
    from tasks.runtime import runtime

    was = runtime.settings

    def run(*words: str) -> Result:
        env = {"LPS_DATABASE__URL": db.url, "LPS_DATABASE__NAME": "", "LPS_SANDBOX__ON": "true", "COLUMNS": "200"}
        try:
            return CliRunner().invoke(proxies, [*words], env=env, standalone_mode=False)
        finally:
            runtime.use(was)

    return run


def ports(db: Database) -> None:
    """One leased, one resting for a mall, one that is dead."""
    db.rows(
        "INSERT INTO proxy_port (host, port, uses, generation, lease_owner, lease_until, lease_mall, lease_worker)"
        " VALUES ('kr.example', 10001, 2, 7, gen_random_uuid(), lps.now() + interval '1 minute', 'coupang', 'box:12')"
    )
    db.rows(
        "INSERT INTO proxy_port (host, port, cooldown_until, strikes, last_error, errors, last_ip) VALUES"
        " ('kr.example', 10002, jsonb_build_object('coupang', lps.now() + interval '10 minutes'), '{\"coupang\": 1}',"
        " 'akamai', 1, '127.100.0.9'),"
        " ('kr.example', 10003, jsonb_build_object('*', lps.now() + interval '50 seconds'), '{}', 'refused', 3, NULL)"
    )


def test_it_shows_each_port(db: Database, lps: Callable[..., Result]) -> None:
    """State, holder, pages, rests, address, errors."""
    ports(db)
    said = lps("list")
    lines = [" ".join(line.split()) for line in said.output.splitlines()]
    assert lines[1].startswith("kr.example:10001 leased coupang on box:12 2 7")
    assert lines[2].startswith("kr.example:10002 cooling 0 0 coupang 10 min 127.100.0.9 1 akamai")
    assert lines[3].startswith("kr.example:10003 resting 0 0 * ")
    assert lines[3].endswith("3 refused")
    assert lines[1] in " ".join(lps().output.split())


def test_without_ports_it_says_so(db: Database, lps: Callable[..., Result]) -> None:
    """No table of nothing."""
    assert "no proxy port" in lps("list").output


def test_a_reset_forgets_what_is_held_against_a_port(db: Database, lps: Callable[..., Result]) -> None:
    """One, or all; it leaves who did it; an unknown port is an error."""
    ports(db)
    assert "1 port reset" in lps("reset", "10002", "--who", "kim").output
    assert [(10003,)] == db.rows("SELECT port FROM proxy_port WHERE cooldown_until <> '{}'")
    assert "3 ports reset" in lps("reset", "all", "--who", "kim").output
    assert [(0,)] == db.rows("SELECT count(*) FROM proxy_port WHERE cooldown_until <> '{}' OR errors > 0")
    assert 1 == lps("reset", "9").return_value
    assert [("kim", "10002"), ("kim", "all")] == db.rows("SELECT who, subject FROM audit ORDER BY audit_id")
