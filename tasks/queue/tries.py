"""Ending a try: the half of the broker that stages and the failure judge call."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import structlog

from errors import DatabaseDown, Lost
from store.prepared import BEGIN
from tasks.queue import endings
from tasks.queue.delivery import current_message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from store.pool import Cursor, Pool
    from tasks.queue.delivery import DeadMessage, Delivery
    from tasks.queue.hub import Hub

    Frame = AbstractContextManager[Cursor]

log = structlog.get_logger(__name__)


class Tries:
    """What may become of a claimed message; each of these acts for its owner only, and once."""

    pool: Pool
    actors: dict[str, Any]
    on_dead: Callable[[Cursor, DeadMessage], None] | None
    max_attempts: int

    @property
    def hub(self) -> Hub | None:
        """The hub of this process while it consumes."""
        raise NotImplementedError

    @contextmanager
    def effect(
        self,
        delivery: Delivery | None = None,
        *,
        outcome: str = "done",
        mall: str | None = None,
        error: BaseException | None = None,
    ) -> Iterator[Cursor]:
        """A transaction in which the message is done: what the caller writes in it commits with that, or not at all.

        Args:
            delivery: the message; the current one by default.
            outcome: how the try is recorded; a source says how its mall answered.
            mall: which mall; by default the actor's name, if it is one.
            error: what went wrong, when the stage carries on all the same.

        Raises:
            Lost: another worker owns the message; nothing was written.
            DatabaseDown: nothing was written, or all of it was and the retry will find that out.
        """
        delivery = delivery or current_message()
        delivery.settling = True
        try:
            with self.pool.opened(lambda cur: self._own(cur, delivery, outcome, mall, error)) as cur:
                yield cur
            delivery.outcome = outcome
            delivery.ended = True
        finally:
            delivery.settling = False

    @staticmethod
    def _own(cur: Cursor, delivery: Delivery, outcome: str, mall: str | None, error: BaseException | None) -> None:
        if not endings.finish(cur, delivery, outcome=outcome, mall=mall, error=error, before=BEGIN):
            delivery.lost.set()
            raise Lost(f"{delivery.actor_name} {delivery.message_id}: lease {delivery.fence} was lost")

    def done(self, delivery: Delivery) -> None:
        """Acknowledge a message whose work needed no `effect`; of an idempotent actor, a moment later with others."""
        hub = self.hub
        if hub and self.idempotent(delivery):
            delivery.deferred = True
            hub.acks.add(delivery)
            return
        self._end(delivery, lambda cur: endings.finish(cur, delivery, outcome=delivery.outcome))

    def retry(self, delivery: Delivery, error: BaseException, delay_s: float) -> None:
        """Let it wait and try again."""
        self._end(delivery, lambda cur: endings.retry(cur, delivery, error, delay_s))
        hub = self.hub
        if hub:
            hub.slots.ring(delivery.queue)

    def give_up(self, delivery: Delivery, error: BaseException) -> None:
        """Reject it for good and tell `on_dead`, in one transaction."""
        self._end(delivery, lambda cur: self._bury(cur, delivery, error), self.pool.transaction)

    def release(self, delivery: Delivery) -> None:
        """Give it back at once, the try not counted."""
        self._end(delivery, lambda cur: endings.release(cur, delivery))

    def lose(self, delivery: Delivery, error: BaseException) -> None:
        """End silently. Where nobody else owns it (the stage itself said Lost), it is done."""
        self._end(delivery, lambda cur: endings.finish(cur, delivery, outcome="lost", error=error))

    def _bury(self, cur: Cursor, delivery: Delivery, error: BaseException) -> bool:
        owned = endings.bury(cur, delivery, error)
        if owned and self.on_dead:
            self.on_dead(cur, endings.dead(delivery, error))
        return owned

    def _end(
        self, delivery: Delivery, write: Callable[[Cursor], bool], frame: Callable[[], Frame] | None = None
    ) -> None:
        """Write an ending; what is one statement commits by itself, in one round trip."""
        delivery.settling = True
        try:
            with (frame or self.pool.autocommit)() as cur:
                owned = write(cur)
            if not owned:
                delivery.lost.set()
                log.info("ended by another worker", stage=delivery.actor_name, message_id=delivery.message_id)
        except DatabaseDown as error:
            hub = self.hub
            if hub:
                hub.outage(error)
                hub.settle_later(write)
        except Exception:
            # Whatever on_dead or the row itself does: the message stays consumed and the reaper brings it back.
            log.exception("an ending cannot be written, its lease runs out", message_id=delivery.message_id)
        finally:
            delivery.settling = False
        delivery.ended = True

    def idempotent(self, delivery: Delivery) -> bool:
        """Whether its actor says that it may run twice without harm."""
        return bool(self.option(delivery, "idempotent", 0))

    def max_attempts_of(self, delivery: Delivery) -> int:
        """Tries this message has: its own option, its actor's, the broker's."""
        return int(self.option(delivery, "max_attempts", self.max_attempts))

    def option(self, delivery: Delivery, name: str, default: float) -> float:
        """A number from the message's options, its actor's, or the default."""
        actor = self.actors.get(delivery.actor_name)
        value = delivery.options.get(name, actor.options.get(name) if actor else None)
        return default if value is None else float(value)
