"""What runs around every message: the current message, the log's context, the judgement on a failure, time limits.

The list is explicit: dramatiq's default one opens a metrics port to the world, drops old messages and keeps its own
retries. Retries live here alone, and each is an UPDATE of the message's own row.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from random import SystemRandom
from typing import TYPE_CHECKING, Any, cast

import structlog
from dramatiq import Middleware
from dramatiq.errors import Retry as RetryAfter
from dramatiq.middleware import Shutdown, ShutdownNotifications, TimeLimit

from errors import Lost, LpsError, Retry, Rotate, Stop
from tasks.queue.delivery import Delivery, current_message, set_current

if TYPE_CHECKING:
    from dramatiq.broker import Broker

    from tasks.queue import LpsBroker

__all__ = ["Context", "Judge", "chain", "current_message"]

log = structlog.get_logger(__name__)
_random = SystemRandom()
_HOST = socket.gethostname()
TIME_LIMIT_MS = 600_000


def chain(*, time_limit_ms: int = TIME_LIMIT_MS) -> list[Middleware]:
    """The middleware of every LPS process, in order; `after_…` hooks run in the reverse one.

    Args:
        time_limit_ms: when a thread is interrupted that nothing else stopped; an actor's `time_limit` overrides it.
    """
    return [Context(), Judge(), ShutdownNotifications(), TimeLimit(time_limit=time_limit_ms)]


class Context(Middleware):
    """The message a thread works on, for the actor and for each line it logs: job_id, stage, trace_id."""

    def before_process_message(self, _broker: Broker, message: Any) -> None:
        """Bind it."""
        delivery = cast("Delivery", message)
        delivery.worker = f"{_HOST}:{os.getpid()}/{threading.current_thread().name}"
        set_current(delivery)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(
            job_id=delivery.subject,
            stage=delivery.actor_name,
            **{name: delivery.options[name] for name in ("trace_id",) if name in delivery.options},
        )

    def after_process_message(
        self, _broker: Broker, _message: Any, *, result: Any = None, exception: BaseException | None = None
    ) -> None:
        """Let it go."""
        del result, exception
        set_current(None)
        structlog.contextvars.clear_contextvars()

    def after_skip_message(self, _broker: Broker, message: Any) -> None:
        """A skipped message is done, and says so."""
        cast("Delivery", message).outcome = "skipped"
        set_current(None)
        structlog.contextvars.clear_contextvars()


class Judge(Middleware):
    """Decides by its type what a failure means: again later, dead, not ours, or not counted."""

    actor_options = frozenset({"max_attempts", "min_backoff_s", "max_backoff_s"})

    def after_declare_actor(self, _broker: Broker, actor: Any) -> None:
        """Have dramatiq print the traceback of a surprise, not of a failure that has a name."""
        actor.options.setdefault("throws", LpsError)

    def before_process_message(self, _broker: Broker, message: Any) -> None:
        """Look at the clock."""
        message.begun = time.monotonic()

    def after_process_message(
        self, broker: Broker, message: Any, *, result: Any = None, exception: BaseException | None = None
    ) -> None:
        """Write the ending; if the database is away, the hub writes it later or the reaper brings the message back."""
        del result
        delivery, lps = cast("Delivery", message), cast("LpsBroker", broker)
        if exception is None:
            # Whether it is done, the acknowledgement will tell.
            return
        if isinstance(exception, Lost):
            lps.lose(delivery, exception)
        elif isinstance(exception, Shutdown):
            lps.release(delivery)
        elif isinstance(exception, (Stop, Rotate)) or delivery.attempt >= lps.max_attempts_of(delivery):
            log.error(_line("fail", delivery, " → DEAD"), error=repr(exception), attempt=delivery.attempt)
            lps.give_up(delivery, exception)
        else:
            delay_s = backoff_s(lps, delivery, exception)
            log.warning(_line("fail", delivery, f" → {delay_s:.1f}s"), error=repr(exception), attempt=delivery.attempt)
            lps.retry(delivery, exception, delay_s)

    def after_ack(self, _broker: Broker, message: Any) -> None:
        """Say so when a message is done, and only then."""
        delivery = cast("Delivery", message)
        if (
            getattr(delivery, "_exception", None) is None
            and delivery.outcome != "skipped"
            and not delivery.lost.is_set()
        ):
            took_ms = round((time.monotonic() - message.begun) * 1000)
            log.info(_line("done", delivery), job_id=delivery.subject, stage=delivery.actor_name, ms=took_ms)


def backoff_s(broker: LpsBroker, delivery: Delivery, error: BaseException) -> float:
    """Seconds until the next try: what the other side asked for, else doubled each time, half of it by chance."""
    if isinstance(error, Retry) and error.after_s is not None:
        return error.after_s
    if isinstance(error, RetryAfter) and error.delay is not None:
        return float(error.delay) / 1000
    least = broker.option(delivery, "min_backoff_s", broker.min_backoff_s)
    most = broker.option(delivery, "max_backoff_s", broker.max_backoff_s)
    wait = min(most, least * 2.0 ** min(delivery.attempt - 1, 30))
    return wait / 2 + _random.uniform(0, wait / 2)


def _line(what: str, delivery: Delivery, tail: str = "") -> str:
    return f"[{threading.current_thread().name}] {what} {delivery.subject}{tail}"
