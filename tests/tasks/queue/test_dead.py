"""Dead letters: seen, grouped, replayed once, discarded with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dramatiq
import pytest

from errors import Drift
from tasks.queue import dead

if TYPE_CHECKING:
    from tasks.queue import DeadMessage, LpsBroker
    from tests.tasks.queue.conftest import Rig


@pytest.fixture
def broker(rig: Rig) -> LpsBroker:
    """A broker with three dead messages on two queues; its actors work from now on."""
    broker = rig.broker()
    failing = [True]

    def work(_job: str, what: str) -> None:
        if failing[0]:
            raise Drift(what)

    for queue in ("coupang", "gmarket"):
        dramatiq.actor(work, broker=broker, queue_name=queue, actor_name=queue)
    for queue, what in [("coupang", "card 17 of 36"), ("coupang", "card 3 of 40"), ("gmarket", "no cards")]:
        broker.enqueue(broker.message(queue, str(uuid4()), what, job=uuid4()))
    rig.work(broker)
    rig.wait(lambda: rig.states() == ["rejected"] * 3)
    failing[0] = False
    return broker


def _letters(broker: LpsBroker, **which: Any) -> list[dead.DeadLetter]:
    with broker.pool.transaction() as cur:
        return dead.listed(cur, dead.Which(**which))


def test_the_dead_are_grouped_by_what_went_wrong(broker: LpsBroker) -> None:
    """Numbers in the text do not make it another error; a group's key lists its messages."""
    with broker.pool.transaction() as cur:
        groups = dead.groups(cur)
    assert [(g.queue, g.actor, g.error, g.count) for g in groups] == [
        ("coupang", "coupang", "Drift: card # of #", 2),
        ("gmarket", "gmarket", "Drift: no cards", 1),
    ]
    letters = _letters(broker, group=groups[0].key)
    assert {letter.message.error for letter in letters} == {"card 17 of 36", "card 3 of 40"}
    assert [letter.message.attempts for letter in _letters(broker, queue="gmarket")] == [1]


def test_a_replay_happens_once_and_revives_what_it_belongs_to(rig: Rig, broker: LpsBroker) -> None:
    """Queued again with all its tries; a second click changes nothing; every attempt stays on record."""
    revived: list[DeadMessage] = []
    letters = _letters(broker, queue="coupang")

    def revive(_cur: Any, message: DeadMessage, _delay_s: float) -> None:
        revived.append(message)

    first = dead.replay(broker.pool, letters, who="kim", revive=revive)
    again = dead.replay(broker.pool, letters, who="kim", revive=revive)
    assert len(first.changed) == len(revived) == 2
    assert not again.changed
    assert set(again.refused.values()) == {"not dead any more"}
    rig.wait(lambda: sorted(rig.states()) == ["done", "done", "rejected"])
    assert rig.db.rows("SELECT count(*) FROM attempt WHERE stage = 'coupang'") == [(4,)]
    assert len(rig.notes("replay")) == 2


def test_one_that_may_not_come_back_stops_no_other(rig: Rig, broker: LpsBroker) -> None:
    """A refusal is reported for its message alone and leaves it as it was."""
    letters = _letters(broker)
    refused_id = letters[1].message.message_id

    def revive(_cur: Any, message: DeadMessage, _delay_s: float) -> None:
        if message.message_id == refused_id:
            raise dead.NotRevivableError("the same product is being searched again")

    outcomes = dead.replay(broker.pool, letters, who="kim", revive=revive)
    assert outcomes.refused == {refused_id: "the same product is being searched again"}
    assert len(outcomes.changed) == 2
    assert [letter.message.message_id for letter in _letters(broker)] == [refused_id]
    rig.wait(lambda: sorted(rig.states()) == ["done", "done", "rejected"])


def test_a_staggered_replay_does_not_run_a_mall_over(rig: Rig, broker: LpsBroker) -> None:
    """The n-th message is due n times the stagger later."""
    dead.replay(broker.pool, _letters(broker), who="kim", revive=lambda _cur, _message, _delay_s: None, stagger_s=60)
    due = rig.db.rows("SELECT round(extract(epoch FROM eta - lps.now()))::int / 50 FROM dramatiq.queue ORDER BY eta")
    assert [row[0] for row in due] == [0, 1, 2]


def test_discarding_needs_a_reason_and_keeps_it(rig: Rig, broker: LpsBroker) -> None:
    """The message leaves the list; who, why and which error are on record."""
    letters = _letters(broker, queue="gmarket")
    with pytest.raises(ValueError, match="reason"):
        dead.discard(broker.pool, letters, who="kim", reason=" ")
    assert len(dead.discard(broker.pool, letters, who="kim", reason="shop closed").changed) == 1
    assert not dead.discard(broker.pool, letters, who="kim", reason="shop closed").changed
    assert rig.db.rows("SELECT detail FROM audit WHERE action = 'discard'") == [
        ({"reason": "shop closed", "error": "Drift: no cards"},)
    ]
