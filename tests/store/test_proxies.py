"""Leases of proxy ports as single statements: one holder, a budget that no statement passes, rests that end."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from store import proxies

if TYPE_CHECKING:
    from tests.conftest import Database

PORTS = proxies.Range(host="kr.example", first=10001, last=10002)
TERMS = proxies.Terms(worker="box:1", budget=3, lease_s=60, session_s=600, rest_s=600, most_s=21600)


def lease(db: Database, mall: str = "coupang", need: int = 1) -> proxies.Lease | None:
    """One lease, if a port is free."""
    with db.pool.transaction() as cur:
        proxies.ensure(cur, PORTS)
        return proxies.lease(cur, PORTS, str(uuid.uuid4()), mall, TERMS, need=need)


def use(db: Database, taken: proxies.Lease | None, n: int = 1) -> int | None:
    """Count requests."""
    assert taken
    with db.pool.autocommit() as cur:
        return proxies.use(cur, taken.lease_id, n, budget=3)


def release(db: Database, taken: proxies.Lease | None, culprit: str = "", answered: bool = False) -> bool:
    """Give back."""
    assert taken
    end = proxies.Ending(
        reason="x", requests=0, size_bytes=0, culprit=culprit, keeps=True, answered=answered, error="", ip=None
    )
    with db.pool.transaction() as cur:
        return proxies.release(cur, taken.lease_id, end, TERMS)


def test_two_ports_are_two_leases(db: Database) -> None:
    """The third one gets none until one is given back."""
    first, second = lease(db), lease(db)
    assert first
    assert second
    assert {10001, 10002} == {first.port, second.port}
    assert lease(db) is None
    assert release(db, first)
    again = lease(db)
    assert again
    assert first.port == again.port


def test_the_budget_holds_whoever_counts(db: Database) -> None:
    """Not even a holder that forgot to count gets a fourth request; a request that was not made is given back."""
    taken = lease(db)
    assert 2 == use(db, taken, 2)
    assert use(db, taken, 2) is None
    assert 3 == use(db, taken)
    assert use(db, taken) is None
    assert 2 == use(db, taken, -1)


def test_an_address_is_used_up_across_leases(db: Database) -> None:
    """What is left of it serves the next lease; one that needs more gets a new address."""
    first = lease(db)
    use(db, first, 2)
    release(db, first)
    other = lease(db)
    same = lease(db, need=1)
    assert first
    assert same
    assert (first.session, first.generation, 2) == (same.session, same.generation, same.uses)
    release(db, same)
    release(db, other)
    new = [lease(db, need=2), lease(db, need=2)]
    assert first.session not in {one.session for one in new if one}
    assert [0, 0] == [one.uses for one in new if one]


def test_whoever_lost_a_lease_has_no_say(db: Database) -> None:
    """It cannot use, renew or release what is another's by now."""
    taken = lease(db)
    assert taken
    db.rows("UPDATE proxy_port SET lease_until = lps.now() - interval '1 second' WHERE lease_owner IS NOT NULL")
    assert use(db, taken) is None
    with db.pool.autocommit() as cur:
        assert set() == proxies.renew(cur, [taken.lease_id], lease_s=60)
    assert lease(db)
    assert lease(db)
    assert not release(db, taken, culprit="coupang")
    assert [(0,)] == db.rows("SELECT count(*) FROM proxy_port WHERE cooldown_until <> '{}'")


def test_a_rest_is_for_one_mall_or_for_all(db: Database) -> None:
    """A mall's refusal leaves the port to the others; a dead port is dead for everybody."""
    release(db, lease(db), culprit="coupang")
    release(db, lease(db), culprit="*")
    assert lease(db) is None
    assert lease(db, mall="gmarket")
    with db.pool.autocommit() as cur:
        assert (0, 1) == (proxies.open_ports(cur, PORTS, "coupang"), proxies.open_ports(cur, PORTS, "gmarket"))
