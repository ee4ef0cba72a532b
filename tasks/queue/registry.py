"""What a worker process says of itself: its row in `worker`, and files whose age tells a health check that it works.

Lost and stuck are two things. A lost process renews nothing: its leases run out and the reaper takes its messages. A
stuck one lives and renews, but a message of it has run for longer than any stage may: it stops saying that it works,
and at twice that age its message is taken from it and the process ends, for a thread that is blocked cannot be
interrupted.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import structlog

from errors import LpsError
from store.pool import Json
from store.sql import beside
from tasks.queue import neighbours

if TYPE_CHECKING:
    from store.pool import Cursor
    from tasks.queue.delivery import Delivery
    from tasks.queue.hub import Hub

SQL = beside(__file__)
log = structlog.get_logger(__name__)


class StuckError(LpsError):
    """It ran for far longer than any stage may, and its process was ended."""


class Registry:
    """One process's place among the workers.

    Args:
        hub: the process's.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._file = Path(hub.broker.heartbeat_file) if hub.broker.heartbeat_file else None
        self._warned: set[tuple[str, int]] = set()
        self._ending = False
        self.draining = False

    def report(self, cur: Cursor) -> None:
        """Say that this process lives and what it works on; learn who was killed, and whether it is asked to drain."""
        hub = self._hub
        running: list[dict[str, Any]] = [
            {"message_id": d.message_id, "stage": d.actor_name, "job_id": d.job_id and str(d.job_id),
             "since": d.started_at.isoformat(), "worker": d.worker}
            for d in hub.held()
        ]  # fmt: skip
        cur.execute(
            SQL["report"],
            {
                "worker_id": hub.owner,
                "host": hub.host,
                "pid": hub.pid,
                "machine": neighbours.machine(),
                "pid_started": neighbours.began(hub.pid),
                "queues": hub.slots.queues(),
                "running": Json(running),
                "rss_bytes": psutil.Process().memory_info().rss,
            },
        )
        asked = cur.fetchone()[0]
        neighbours.bury(cur, hub.owner)
        if asked:
            self.drain()

    def drain(self) -> None:
        """Claim nothing any more; the process ends once nothing is held."""
        if not self.draining:
            log.info("draining", held=len(self._hub.held()))
        self.draining = True
        self._hub.slots.shut()

    def look(self) -> None:
        """Between two beats: whether a drained process has run dry."""
        if self.draining and not self._hub.held():
            self.end_process("drained")

    def end_process(self, why: str) -> None:
        """End this process in good order, as SIGTERM does."""
        if not self._ending:
            self._ending = True
            log.warning("worker ends", why=why)
            os.kill(os.getpid(), signal.SIGTERM)

    def stuck(self, factor: float = 1) -> list[Delivery]:
        """Messages of this process that have run for longer than `factor` times `stuck_s`."""
        limit_s = self._hub.broker.stuck_s * factor
        now = time.monotonic()
        return [d for d in self._hub.held() if limit_s and d.begun is not None and now - d.begun > limit_s]

    def beat(self) -> None:
        """After a heartbeat has reached the database: touch the files, unless something is stuck."""
        stuck = self.stuck()
        for delivery in stuck:
            if delivery.key not in self._warned:
                self._warned.add(delivery.key)
                log.warning("stuck", stage=delivery.actor_name, id=delivery.subject, worker=delivery.worker)
        if self._file and not stuck:
            try:
                self._touch(self._own)
                if all(self._fresh(file) for file in self._file.parent.glob(f"{self._file.name}.*")):
                    self._touch(self._file)
            except OSError as error:
                log.warning("heartbeat file", error=str(error))

    def begin(self) -> None:
        """Take the places of those that left their files behind as they were killed."""
        if self._file:
            for file in self._file.parent.glob(f"{self._file.name}.*"):
                if _killed(file):
                    _remove(file)

    def leave(self) -> None:
        """Leave no file behind; the last one takes the common file along."""
        if self._file:
            _remove(self._own)
            if not any(self._file.parent.glob(f"{self._file.name}.*")):
                _remove(self._file)

    @property
    def _own(self) -> Path:
        return Path(f"{self._file}.{self._hub.pid}")

    def _fresh(self, file: Path) -> bool:
        """Whether this process of the machine has beaten within the last lease; a killed one never again."""
        try:
            return time.time() - file.stat().st_mtime <= self._hub.broker.lease_s
        except FileNotFoundError:
            return True

    @staticmethod
    def _touch(file: Path) -> None:
        # The folder is everybody's: a link that lies there must not lead us to another file.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            os.utime(descriptor)
        finally:
            os.close(descriptor)


def _killed(file: Path) -> bool:
    """Whether this is the file of a process that is not there any more."""
    text = file.suffix[1:]
    return text.isdecimal() and not (len(text) <= 7 and psutil.pid_exists(int(text)))


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        log.warning("heartbeat file", error=str(error))
