"""Acknowledgements of work that may run twice, written together: one statement every few milliseconds.

Only for actors declared `idempotent`, and only where no `effect()` has ended the message already. Until its statement
commits, a message stays held: its lease is renewed, and if the process dies first it simply runs again.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import structlog

from errors import DatabaseDown
from tasks.queue import endings

if TYPE_CHECKING:
    from tasks.queue.delivery import Delivery
    from tasks.queue.hub import Hub

GATHER_S = 0.004
"""How long the first of a batch waits for company."""
LIMIT = 500
"""Acknowledgements in one statement."""
BACKLOG = 5_000
"""Unwritten acknowledgements of a process; with more of them its threads wait for the database."""
_AGAIN_S = 0.25

log = structlog.get_logger(__name__)


class Acks:
    """What is done and not yet written, and the thread that writes it; the thread starts with the first of them.

    Args:
        hub: whose deliveries they are.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._waiting: list[Delivery] = []
        self._lock = threading.Lock()
        self._some = threading.Event()
        self._room = threading.Semaphore(BACKLOG)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, delivery: Delivery) -> None:
        """Acknowledge it soon."""
        self._room.acquire()
        with self._lock:
            self._waiting.append(delivery)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lps-acks", daemon=True)
                self._thread.start()
        self._some.set()

    def stop(self, timeout_s: float = 5) -> None:
        """Write what waits; what cannot be written runs again after its lease."""
        self._stop.set()
        self._some.set()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._some.wait()
            self._stop.wait(GATHER_S)
            self._some.clear()
            while batch := self._take():
                if not self._write(batch):
                    break

    def _take(self) -> list[Delivery]:
        with self._lock:
            batch, self._waiting = self._waiting[:LIMIT], self._waiting[LIMIT:]
        return batch

    def _write(self, batch: list[Delivery]) -> bool:
        for delivery in batch:
            delivery.settling = True
        try:
            with self._hub.broker.pool.autocommit() as cur:
                owned = endings.finish_all(cur, batch)
        except DatabaseDown as error:
            self._hub.outage(error)
            self._put_back(batch)
            return False
        except Exception:
            # A row that cannot be written is a bug; its lease runs out and the reaper brings it back.
            log.exception("acknowledgements cannot be written, their leases run out", messages=len(batch))
            owned = set()
        for delivery in batch:
            if delivery.key not in owned:
                delivery.lost.set()
                log.info("ended by another worker", stage=delivery.actor_name, message_id=delivery.message_id)
            delivery.ended = True
            self._hub.drop(delivery)
        self._room.release(len(batch))
        return True

    def _put_back(self, batch: list[Delivery]) -> None:
        for delivery in batch:
            # Renewed again meanwhile: an outage is shorter than a lease more often than not.
            delivery.settling = False
        with self._lock:
            self._waiting[:0] = batch
        self._stop.wait(_AGAIN_S)
        self._some.set()
