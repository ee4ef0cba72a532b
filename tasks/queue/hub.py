"""One thread a process that keeps the queue alive: hears notifications, renews leases, reaps those of the dead.

It owns one connection outside the pool and does everything on it, so that no amount of busy stages can starve it.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

import structlog

from errors import DatabaseDown
from store.pool import DatabaseError, guard
from store.sql import beside
from tasks.queue import endings, notices, reaper
from tasks.queue.acks import Acks
from tasks.queue.idle import Idle
from tasks.queue.payload import PRIORITIES
from tasks.queue.registry import Registry, StuckError
from tasks.queue.slots import Slots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from store.pool import Connection, Cursor
    from tasks.queue.broker import LpsBroker
    from tasks.queue.delivery import Delivery

SQL = beside(__file__)
_RECONNECT_S = (0.1, 0.25, 0.5, 1.0, 2.0)

log = structlog.get_logger(__name__)


class Hub:
    """The heart of a worker process; started by its first consumer, stopped with the worker.

    Args:
        broker: whose messages it holds.
        threads: worker threads of this process.
    """

    def __init__(self, broker: LpsBroker, threads: int) -> None:
        self.broker = broker
        self.owner = uuid4()
        """Never seen before: a process that comes back under an old pid owns nothing."""
        self.pid = os.getpid()
        self.host = socket.gethostname()
        self.slots = Slots(broker.caps, threads, broker.slow)
        self.idle = Idle(self.slots)
        self.acks = Acks(self)
        self.registry = Registry(self)
        self.listening = False
        self.stopped = False
        self._held: dict[tuple[str, int], Delivery] = {}
        self._unsettled: deque[Callable[[Cursor], bool]] = deque()
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._outage = False
        self._stop = threading.Event()
        self._poke_read, self._poke_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name="lps-hub", daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self.registry.begin()
        self._thread.start()

    def stop(self, timeout_s: float = 10) -> None:
        """Give back every message still held, say goodbye, free thread and connection."""
        self.slots.shut()
        self.acks.stop()
        self._stop.set()
        self.poke()
        self._thread.join(timeout_s)
        self.stopped = True

    # What consumers and endings call.

    def hold(self, delivery: Delivery) -> None:
        """Renew this lease from now on."""
        with self._lock:
            self._held[delivery.key] = delivery

    def drop(self, delivery: Delivery) -> None:
        """Renew it no more."""
        with self._lock:
            self._held.pop(delivery.key, None)

    def held(self) -> list[Delivery]:
        """What this process owns now."""
        with self._lock:
            return list(self._held.values())

    def settle_later(self, settle: Callable[[Cursor], bool]) -> None:
        """The database was away when a try ended: write the ending as soon as it is back."""
        self._unsettled.append(settle)
        self.poke()

    def outage(self, error: Exception) -> None:
        """Say once that the database is away."""
        if not self._outage:
            self._outage = True
            log.warning("database down, the queue waits", error=str(error))

    def poke(self) -> None:
        """Have the hub's thread come round now."""
        try:
            os.write(self._poke_write, b"!")
        except BlockingIOError:
            # Full of earlier pokes: it wakes anyway.
            return

    # The thread.

    def _run(self) -> None:
        failures = 0
        while not self._stop.is_set():
            try:
                self._serve()
                failures = 0
            except DatabaseDown as error:
                failures = 0 if self.listening else failures + 1
                self._disconnect()
                self.outage(error)
            except Exception:
                # A hub that died would let every lease of this process run out.
                failures += 1
                self._disconnect()
                log.exception("hub starts again")
            if failures:
                self._stop.wait(_RECONNECT_S[min(failures, len(_RECONNECT_S)) - 1])
        self._farewell()

    def _serve(self) -> None:
        connection = self._connect()
        poller = select.poll()
        poller.register(connection.fileno(), select.POLLIN)
        poller.register(self._poke_read, select.POLLIN)
        beat_at, sweep_at = time.monotonic(), time.monotonic() + self.broker.poll_s
        while not self._stop.is_set():
            # Endings first: reaping would take them for lost.
            self._settle()
            if time.monotonic() >= beat_at:
                beat_at = time.monotonic() + self.broker.lease_s / 3
                self._beat()
            if time.monotonic() >= sweep_at:
                sweep_at = time.monotonic() + self.broker.poll_s
                self._sweep(connection)
            self._hear(connection)
            self._mark(connection)
            timeout_s = min(beat_at - time.monotonic(), sweep_at - time.monotonic(), self.idle.due_s())
            if poller.poll(max(0.0, timeout_s * 1000)):
                self._drain()

    def _connect(self) -> Connection:
        self._connection = connection = self.broker.pool.dedicated()
        with guard(connection), connection.cursor() as cur:
            cur.execute("SET statement_timeout = %s", (int(self.broker.lease_s * 1000 / 3),))
            cur.execute("LISTEN lps")
        self.listening = True
        if self._outage:
            self._outage = False
            log.info("database back")
        # Whatever was sent while nobody listened is found by looking.
        self.slots.ring_all()
        return connection

    def _disconnect(self) -> None:
        self.listening = False
        self.idle.forget()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self.slots.ring_all()

    def _hear(self, connection: Connection) -> None:
        with guard(connection):
            connection.poll()
        for notification in connection.notifies:
            notices.heard(self, notification.payload)
        connection.notifies.clear()

    def _mark(self, connection: Connection) -> None:
        if self.idle.due_s() <= 0:
            with guard(connection), connection.cursor() as cur:
                self.idle.settle(cur)

    def _sweep(self, connection: Connection) -> None:
        """Find what nobody was told of, for all queues at once: the consumers themselves then need not poll."""
        self.registry.look()
        values = {"queues": self.slots.queues(), "priorities": PRIORITIES, "within_s": self.broker.poll_s}
        with guard(connection), connection.cursor() as cur:
            cur.execute(SQL["due"], values)
            for (queue,) in cur.fetchall():
                self.slots.ring(queue)

    def _drain(self) -> None:
        try:
            while os.read(self._poke_read, 512):
                continue
        except BlockingIOError:
            return

    @contextmanager
    def _transaction(self) -> Iterator[Cursor]:
        connection = self._connection
        if connection is None:
            raise DatabaseDown
        with guard(connection):
            connection.autocommit = False
            try:
                with connection.cursor() as cur:
                    yield cur
                connection.commit()
            finally:
                if not connection.closed:
                    connection.rollback()
                    connection.autocommit = True

    def _beat(self) -> None:
        with self._transaction() as cur:
            lost = self._renew(cur)
            self.registry.report(cur)
        self.registry.beat()
        for delivery in lost:
            log.warning("lease lost", stage=delivery.actor_name, message_id=delivery.message_id, fence=delivery.fence)
            delivery.lost.set()
        with self._transaction() as cur:
            sent = reaper.reap(cur, self.broker) != reaper.Reaped()
        if self.broker.on_beat:
            with self._transaction() as cur:
                sent = bool(self.broker.on_beat(cur)) or sent
        if sent:
            # Its own waiting does not count where this session sends.
            self.slots.ring_all()
        self._recycle()

    def _renew(self, cur: Cursor) -> list[Delivery]:
        held = {delivery.key: delivery for delivery in self.held() if not delivery.settling}
        if not held:
            return []
        ids, fences = zip(*held, strict=True)
        cur.execute(SQL["renew"], {"ids": list(ids), "fences": list(fences), "lease_s": self.broker.lease_s})
        gone = [held[key] for key in cur.fetchall()]
        # One that began to end meanwhile is not lost: its own statement finds out.
        return [delivery for delivery in gone if not (delivery.settling or delivery.ended)]

    def _recycle(self) -> None:
        """Take away what is stuck beyond hope, and end this process: its thread cannot be had back."""
        stuck = self.registry.stuck(2)
        if not stuck:
            return
        with self._transaction() as cur:
            for delivery in stuck:
                error = StuckError(f"{delivery.worker} had it for {self.broker.stuck_s * 2:g} s and was ended")
                reaper.bring_back(cur, self.broker, delivery, error)
        for delivery in stuck:
            delivery.lost.set()
            delivery.ended = True
            self.drop(delivery)
        self.registry.end_process("a stage is stuck")

    def _settle(self) -> None:
        while self._unsettled:
            try:
                with self._transaction() as cur:
                    self._unsettled[0](cur)
            except DatabaseDown:
                raise
            except Exception:
                log.exception("an ending cannot be written, its lease runs out")
            self._unsettled.popleft()
            self.slots.ring_all()

    def _farewell(self) -> None:
        try:
            if self._connection is None:
                self._connect()
            self._settle()
            with self._transaction() as cur:
                for delivery in self.held():
                    delivery.ended = endings.release(cur, delivery)
                cur.execute(SQL["stopped"], {"worker_id": self.owner})
        except (DatabaseDown, DatabaseError) as error:
            log.warning("stopped without the database: leases run out by themselves", error=str(error))
        finally:
            self._disconnect()
            self.registry.leave()
            os.close(self._poke_read)
            os.close(self._poke_write)
