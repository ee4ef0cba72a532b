"""Every rule through its whole life: a real database, a clock that the test moves, a receiver with moods."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import pytest

import config
from alerts.rules import RULES
from errors import RateLimited, UpstreamDown, UpstreamTimeout
from store import alerts
from tests.tasks.causes import CAUSES, QUEUED
from tests.tasks.conftest import ENV
from tests.tasks.receiver import Receiver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Database
    from tests.tasks.clock import Clock
    from tests.tasks.conftest import ScriptedMarket


@pytest.fixture
def receiver(market: ScriptedMarket, db: Database) -> Iterator[Receiver]:
    """The operators' chat, which the runtime of this process writes to."""
    from tasks.runtime import runtime

    receiver = Receiver()
    runtime.use(
        config.load(env={**ENV, "LPS_ALERT_WEBHOOK": receiver.url, "LPS_OUTBOX__TIMEOUT_S": "0.5"}), db.pool, market
    )
    yield receiver
    receiver.close()


def tick(clock: Clock, minutes: int = 1) -> list[str]:
    """Let minutes pass, evaluating each; deliver what is to be told; gives the notices' ids."""
    from tasks import alarm

    sent = []
    for _ in range(minutes):
        clock.move(60)
        done = alarm.evaluate()
        assert done is not None
        if done.notice:
            sent.append(done.notice)
            deliver(done.notice)
    return sent


def deliver(notice_id: str) -> None:
    """One try to deliver, as the queue runs it."""
    from tasks.notice import notice
    from tasks.runtime import runtime

    with contextlib.suppress(RateLimited, UpstreamDown, UpstreamTimeout):
        notice.fn(notice_id)
    with runtime.pool.autocommit() as cur:
        cur.execute("UPDATE dramatiq.queue SET state = 'done' WHERE queue_name = 'outbox'")


def state(db: Database, rule: str) -> str:
    """Of the rule, the worst of its labels."""
    rows = db.rows(
        "SELECT state FROM alert_state WHERE rule = %s ORDER BY state = 'firing' DESC, state = 'pending' DESC", rule
    )
    return str(rows[0][0]) if rows else "ok"


