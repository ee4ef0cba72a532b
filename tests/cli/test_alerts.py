"""`lps alerts` on a real database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tasks.causes import CAUSES

if TYPE_CHECKING:
    from tests.cli.conftest import Checkout
    from tests.conftest import Database


def test_what_fires_is_listed_silenced_and_remembered(checkout: Checkout, db: Database) -> None:
    """Exit 3 while something fires; a silence has its reason and end; the sandbox writes to nobody."""
    from store import alerts

    name = db.url.rsplit("/", 1)[1]
    env = {"LPS_DATABASE__URL": db.url, "LPS_DATABASE__NAME": name, "COLUMNS": "200"}
    first = checkout.run("alerts", "list", **env)
    assert (0, True) == (first.returncode, "no evaluation yet" in first.stdout)
    db.rows(CAUSES["budget_leak"][0])
    with db.pool.transaction() as cur:
        now = alerts.claim(cur, by_clock=True)
        alerts.save(cur, {"rule": "budget_leak", "labels": "", "state": "firing", "since": now, "value": 1, "limit": 1,
                          "peak": 1, "text": "1 session", "clear_since": None, "unknown_since": None, "notices": 0,
                          "last_notified": None, "notice": None})  # fmt: skip
    listed = checkout.run("alerts", "list", **env)
    assert 3 == listed.returncode
    assert "budget_leak" in listed.stdout.splitlines()[1]
    assert 2 == checkout.run("alerts", "silence", "budget_leak", **env).returncode
    assert (
        0
        == checkout.run(
            "alerts", "silence", "budget_leak", "--reason", "mall changed", "--who", "kim", **env
        ).returncode
    )
    assert "by kim: mall changed" in checkout.run("alerts", "list", **env).stdout
    assert "is told again" in checkout.run("alerts", "unsilence", "budget_leak", **env).stdout
    tested = checkout.run("alerts", "test", "dead", **env)
    assert (1, True) == (tested.returncode, "the sandbox leaves it out" in tested.stderr)
    assert 1 == checkout.run("alerts", "test", "ded", **env).returncode
    assert 0 == checkout.run("alerts", "history", **env).returncode
