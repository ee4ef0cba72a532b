"""Nothing is claimed before a thread is free."""

from __future__ import annotations

from tasks.queue.slots import Slots


def test_a_queue_gets_no_more_than_its_cap_and_no_more_than_free_threads() -> None:
    """Both limits hold at once."""
    slots = Slots({"coupang": 1}, threads=4)
    assert slots.take("coupang") == 1
    assert slots.take("coupang") == 0
    assert slots.take("naver") == 3
    assert slots.take("naver") == 0


def test_a_refused_queue_is_rung_when_something_is_given_back() -> None:
    """Whoever asked in vain hears of the next free thread, the others do not."""
    slots = Slots({}, threads=1)
    naver, match = slots.bell("naver"), slots.bell("match")
    slots.take("match")
    assert slots.take("naver") == 0
    slots.give("match")
    assert naver.is_set()
    assert not match.is_set()
    assert slots.take("naver") == 1


def test_a_shut_process_claims_nothing_and_still_takes_back() -> None:
    """A stopping worker counts down to zero."""
    slots = Slots({}, threads=2)
    slots.take("naver")
    slots.shut()
    assert slots.take("match") == 0
    slots.give("naver", 2)
    assert slots.used() == 0


def test_a_fast_queue_may_claim_ahead_a_good_deal_at_a_time() -> None:
    """Half of what it may is the least, so that one statement brings many; its bell rings when that is worth it."""
    slots = Slots({}, threads=2)
    bell = slots.bell("fast")
    assert slots.take("fast", ahead=8) == 10
    assert slots.take("fast", ahead=8) == 0
    slots.give("fast", 4)
    assert not bell.is_set()
    assert slots.take("fast", ahead=8) == 0
    slots.give("fast", 1)
    assert bell.is_set()
    assert slots.take("fast", ahead=8) == 5


def test_nothing_is_claimed_ahead_while_another_queue_waits_or_under_a_cap() -> None:
    """The other one gets the next free thread; a cap is a cap."""
    slots = Slots({"coupang": 1}, threads=2)
    naver = slots.bell("naver")
    assert slots.take("coupang", ahead=8) == 1
    assert slots.take("fast", ahead=8) == 9
    assert slots.take("naver") == 0
    slots.give("fast", 8)
    assert slots.take("fast", ahead=8) == 0
    slots.give("fast", 1)
    assert naver.is_set()
    assert slots.take("naver") == 1


def test_slow_queues_together_leave_threads_to_the_quick_ones() -> None:
    """However many of them are hot, a match and a tick of the clock find a thread; one given back rings the refused."""
    slots = Slots({"naver": 3, "ops": 1}, threads=4, slow=("naver", "coupang", "outbox"))
    bell = slots.bell("coupang")
    assert slots.take("naver") == 2
    assert slots.take("coupang") == 0
    assert slots.take("ops") == 1
    assert slots.take("match") == 1
    slots.give("naver")
    assert bell.is_set()
    assert slots.take("coupang") == 1
