"""What a worker tells the queue as it boots and as it stops."""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, cast

from dramatiq import Middleware
from dramatiq.common import iter_queue

if TYPE_CHECKING:
    from dramatiq import Worker
    from dramatiq.broker import Broker

    from tasks.queue.broker import LpsBroker


class Boot(Middleware):
    """Tells the broker how many threads a worker has, names them, and hands over early when it stops."""

    actor_options = frozenset({"idempotent"})
    """`idempotent=True`: it may run twice without harm, so its acknowledgement may come a few milliseconds late."""

    def __init__(self) -> None:
        self._numbers = itertools.count()

    def before_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Learn how many threads there are."""
        cast("LpsBroker", broker).threads = worker.worker_threads
        self._numbers = itertools.count()

    def after_worker_thread_boot(self, _broker: Broker, _thread: threading.Thread) -> None:
        """Call the thread what the log calls it."""
        threading.current_thread().name = f"worker-{next(self._numbers)}"

    def before_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """Claim no more, and hand over at once what no thread has begun; dramatiq would wait for the longest task."""
        hub = cast("LpsBroker", broker).hub
        if hub:
            hub.slots.shut()
        for _, delivery in iter_queue(worker.work_queue):
            worker.consumers[delivery.queue_name].requeue_messages([delivery])

    def after_worker_shutdown(self, broker: Broker, _worker: Worker) -> None:
        """Give back what is still held; its late effects will find their fence gone."""
        broker.close()