def texts(receiver: Receiver) -> list[str]:
    """What was received."""
    return [body["text"] for body in receiver.bodies]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_lives_from_pending_to_resolved(rule: str, db: Database, clock: Clock, receiver: Receiver) -> None:
    """It fires when it has held for long enough, is told once, and its end is told when it is over for good."""
    from tasks import alarm

    tick(clock)
    for statement in CAUSES[rule]:
        db.rows(statement)
    if rule == "scheduler_late":
        clock.move(240)
        done = alarm.evaluate(by_clock=False)
        assert done is not None
        assert done.notice
        deliver(done.notice)
        assert "firing" == state(db, rule)
    patience = int(alarm.timing(rule).for_s // 60)
    tick(clock, patience + (1 if rule != "scheduler_late" else 0))
    assert rule == "scheduler_late" or "firing" == state(db, rule)
    told = [text for text in texts(receiver) if f"*{rule}*" in text]
    assert 1 == len(told)
    assert "🔴" in told[0]
    tick(clock, 2)
    assert 1 == len([text for text in texts(receiver) if f"*{rule}*" in text])
    calm(db, rule)
    tick(clock, int(alarm.timing(rule).keep_s // 60) + 2)
    assert "ok" == state(db, rule)
    assert any(f"🟢 *{rule}*" in text and "resolved after" in text for text in texts(receiver))


def calm(db: Database, rule: str) -> None:
    """Take away what made it ring."""
    for table in (
        "job",
        "bot_detection",
        "dramatiq.queue",
        "attempt",
        "proxy_port",
        "crawl_session",
        "worker",
        "spend",
    ):
        db.rows(f"DELETE FROM {table}")
    if rule == "delivery_failing":
        db.rows("DELETE FROM outbox WHERE status = 404")


def test_two_clocks_evaluate_a_minute_once(db: Database, clock: Clock, receiver: Receiver) -> None:
    """Eight evaluations at once of each of ten minutes: ten in all, and nothing is told twice."""
    from tasks import alarm

    done: list[Any] = []
    for _ in range(10):
        clock.move(60)
        db.rows(CAUSES["budget_leak"][0])
        threads = [threading.Thread(target=lambda: done.append(alarm.evaluate())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert 10 == sum(one is not None for one in done)
    assert [(1,)] == db.rows("SELECT count(*) FROM outbox WHERE body::text LIKE %s", "%*budget_leak*%")


@pytest.mark.parametrize(("moods", "tries", "outcome"), [
    ([200], 1, ["sent"]),
    ([204], 1, ["sent"]),
    ([404], 1, ["failed"]),
    ([410], 1, ["failed"]),
    ([(429, 3), 200], 2, ["retry", "sent"]),
    ([500, 503, 200], 3, ["retry", "retry", "sent"]),
    (["hang", 200], 2, ["retry", "sent"]),
    ([302], 1, ["failed"]),
])  # fmt: skip
def test_only_2xx_is_delivered(
    moods: list[Any], tries: int, outcome: list[str], db: Database, clock: Clock, receiver: Receiver
) -> None:
    """429, 5xx and silence are tried again, anything else is final; every try is on record."""
    receiver.moods = moods
    db.rows(CAUSES["budget_leak"][0])
    (notice,) = tick(clock)
    for _ in range(tries - 1):
        deliver(notice)
    with db.pool.transaction() as cur:
        assert outcome == [delivery.outcome for delivery in alerts.deliveries(cur)][::-1]
    deliver(notice)
    assert tries == len(receiver.bodies)


def test_retry_after_is_kept(db: Database, clock: Clock, receiver: Receiver) -> None:
    """The receiver says how long to wait; the queue is told."""
    from tasks.notice import notice

    receiver.moods = [500, (429, 7)]
    db.rows(CAUSES["budget_leak"][0])
    (notice_id,) = tick(clock)
    with pytest.raises(RateLimited) as raised:
        notice.fn(notice_id)
    assert 7 == raised.value.after_s


def test_what_ended_before_it_could_be_told_is_not_told(db: Database, clock: Clock, receiver: Receiver) -> None:
    """A receiver that was away hears neither of the alert nor of its end."""
    receiver.moods = [500]
    db.rows(CAUSES["budget_leak"][0])
    (notice,) = tick(clock)
    calm(db, "budget_leak")
    assert [] == tick(clock, 8)
    assert "ok" == state(db, "budget_leak")
    receiver.moods = [200]
    before = len(receiver.bodies)
    deliver(notice)
    assert before == len(receiver.bodies)
    assert [("dropped",)] == db.rows("SELECT outcome FROM alert_delivery ORDER BY id DESC LIMIT 1")


def test_a_silenced_rule_is_shown_and_not_told_until_its_silence_ends(
    db: Database, clock: Clock, receiver: Receiver
) -> None:
    """With reason and end; the log has it all the while."""
    from tasks import alerting

    alerting.silence("budget_leak", hours=0.5, reason="known, mall changed", who="kim")
    db.rows(CAUSES["budget_leak"][0])
    assert [] == tick(clock, 20)
    board = alerting.board()
    assert ("budget_leak", "firing") == (board.states[0].rule, board.states[0].state)
    assert [("kim", "known, mall changed")] == [(held.who, held.reason) for held in board.silences]
    assert 1 == len(tick(clock, 15))
    assert ["silence"] == [row[0] for row in db.rows("SELECT action FROM audit")]


def test_a_cause_that_was_told_holds_its_effects_back(db: Database, clock: Clock, receiver: Receiver) -> None:
    """With nobody listening, the lag is no news; with the ports gone, the blocks are none."""
    for rule in ("proxy_ports_low", "blocks"):
        db.rows(CAUSES[rule][0])
    tick(clock, 3)
    assert "firing" == state(db, "blocks")
    assert ["proxy_ports_low"] == [
        name for name in ("proxy_ports_low", "blocks") if f"*{name}*" in "".join(texts(receiver))
    ]


def test_blocks_of_a_paused_mall_do_not_ring(db: Database, clock: Clock, receiver: Receiver) -> None:
    """Whoever paused it knows."""
    db.rows(CAUSES["blocks"][0])
    db.rows("INSERT INTO queue_pause (name, reason, who) VALUES ('coupang', 'blocks us', 'kim')")
    tick(clock, 3)
    assert "ok" == state(db, "blocks")
    assert [] == receiver.bodies


def test_a_rule_that_cannot_be_measured_leaves_the_others(db: Database, clock: Clock, receiver: Receiver) -> None:
    """Unknown is not well: it is shown at once and told after ten minutes, and the others ring as ever."""
    db.rows("ALTER VIEW session_leak RENAME TO session_leak_gone")
    try:
        db.rows(CAUSES["dead"][0])
        tick(clock)
        assert ("unknown", "firing") == (state(db, "budget_leak"), state(db, "dead"))
        db.rows("DELETE FROM job")
        assert [(14, 1)] == db.rows("SELECT rules, unknown FROM alert_clock")
    finally:
        db.rows("ALTER VIEW session_leak_gone RENAME TO session_leak")


def test_a_hundred_alerts_at_once_are_one_message(db: Database, clock: Clock, receiver: Receiver) -> None:
    """Ten of them, and how many more."""
    for n in range(100):
        db.rows(QUEUED.format(queue=f"q{n:03}"))
    tick(clock, 4)
    mine = [text for text in texts(receiver) if "no_consumer" in text]
    assert 1 == len(mine)
    assert "… and 90 more" in mine[0]


def test_a_worker_stands_in_for_a_clock_that_stands(db: Database, clock: Clock, receiver: Receiver) -> None:
    """Three minutes without an evaluation: with its heartbeat a worker asks for one, once a minute."""
    from tasks import alarm

    tick(clock)
    with db.pool.transaction() as cur:
        alarm.stand_in(cur)
    assert [] == db.rows("SELECT 1 FROM dramatiq.queue WHERE queue_name = 'ops'")
    clock.move(200)
    for _ in range(3):
        with db.pool.transaction() as cur:
            alarm.stand_in(cur)
    assert [(["worker"],)] == db.rows("SELECT message->'args' FROM dramatiq.queue WHERE queue_name = 'ops'")


def test_the_outside_watchdog_hears_of_each_complete_evaluation(db: Database, clock: Clock, receiver: Receiver) -> None:
    """And only of those; its answer is on record."""
    from tasks import alarm
    from tasks.runtime import runtime

    with contextlib.closing(Receiver(200)) as outside:
        env = {**ENV, "LPS_ALERT__PING": outside.url}
        runtime.use(config.load(env=env), db.pool, None)
        alarm.evaluate()
        alarm.evaluate()
        assert 1 == len(outside.bodies)
    assert [(200,)] == db.rows("SELECT ping_status FROM alert_clock")


def test_a_test_notice_says_what_the_receiver_said(receiver: Receiver) -> None:
    """2xx alone is sent; the answer is shown; the address is not."""
    from tasks import alerting

    receiver.moods = [200, 404]
    good, bad = alerting.test("dead"), alerting.test("dead")
    assert (True, 200, "ok") == (good.sent, good.status, good.answer)
    assert (False, 404) == (bad.sent, bad.status)
    assert "this is a test" in receiver.bodies[0]["text"]
    assert "hunter2" not in str(bad)
