"""The queue against a model of it.

Any order of claims, beats, endings, reaping, replays, pauses and cancellations by several workers, with a clock that
the test moves; after every step the database says what the model says. Which broken statements it finds is in
docs/known-failures.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, consumes, multiple, rule, run_state_machine_as_test

from errors import Lost
from tasks.queue import dead, endings, limits
from tasks.queue.cancel import cancel
from tests.tasks.queue.modelled import LEASE_S, WORKERS, Modelled, clocked_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from store.pool import Pool

worker_numbers = st.integers(0, WORKERS - 1)
WAIT_S = 40
"""How long a retry and what found no room wait: longer than most steps of the clock."""
ENDINGS = ("effect", "together", "done", "retry", "give_up", "release", "postpone")
seconds = st.sampled_from([1, 3, 9, 29, 31])
numbers = st.integers(0, 9)


@pytest.fixture(scope="module")
def clocked(server_url: str) -> Iterator[Pool]:
    """A database whose clock is a row."""
    with clocked_pool(server_url) as pool:
        yield pool


class Queue(Modelled):
    """What may happen; `held` is what a worker believes to own, rightly or not."""

    held: Bundle[tuple[int, Any]] = Bundle("held")

    @rule()
    def send(self) -> None:
        """One more message."""
        self.add()

    @rule(number=numbers)
    def send_again(self, number: int) -> None:
        """A message that is known is left as it is, whatever has become of it."""
        message = self.broker.message("naver", job=self.nth(number)[1].job)
        self.broker.enqueue(message)
        with self.pool.transaction() as cur:
            assert self.broker.enqueue_in(cur, message) == 0

    @rule(worker=worker_numbers, most=st.integers(1, 3), target=held)
    def claim(self, worker: int, most: int) -> Any:
        """Only what is queued and due is claimed, each with a fence never seen."""
        due = [m for m in self.messages.values() if m.state == "queued" and m.eta <= self.now]
        return multiple(*[(worker, delivery) for delivery in self.claimed(worker, most, due)])

    @rule(worker=worker_numbers, number=numbers, passed=st.sampled_from([0, LEASE_S + 1]), target=held)
    def others_go_round_a_locked_row(self, worker: int, number: int, passed: int) -> Any:
        """While one message is in other hands, nobody waits for it: claims, beats and reapers take the rest."""
        self.tick(passed)
        key, locked = self.nth(number)
        due = [m for m in self.messages.values() if m.state == "queued" and m.eta <= self.now and m is not locked]
        with self.pool.transaction() as cur:
            cur.execute("SELECT FROM dramatiq.queue WHERE message_id = %s FOR UPDATE", (key,))
            got = self.claimed(worker, 3, due)
            self.beaten(worker, locked)
            self.reaped(locked)
        return multiple(*[(worker, delivery) for delivery in got])

    @rule(which=held, worker=worker_numbers, again=st.booleans(), target=held)
    def overtake(self, which: tuple[int, Any], worker: int, again: bool) -> Any:
        """A worker is silent past its lease: its message comes back, another one may get it, then it wakes."""
        if not self.owns(which[1]):
            return multiple()
        self.tick(LEASE_S + 1)
        self.reap()
        self.tick(WAIT_S)
        got = self.claim(worker, 3) if again else multiple()
        self.end_late(which)
        return got

    @rule(worker=worker_numbers)
    def beat(self, worker: int) -> None:
        """Leases of what is owned move on; what is not owned any more is reported, nothing else."""
        self.beaten(worker)

    @rule(passed=seconds)
    def tick(self, passed: int) -> None:
        """Time goes on."""
        self.now += passed
        self.sql("UPDATE lps.clock SET at = at + %s * interval '1 s'", passed)

    @rule(which=consumes(held), how=st.sampled_from(ENDINGS))
    def end_try(self, which: tuple[int, Any], how: str) -> None:
        """A try ends, for the owner only."""
        self.ended(which[1], how)
        self.hubs[which[0]].drop(which[1])

    @rule(which=held)
    def end_late(self, which: tuple[int, Any]) -> None:
        """Whoever is the owner no more may try what it likes: it changes nothing, and learns that."""
        worker, delivery = which
        if not self.owns(delivery):
            for how in ENDINGS:
                self.ended(delivery, how)
            self.hubs[worker].drop(delivery)

    def ended(self, delivery: Any, how: str) -> None:
        """End a try in one way, and hold what came of it against the model."""
        owned = self.owns(delivery)
        delivery.worker = "w"
        error = ValueError("why")
        calls: dict[str, tuple[Callable[[], bool], str, str]] = {
            "effect": (lambda: self.effect(delivery), "done", "done"),
            "together": (lambda: self.together(delivery), "done", "done"),
            "done": (lambda: self.told(delivery, lambda: self.broker.done(delivery)), "done", "done"),
            "retry": (
                lambda: self.told(delivery, lambda: self.broker.retry(delivery, error, WAIT_S)),
                "queued",
                "retry",
            ),
            "give_up": (lambda: self.told(delivery, lambda: self.broker.give_up(delivery, error)), "rejected", "dead"),
            "release": (lambda: self.told(delivery, lambda: self.broker.release(delivery)), "queued", "released"),
            "postpone": (lambda: self.postpone(delivery), "queued", ""),
        }
        call, state, outcome = calls[how]
        assert call() is owned
        if owned:
            message = self.end(delivery, state, outcome)
            message.eta = self.now + (WAIT_S if how in ("retry", "postpone") else 0)
            message.attempts -= how in ("release", "postpone")
            message.effects += how == "effect"

    def effect(self, delivery: Any) -> bool:
        """The work is done in one transaction."""
        try:
            with self.broker.effect(delivery) as cur:
                cur.execute(
                    "INSERT INTO audit (who, action, subject) VALUES ('', 'effect', %s)", (delivery.message_id,)
                )
        except Lost:
            return False
        return True

    @staticmethod
    def told(delivery: Any, call: Callable[[], None]) -> bool:
        """An ending that says to the try itself whether it was the owner."""
        delivery.lost.clear()
        call()
        return not delivery.lost.is_set()

    def postpone(self, delivery: Any) -> bool:
        """There was no room."""
        with self.pool.transaction() as cur:
            return limits.postpone(cur, delivery, WAIT_S)

    def together(self, *deliveries: Any) -> bool:
        """Acknowledgements in one statement, which says for which it was the owner."""
        with self.pool.autocommit() as cur:
            return endings.finish_all(cur, deliveries) == {delivery.key for delivery in deliveries}

    @rule(first=consumes(held), second=held)
    def finish_together(self, first: tuple[int, Any], second: tuple[int, Any]) -> None:
        """Two acknowledgements in one statement: each for its owner only."""
        pair = {delivery.key: delivery for _, delivery in (first, second)}
        owned = {key for key, delivery in pair.items() if self.owns(delivery)}
        with self.pool.autocommit() as cur:
            assert endings.finish_all(cur, list(pair.values())) == owned
        for key in owned:
            self.end(pair[key], "done", "done")

    @rule()
    def reap(self) -> None:
        """Expired leases come back, or die when no try is left; nothing else does."""
        self.reaped()

    @rule(which=consumes(held), discarded=st.booleans())
    def die_and_replay(self, which: tuple[int, Any], discarded: bool) -> None:
        """The dead live again with all their tries, or are given up; said twice, the second time for nothing."""
        self.end_try(which, "give_up")
        with self.pool.transaction() as cur:
            letters = dead.listed(cur)
        for changed in (len(letters), 0):
            if discarded:
                done = dead.discard(self.pool, letters, who="kim", reason="gone")
            else:
                done = dead.replay(self.pool, letters, who="kim", revive=lambda _cur, _dead, _delay_s: None)
            assert len(done.changed) == changed
        for letter in letters:
            message = self.messages[letter.message.message_id]
            assert message.state == "rejected"
            message.state = "done" if discarded else "queued"
            if not discarded:
                message.attempts, message.eta = 0, self.now

    @rule()
    def pause_or_resume(self) -> None:
        """While a queue is paused nothing of it is claimed; all else goes on."""
        if self.paused:
            self.broker.resume("naver", who="kim")
        else:
            self.broker.pause("naver", reason="why", who="kim")
        self.paused = not self.paused

    @rule(number=numbers)
    def cancel(self, number: int) -> None:
        """A job's message is done, whoever works on it, and every claim of it is void."""
        _, message = self.nth(number)
        with self.pool.transaction() as cur:
            waited, ran = cancel(cur, message.job, 0, "not wanted")
        assert (waited, ran) == (message.state == "queued", message.state == "consumed")
        if message.state == "consumed":
            message.tries.append("cancelled")
        if message.state != "done":
            message.state, message.fence = "done", message.fence + 1


def test_whatever_happens_in_whatever_order(clocked: Pool) -> None:
    """No message lost, none claimed twice, no effect twice, no late worker heard."""
    Queue.pool = clocked
    run_state_machine_as_test(
        Queue,
        settings=settings(
            max_examples=120,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
            # Shrinking a failure takes minutes; the steps that led to it are printed all the same.
            phases=[Phase.generate],
        ),
    )
